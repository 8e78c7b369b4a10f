import { expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { optionsWith } from '../../support/secrets/config-canaries.js';

const headersOf = async (headers: unknown): Promise<unknown> =>
  (await validateOptions(optionsWith({ 'http.headers': headers }), {})).http.headers;

it('C4: headers are read from the members of any object', async () => {
  class CallerHeaders {
    readonly 'X-Caller' = 'me';
  }
  expect(await headersOf({ 'X-Caller': 'me', 'x-empty': '' })).toEqual({ 'X-Caller': 'me', 'x-empty': '' });
  expect(await headersOf(new CallerHeaders())).toEqual({ 'X-Caller': 'me' });
  expect(await headersOf({})).toEqual({});
  expect(await headersOf(undefined)).toBeUndefined();
});

const PROXY = { host: 'proxy.example', port: 3128 };

it.each([
  PROXY,
  { ...PROXY, protocol: 'http' },
  { ...PROXY, protocol: 'https' },
  { ...PROXY, protocol: 'http:' },
  { ...PROXY, protocol: 'https:' },
  { ...PROXY, auth: { username: 'user', password: 'word' } },
  { ...PROXY, auth: { username: 'user', password: '' } },
  { ...PROXY, host: '::1' },
  false,
  undefined,
])('C4: http.proxy is taken as it is: %j', async (proxy) => {
  const { http } = await validateOptions(optionsWith({ 'http.proxy': proxy }), {});
  expect(http.proxy).toEqual(proxy);
});

it('C4: validated settings cannot be changed', async () => {
  const settings = await validateOptions(
    optionsWith({
      'http.headers': { 'X-Caller': 'me' },
      'http.proxy': { ...PROXY, auth: { username: 'a', password: 'b' } },
    }),
    {},
  );
  const { token, http, profiles } = settings;
  const parts = [settings, token, http, profiles, ...profiles, http.headers, http.proxy];
  expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  expect(http.proxy && Object.isFrozen(http.proxy.auth)).toBe(true);
});
