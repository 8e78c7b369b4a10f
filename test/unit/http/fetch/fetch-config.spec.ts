import { describe, expect, it, vi } from 'vitest';
import type { FetchBody } from '../../../../lib/http/fetch/fetch-body.js';
import { fetchConfig } from '../../../../lib/http/fetch/fetch-config.js';
import type { FetchRequest } from '../../../../lib/http/fetch/fetch-request.js';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { IDENTITY, TokenIdentity } from '../../../../lib/token/token-identity.js';
import { PLAIN_REQUEST } from '../../../support/http/fetch-call.js';

const BASE_URL = 'https://api.example/v1';

interface Call {
  request?: Partial<FetchRequest>;
  body?: FetchBody;
  baseUrl?: string;
  maxRedirects?: number;
  headers?: Readonly<Record<string, string>>;
  onRedirect?: () => void;
  identity?: TokenIdentity;
}

function configOf(call: Call = {}) {
  const { baseUrl = BASE_URL, maxRedirects = 0, headers, onRedirect = () => {}, identity } = call;
  const settings = { base: new BaseAddress(baseUrl), baseUrl, http: { maxRedirects, headers } };
  return fetchConfig(settings, { ...PLAIN_REQUEST, ...call.request }, call.body, 700, onRedirect, identity);
}

const given = (headers: Record<string, string>): Pick<FetchRequest, 'headers'> => ({
  headers: Object.entries(headers),
});

/** A body that is read once, and one that a call can send again. */
const STREAM: FetchBody = { data: 'stream', isStreamed: true };
const TEXT: FetchBody = { data: 'text', type: 'text/plain' };
const FORM: FetchBody = { data: 'form', type: 'multipart/form-data; boundary=b', length: 4 };

describe('the config of a fetch', () => {
  it('B21: has what a request without options needs, and nothing else', () => {
    const config = configOf();
    expect({ ...config, headers: { ...config.headers.toJSON() } }).toStrictEqual({
      url: '/x',
      baseURL: BASE_URL,
      method: 'get',
      headers: { accept: '*/*' },
      data: undefined,
      timeout: 700,
      maxRedirects: 0,
      maxContentLength: -1,
      maxBodyLength: -1,
      responseType: 'stream',
      validateStatus: null,
      [IDENTITY]: undefined,
    });
  });

  it('B36: inherits nothing', () => {
    expect(Object.getPrototypeOf(configOf())).toBeNull();
  });

  it('B21 B33: has the body, the signal and the token identity of the call', () => {
    const { signal } = new AbortController();
    const identity = TokenIdentity.of({ account: 'one' }) as TokenIdentity;
    const config = configOf({ request: { method: 'POST', signal }, body: TEXT, identity });
    expect(config).toMatchObject({ method: 'post', data: 'text' });
    expect(config.signal).toBe(signal);
    expect(Reflect.get(config, IDENTITY)).toBe(identity);
  });

  it.each<[string, Call, number]>([
    ['follow, as http.maxRedirects says', { maxRedirects: 3 }, 3],
    ['follow, with a body that can be sent again', { maxRedirects: 3, body: TEXT }, 3],
    ['follow, with a body that is read once', { maxRedirects: 3, body: STREAM }, 0],
    ['manual', { maxRedirects: 3, request: { redirect: 'manual' } }, 0],
    ['error', { maxRedirects: 3, request: { redirect: 'error' } }, 0],
  ])('B21: follows redirects with %s', (_, call, maxRedirects) => {
    const onRedirect = vi.fn<() => void>();
    const config = configOf({ ...call, onRedirect });
    expect(config.maxRedirects).toBe(maxRedirects);
    expect(config.beforeRedirect).toBe(maxRedirects === 0 ? undefined : onRedirect);
  });
});

