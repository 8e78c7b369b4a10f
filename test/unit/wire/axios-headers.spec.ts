import { AxiosHeaders } from 'axios';
import { describe, expect, it } from 'vitest';
import {
  basicCredentials,
  ENCODINGS,
  hasOwnCredentials,
  headerList,
  USER_AGENT,
} from '../../../lib/wire/axios-headers.js';

const configWith = (headers: object) => ({ headers: Object.assign(new AxiosHeaders(), headers) });

describe('the headers of a request', () => {
  it.each<[string, unknown, string[]]>([
    ['X-Number', 7, ['7']],
    ['X-Unfit', ' \t a\u0100b\u0000c\n\t ', ['abc']],
    ['X-List', ['1', 2], ['1', '2']],
    ['Cookie', ['a=1', 'b=2'], ['a=1; b=2']],
  ])('B17: %s of the value %j is sent as %j', (name, value, lines) => {
    const added = ['User-Agent', USER_AGENT, 'Accept-Encoding', ENCODINGS];
    const list = headerList(configWith({ [name]: value }), { content: null }, undefined);
    expect(list).toEqual([...lines.flatMap((line) => [name, line]), ...added]);
  });

  it('B17: are kept unless the body or the token replaces one, in upper or lower case', () => {
    const kept = {
      'X-Thirteen-Ch': '13',
      'X-Fourteen-Chr': '14',
      'USER-agent': 'me',
      'accept-ENCODING': 'br',
    };
    const config = configWith({ ...kept, 'content-TYPE': 'a', 'content-LENGTH': '9', authorization: 'own' });
    const body = { content: Buffer.from('four'), headers: { 'X-Form': '1', 'Content-Type': 'b' } };
    const replacing = { Authorization: 'Bearer x', ...body.headers, 'Content-Length': '4' };
    expect(headerList(config, body, 'Bearer x')).toEqual(Object.entries({ ...kept, ...replacing }).flat());
  });
});

describe('the credentials of the caller', () => {
  it.each<[string, unknown, boolean]>([
    ['Authorization', 'own', true],
    ['authorization', ['', 'own'], true],
    ['Authorization', ['', ''], false],
    ['Authorization', ' \t', false],
    ['X-Thirteen-Ch', 'own', false],
  ])('S7: a header %s with the value %j counts: %s', (name, value, counts) => {
    expect(hasOwnCredentials(configWith({ [name]: value }))).toBe(counts);
  });

  it('B17: may have only a name or only a password', () => {
    const both = [{ username: 'me' }, { password: 'mine' }].map(basicCredentials);
    expect(both).toEqual([`Basic ${btoa('me:')}`, `Basic ${btoa(':mine')}`]);
  });
});
