import { Readable } from 'node:stream';
import { AxiosHeaders, type AxiosRequestConfig, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../../lib/undici/request/request-body.js';
import { requestHeaders } from '../../../../lib/undici/request/request-headers.js';
import { USER_AGENT } from '../../../../lib/wire/wire-request.js';

type Given = Record<string, string | string[]>;

const NOTHING: WireBody = { content: null, length: undefined };
const BYTES: WireBody = { content: Buffer.from('four'), length: 4 };
const STREAM: WireBody = { content: Readable.from([]), length: undefined };
const BLOB: WireBody = { content: Readable.from([]), length: 4, type: 'text/x-blob', ownLength: true };

function headersOf(given: Given, body: WireBody = NOTHING, config: AxiosRequestConfig = {}) {
  const headers = new AxiosHeaders(given);
  const before = headers.toJSON();
  const list = requestHeaders(
    { ...config, headers } as InternalAxiosRequestConfig,
    body,
    'api.example.com:8443',
  );
  expect(headers.toJSON()).toEqual(before);
  return list;
}

/** The lines that differ from those of a request without headers. */
function linesOf(given: Given, body?: WireBody, config?: AxiosRequestConfig): string[] | undefined {
  const list = headersOf(given, body, config);
  const lines = list?.flatMap((name, index) => (index % 2 ? [] : [`${name}: ${list[index + 1]}`]));
  return lines?.filter((line) => !line.startsWith('User-Agent: axios/') && !line.startsWith('Accept-Enc'));
}

describe('the headers that undici sends', () => {
  it('B17: have the names and the order of the request, then what axios adds', () => {
    const list = headersOf({ 'x-oWn': 'one', Accept: 'a/b' });
    expect(list?.slice(0, 4)).toEqual(['x-oWn', 'one', 'Accept', 'a/b']);
    expect(list?.slice(4, 6)).toEqual(['User-Agent', USER_AGENT]);
    expect(list?.slice(6)).toEqual(['Accept-Encoding', 'gzip, compress, deflate, br']);
  });

  it('B17: are those of the request where axios would add its own', () => {
    const given = { 'User-Agent': 'own/1', 'Accept-Encoding': 'identity' };
    expect(headersOf(given)).toEqual(['User-Agent', 'own/1', 'Accept-Encoding', 'identity']);
  });

  it('B17: name the type of the body if its kind decides it, and else the type of the request', () => {
    const given = { 'Content-Type': 'a/b' };
    expect(linesOf(given, BYTES)).toEqual(['Content-Type: a/b']);
    expect(linesOf(given, BLOB)).toContain('Content-Type: text/x-blob');
    expect(linesOf({}, BYTES)).toEqual([]);
  });

  it.each([
    [{ username: 'me', password: 'pä:ss' }, 'me:pä:ss'],
    [{ username: '', password: undefined }, ':'],
    [{ username: undefined, password: 'p' }, ':p'],
  ])('B17: have the credentials of auth in place of an Authorization of the request: %j', (auth, plain) => {
    const encoded = Buffer.from(plain).toString('base64');
    expect(linesOf({ Authorization: 'Bearer x' }, NOTHING, { auth: auth as never })).toEqual([
      `Authorization: Basic ${encoded}`,
    ]);
    expect(linesOf({ Authorization: 'Bearer x' })).toEqual(['Authorization: Bearer x']);
  });

  it('B17: repeat a name for each value, and join the values of Cookie', () => {
    expect(linesOf({ 'X-Own': ['a', 'b'], cookie: ['c=1', 'd=2'] })).toEqual([
      'X-Own: a',
      'X-Own: b',
      'cookie: c=1; d=2',
    ]);
  });

  it('B17: leave out characters that cannot be sent, and the white space around them', () => {
    expect(linesOf({ 'X-Own': '\u2192 Z\u00fcr\u2192ich \u2192', 'X-List': ['\u2192 a', 'b'] })).toEqual([
      'X-Own: Z\u00fcrich',
      'X-List: a',
      'X-List: b',
    ]);
  });
});

describe('a header that only axios can send', () => {
  it.each<[string, Given]>([
    ['has a name that is no token', { 'X-One': '1', 'X Odd': '1' }],
    ['is Expect', { 'X-One': '1', Expect: '100-continue' }],
    ['is Transfer-Encoding', { 'Transfer-Encoding': 'gzip' }],
    ['is Keep-Alive', { 'Keep-Alive': '5' }],
    ['is Upgrade', { upgrade: 'x' }],
    ['names another host', { Host: 'other.example.com' }],
    ['asks for another kind of connection', { Connection: 'Upgrade' }],
  ])('B17: %s', (_, given) => {
    expect(headersOf(given)).toBeUndefined();
  });

  it.each<[Given, string[]]>([
    [{ Host: 'API.example.com:8443' }, []],
    [{ Connection: 'Close' }, ['Connection: Close']],
    [{ connection: 'keep-alive' }, ['connection: keep-alive']],
  ])('B17: is not %j, whose value undici sends itself', (given, lines) => {
    expect(linesOf(given)).toEqual(lines);
  });
});

describe('the length of a body', () => {
  it.each<[string, WireBody, string]>([
    ['bytes', BYTES, '4'],
    ['a stream of any length', STREAM, '123'],
    ['no body', NOTHING, '0'],
  ])('B17: stays as the request gives it if it can be right: %s', (_, body, length) => {
    expect(linesOf({ 'Content-Length': length }, body)).toEqual([`Content-Length: ${length}`]);
  });

  it.each<[string, WireBody, string]>([
    ['bytes of another length', BYTES, '5'],
    ['no body', NOTHING, '4'],
    ['a length that is no number', STREAM, '0x1'],
    ['a length that ends in no number', STREAM, '1x'],
    ['a length that begins with no number', STREAM, 'x1'],
  ])('B17: lets axios send the request if it is wrong: %s', (_, body, length) => {
    expect(linesOf({ 'Content-Length': length }, body)).toBeUndefined();
  });

  it('B17: is written for a stream whose length is known, also in place of another', () => {
    const expected = ['Content-Type: text/x-blob', 'Content-Length: 4'];
    expect(linesOf({}, BLOB)).toEqual(expected);
    expect(linesOf({ 'Content-Length': '9' }, BLOB)?.toSorted()).toEqual(expected.toSorted());
  });

  it('B17: is left to undici for bytes, and for a stream whose length is not known', () => {
    expect(linesOf({}, BYTES)).toEqual([]);
    expect(linesOf({}, STREAM)).toEqual([]);
  });
});