describe('the address of a fetch', () => {
  it.each<[string, string, object]>([
    ['under the base URL is joined', `${BASE_URL}/y?a=b/`, { url: '/y?a=b/', baseURL: BASE_URL }],
    ['with two slashes stays whole', `${BASE_URL}//y`, { url: `${BASE_URL}//y` }],
    ['of the base URL itself stays whole', BASE_URL, { url: BASE_URL }],
    ['next to the base URL, with a slash, stays whole', `${BASE_URL}10/`, { url: `${BASE_URL}10/` }],
    ['next to the base URL stays whole', `${BASE_URL}0/y`, { url: `${BASE_URL}0/y` }],
    [
      'with another path of the same length stays whole',
      'https://api.example/v2/y',
      {
        url: 'https://api.example/v2/y',
      },
    ],
    ['that ends with the base URL stays whole', `data:x,${BASE_URL}`, { url: `data:x,${BASE_URL}` }],
    ['without a path stays whole', 'data:text/plain,x', { url: 'data:text/plain,x' }],
  ])('S6: a URL %s', (_, url, address) => {
    const { url: sent, baseURL } = configOf({ request: { url, isWholeUrl: true } });
    expect({ url: sent, ...(baseURL !== undefined && { baseURL }) }).toEqual(address);
  });

  it('S6: a URL stays whole if the base URL is written in another form', () => {
    const url = `${BASE_URL}/y`;
    const config = configOf({ baseUrl: `${BASE_URL}/`, request: { url, isWholeUrl: true } });
    expect([config.url, config.baseURL]).toEqual([url, undefined]);
  });

  it.each<[string, string, boolean]>([
    ['as text', 'https://me:canary@api.example/v1/x', false],
    ['as a URL', 'https://me:canary@api.example/v1/x', true],
    ['without a password', 'https://me@api.example/v1/x', true],
  ])('B21: credentials in an address %s are refused', (_, url, isWholeUrl) => {
    expect(() => configOf({ request: { url, isWholeUrl } })).toThrow(
      new TypeError('The address has a user name or a password. Set the header Authorization instead.'),
    );
  });

  it.each<[string, string]>([
    ['an @ in the path', '/users/@me'],
    ['credentials outside of the base URL, which has an error for that', 'https://me:canary@other.example/x'],
  ])('B21: %s is not refused as credentials', (_, url) => {
    expect(configOf({ request: { url } }).url).toBe(url);
  });
});

describe('the headers of a fetch', () => {
  it.each<[string, Call, object]>([
    [
      'the caller sets headers, also accept',
      { request: given({ 'x-a': '1', accept: 'text/x' }) },
      { 'x-a': '1', accept: 'text/x' },
    ],
    [
      'headers of the connection are left out',
      { request: given({ connection: 'close', te: 'x', upgrade: 'x' }) },
      {},
    ],
    [
      'a length of the caller is left out if there is no body',
      { request: given({ 'content-length': '1' }) },
      {},
    ],
    [
      'a length of the caller is left out if the body is known',
      { request: given({ 'content-length': '1', 'x-a': '1' }), body: TEXT },
      { 'content-type': 'text/plain', 'x-a': '1' },
    ],
    [
      'a length of the caller goes out with a body that is read once',
      { request: given({ 'content-length': '6' }), body: STREAM },
      { 'content-length': '6' },
    ],
    [
      'a body may have a length',
      { body: { ...TEXT, length: 0 } },
      {
        'content-type': 'text/plain',
        'content-length': '0',
      },
    ],
    [
      'the content type of the caller wins over that of the body',
      { request: given({ 'content-type': 'text/x' }), body: TEXT },
      { 'content-type': 'text/x' },
    ],
    [
      'http.headers go along, in small letters',
      { headers: { 'X-A': '1', Accept: 'text/x' } },
      {
        'x-a': '1',
        accept: 'text/x',
      },
    ],
    [
      'a header of the caller wins over http.headers',
      { request: given({ 'x-a': '1' }), headers: { 'X-A': '2' } },
      {
        'x-a': '1',
      },
    ],
    [
      'the content type of http.headers wins over that of the body',
      { headers: { 'Content-Type': 'text/x' }, body: TEXT },
      { 'content-type': 'text/x' },
    ],
    [
      'the content type of http.headers is for a body without a type',
      { headers: { 'Content-Type': 'text/x' }, body: STREAM },
      { 'content-type': 'text/x' },
    ],
    [
      'the content type of a form has its boundary and stays, with other http.headers',
      { headers: { 'Content-Type': 'text/x', 'X-A': '1' }, body: FORM },
      { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '4', 'x-a': '1' },
    ],
    [
      'the content type of http.headers goes out without a body too',
      { headers: { 'Content-Type': 'text/x' } },
      { 'content-type': 'text/x' },
    ],
  ])('B21: %s', (_, call, headers) => {
    expect(configOf(call).headers.toJSON()).toEqual({ accept: '*/*', ...headers });
  });
});
