import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { createResponse } from '../../../../lib/http/fetch/response.js';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { receivedBody } from '../../../support/http/received-body.js';

const base = new BaseAddress(BASE_URL);

function responseTo(answer: object, method = 'get', redirected = false): Response {
  const config = { baseURL: BASE_URL, url: '/x?a=1', method };
  return createResponse({ status: 200, statusText: 'OK', headers: {}, ...answer } as AxiosResponse, {
    config: config as InternalAxiosRequestConfig,
    base,
    redirected,
    signal: undefined,
  });
}

describe('the response that fetch makes of an answer', () => {
  it.each([
    ['an old server', 'Schön', 'Schön'],
    ['no server, but a mock without a text', undefined, ''],
    ['a mock with a line break', 'OK\r\nx: y', ''],
  ])('B21: has a status text that Response takes, from %s', (_, statusText, shown) => {
    expect(responseTo({ statusText }).statusText).toBe(shown);
  });

  const HOP = 'https://api.example.com/v1/hop';
  it.each([
    ['the last hop', { res: { responseUrl: HOP } }, HOP],
    ['the resolved address if a mock shows no answer', {}, `${BASE_URL}/x?a=1`],
    ['the resolved address if a mock shows no request', undefined, `${BASE_URL}/x?a=1`],
  ])('B21: has the address of %s', (_, request, url) => {
    expect(responseTo({ request }).url).toBe(url);
  });

  it('B21: discards the body of a 205, which has one against the rules', () => {
    const data = receivedBody('unread');
    expect(responseTo({ status: 205, data }).body).toBeNull();
    expect(data.isOver).toBe(true);
  });

  it.each([103, 199, 600, 999])(
    'B21: is none with %i, which no Response can have, and the body is discarded',
    (status) => {
      const data = receivedBody('unread');
      expect(() => responseTo({ status, data })).toThrow(new TypeError('fetch failed'));
      expect(data.isOver).toBe(true);
    },
  );

  const BYTES = Uint8Array.from([97, 98]);
  it.each<[string, unknown, string]>([
    ['bytes', BYTES, 'ab'],
    ['a part of a buffer', new Uint16Array(Uint8Array.from([0, 0, 97, 98]).buffer, 2), 'ab'],
    ['an ArrayBuffer', BYTES.buffer, 'ab'],
    ['a Blob', new Blob(['ab']), 'ab'],
    ['a File', new File(['ab'], 'name'), 'ab'],
    ['a web stream', ReadableStream.from([BYTES]), 'ab'],
    ['a form of a page', new URLSearchParams({ a: 'b' }), 'a=b'],
    ['text', '{"a":1}', '{"a":1}'],
    ['empty text', '', ''],
    ['the object of a mock', { a: 1 }, '{"a":1}'],
    ['the list of a mock', [{ a: 1 }], '[{"a":1}]'],
    ['a number', 0, '0'],
    ['undefined', undefined, ''],
    ['null', null, ''],
  ])('B21: has the content of %s', async (_, data, text) => {
    const answer = responseTo({ data });
    expect(answer.body === null).toBe(data === undefined || data === null);
    expect(await answer.text()).toBe(text);
  });

  it('B21: has the parts of a form', async () => {
    const form = new FormData();
    form.set('a', 'b');
    expect([...(await responseTo({ data: form }).formData())]).toEqual([['a', 'b']]);
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  const TEXT_TYPE = { 'content-type': 'text/plain;charset=UTF-8' };
  it.each<[string, object, object]>([
    ['a list of values', { headers: { a: ['1', '2'] } }, { a: '1, 2' }],
    ['a number', { headers: { a: 1 } }, { a: '1' }],
    ['an empty value', { headers: { a: '' } }, { a: '' }],
    ['no value', { headers: { a: undefined, b: null, c: '3' } }, { c: '3' }],
    ['a redacted name', { headers: { 'x [redacted]': '1', b: '2' } }, { b: '2' }],
    ['a line break in one of two values', { headers: { a: ['1\n1', '2'] } }, { a: '2' }],
    ['no headers', { headers: undefined }, {}],
    ['the object of a mock', { data: { a: 1 } }, JSON_TYPE],
    ['the object of a mock with headers', { data: { a: 1 }, headers: { x: 'y' } }, { ...JSON_TYPE, x: 'y' }],
    [
      'the object of a mock with a type',
      { data: {}, headers: { x: 'y', 'Content-Type': 'a/b' } },
      { 'content-type': 'a/b', x: 'y' },
    ],
    ['the object of a mock that has no body', { data: { a: 1 }, status: 204 }, {}],
    ['text', { data: 'text' }, TEXT_TYPE],
    ['a received body', { data: receivedBody() }, {}],
    ['nothing', {}, {}],
  ])('B21: has headers that Response takes, from %s', (_, answer, headers) => {
    expect(Object.fromEntries(responseTo(answer).headers)).toEqual(headers);
  });
});
