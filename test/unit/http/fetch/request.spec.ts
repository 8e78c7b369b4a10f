import { afterEach, describe, expect, it } from 'vitest';
import type { FetchBody } from '../../../../lib/http/fetch/body.js';
import { configOf, type FetchRequest, readFetchRequest } from '../../../../lib/http/fetch/request.js';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { IDENTITY, TokenIdentity } from '../../../../lib/token/token-identity.js';
import { addToPrototype } from '../../../support/http/pollutions.js';
import { PLAIN_REQUEST } from '../../../support/http/fetch-call.js';

const BASE_URL = 'https://api.example/v1';
const URL_OF_API = `${BASE_URL}/x`;

const added: (() => void)[] = [];

afterEach(() => {
  for (const clean of added.splice(0)) clean();
});

/** What was read, with the headers as an object. */
function read(input: unknown, init: object = {}) {
  const { headers, ...rest } = readFetchRequest(input, init);
  return { ...rest, headers: headers && Object.fromEntries(headers) };
}

const put = (init: object = {}): Request =>
  new Request(URL_OF_API, { method: 'PUT', body: 'of Request', headers: { 'x-a': '1' }, ...init });

const signal = new AbortController().signal;
const NO_BODY = 'A request with the method GET cannot have a body.';

/** A `Request` of another package: a class without a tag, whose members are getters. */
class ForeignRequest {
  get url() {
    return URL_OF_API;
  }
  get method() {
    return 'DELETE';
  }
}

describe('what a caller passes to fetch', () => {
  it.each<[string, unknown, object]>([
    ['a URL', new URL(URL_OF_API), { url: URL_OF_API, isWholeUrl: true }],
    ['a URL of another realm', { href: URL_OF_API }, { url: URL_OF_API, isWholeUrl: true }],
    ['an object that writes itself', { toString: () => '/x' }, { url: '/x' }],
    ['an object with only a url', { url: URL_OF_API, toString: () => '/x' }, { url: '/x' }],
    ['an object whose url is no text', { url: 1, method: 'PUT', toString: () => '/x' }, { url: '/x' }],
    ['an object whose href is no text', { href: 1, toString: () => '/x' }, { url: '/x' }],
    ['a Request of a package', new ForeignRequest(), { url: URL_OF_API, isWholeUrl: true, method: 'DELETE' }],
    [
      'a Request without a body',
      new Request(URL_OF_API),
      { url: URL_OF_API, isWholeUrl: true, headers: {}, signal: expect.any(AbortSignal) },
    ],
  ])('B21: reads %s', (_, input, expected) => {
    expect(read(input)).toEqual({ ...PLAIN_REQUEST, ...expected });
  });

  it('B21: reads all parts of a Request, whose body is not read yet', () => {
    const request = put({ redirect: 'manual' });
    expect(read(request)).toEqual({
      url: URL_OF_API,
      isWholeUrl: true,
      method: 'PUT',
      headers: { 'content-type': 'text/plain;charset=UTF-8', 'x-a': '1' },
      body: undefined,
      unread: request.body,
      signal: request.signal,
      redirect: 'manual',
    });
    expect(request.bodyUsed).toBe(false);
  });

  it.each<[string, object, object]>([
    ['method', { method: 'patch' }, { method: 'PATCH' }],
    ['headers', { headers: { 'X-B': '2' } }, { headers: { 'x-b': '2' } }],
    [
      'body',
      { body: 'of init' },
      { body: { data: 'of init', type: 'text/plain;charset=UTF-8' }, unread: undefined },
    ],
    ['signal', { signal }, { signal }],
    ['signal, with null,', { signal: null }, { signal: undefined }],
    ['redirect', { redirect: 'error' }, { redirect: 'error' }],
  ])('B21: the %s of init replaces that of a Request, and nothing else', (_, init, expected) => {
    const request = put();
    expect(read(request, init)).toEqual({ ...read(request), ...expected });
  });

  it.each<[string, object]>([
    [
      'undefined',
      { method: undefined, headers: undefined, body: undefined, signal: undefined, redirect: undefined },
    ],
    ['null', { method: null, headers: null, body: null, redirect: null, dispatcher: null }],
  ])('B21: a member of init that is %s leaves the part of a Request', (_, init) => {
    const request = put({ redirect: 'manual' });
    expect(read(request, init)).toEqual(read(request));
  });

  it.each<[string, object]>([
    ['a Request without headers', { url: URL_OF_API, method: 'GET', headers: undefined }],
    ['a Request with null for headers', { url: URL_OF_API, method: 'GET', headers: null, signal: null }],
  ])('B21: %s of a package has none', (_, input) => {
    expect(read(input)).toEqual({ ...PLAIN_REQUEST, url: URL_OF_API, isWholeUrl: true });
  });

  it.each(['POST', 'OPTIONS', 'X-OWN'])('B21: the method %s may have a body', (method) => {
    expect(read('/x', { method, body: 'text' })).toMatchObject({ method, body: { data: 'text' } });
  });

  const used = put();
  void used.text();

  it('B21: a Request that was read may be sent with a body of init', () => {
    expect(read(used, { body: 'of init' }).body?.data).toBe('of init');
  });

  it.each<[string, unknown, object, string]>([
    ['an unknown method', '/x', { method: 'NO METHOD' }, 'The method is not a valid HTTP method.'],
    ['CONNECT', '/x', { method: 'connect' }, 'The method CONNECT is not allowed in fetch.'],
    ['TRACE', '/x', { method: 'trace' }, 'The method TRACE is not allowed in fetch.'],
    ['TRACK', '/x', { method: 'Track' }, 'The method TRACK is not allowed in fetch.'],
    ['a HEAD with a body', '/x', { method: 'HEAD', body: 'a' }, NO_BODY.replace('GET', 'HEAD')],
    ['a GET with an empty body', '/x', { body: '' }, NO_BODY],
    ['a GET with the body of a Request', put(), { method: 'GET' }, NO_BODY],
    [
      'a redirect that is no text',
      '/x',
      { redirect: 1 },
      "The option redirect must be 'follow', 'manual' or 'error'.",
    ],
    ['a signal that is no object', '/x', { signal: 'none' }, 'The option signal must be an AbortSignal.'],
    ['a Request that was read before', used, {}, 'The body of this Request was read before.'],
    ['a symbol', Symbol('any'), {}, 'Cannot convert a Symbol value to a string'],
  ])('B21: %s is a TypeError', (_, input, init, message) => {
    expect(() => read(input, init)).toThrow(new TypeError(message));
  });

  it.each<[string, unknown]>([
    ['method', 'POST'],
    ['body', 'evil'],
    ['headers', { 'x-evil': '1' }],
    ['redirect', 'error'],
    ['signal', AbortSignal.abort()],
    ['dispatcher', {}],
    ['href', 'https://evil.example'],
    ['url', 'https://evil.example'],
  ])('B36: %s of a polluted Object.prototype is no part of a request', (name, value) => {
    const [plain, ofRequest] = [{ toString: () => '/x' }, new Request(URL_OF_API)];
    const before = [read(plain), read(ofRequest)];
    added.push(addToPrototype(name, { value }));
    expect([read(plain), read(ofRequest)]).toEqual(before);
  });

  it('B36: url and method of a polluted Object.prototype together make no Request of an address', () => {
    const [plain, address] = [{ toString: () => '/x' }, new URL(URL_OF_API)];
    const before = [read(plain), read(address)];
    added.push(addToPrototype('url', { value: 'https://evil.example' }));
    added.push(addToPrototype('method', { value: 'POST' }));
    expect([read(plain), read(address)]).toEqual(before);
  });
});

interface Call {
  request?: Partial<FetchRequest>;
  body?: FetchBody;
  maxRedirects?: number;
  headers?: Readonly<Record<string, string>>;
  identity?: TokenIdentity;
}

function configFor(call: Call = {}) {
  const { maxRedirects = 0, headers, identity } = call;
  const settings = { base: new BaseAddress(BASE_URL), baseUrl: BASE_URL, http: { maxRedirects, headers } };
  return configOf(settings, { ...PLAIN_REQUEST, ...call.request }, call.body, 700, identity);
}

const given = (headers: Record<string, string>): Pick<FetchRequest, 'headers'> => ({
  headers: Object.entries(headers),
});

/** A body that is read once, and one that a call can send again. */
const STREAM: FetchBody = { data: 'stream', isStreamed: true };
const TEXT: FetchBody = { data: 'text', type: 'text/plain' };
const FORM: FetchBody = { data: 'form', type: 'multipart/form-data; boundary=b' };

describe('the config of a fetch', () => {
  it('B21: has what a request without options needs, and nothing else', () => {
    const config = configFor();
    expect({ ...config, headers: { ...config.headers.toJSON() } }).toStrictEqual({
      url: '/x',
      baseURL: BASE_URL,
      method: 'get',
      headers: { accept: '*/*' },
      data: undefined,
      signal: undefined,
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
    expect(Object.getPrototypeOf(configFor())).toBeNull();
  });

  it('B21 B33: has the body, the signal and the token identity of the call', () => {
    const { signal } = new AbortController();
    const identity = TokenIdentity.of({ account: 'one' }) as TokenIdentity;
    const config = configFor({ request: { method: 'POST', signal }, body: TEXT, identity });
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
    expect(configFor(call).maxRedirects).toBe(maxRedirects);
  });
});

describe('the address of a fetch', () => {
  it('C2: a URL that is plainly under the base URL is a path, as a mock expects it', () => {
    const { url, baseURL } = configFor({ request: { url: URL_OF_API, isWholeUrl: true } });
    expect([url, baseURL]).toEqual(['/x', BASE_URL]);
  });

  it.each<[string, string]>([
    ['with two slashes behind the base URL', `${BASE_URL}//evil.example`],
    ['beside the base URL', `${BASE_URL}0/x`],
    ['that ends with the base URL', `data:x,${BASE_URL}`],
    ['without a path', 'data:text/plain,x'],
  ])('S6: a URL %s is never joined to the base URL', (_, url) => {
    const config = configFor({ request: { url, isWholeUrl: true } });
    expect([config.url, config.baseURL]).toEqual([url, undefined]);
  });

  it.each<[string, string, boolean]>([
    ['as text', 'https://me:canary@api.example/v1/x', false],
    ['as a URL', 'https://me:canary@api.example/v1/x', true],
    ['without a password', 'https://me@api.example/v1/x', true],
  ])('B21: credentials in an address %s are refused', (_, url, isWholeUrl) => {
    expect(() => configFor({ request: { url, isWholeUrl } })).toThrow(
      new TypeError('The address has a user name or a password. Set the header Authorization instead.'),
    );
  });

  it.each<[string, string]>([
    ['an @ in the path', '/users/@me'],
    ['credentials outside of the base URL, which has an error for that', 'https://me:canary@other.example/x'],
  ])('B21: %s is not refused as credentials', (_, url) => {
    expect(configFor({ request: { url } }).url).toBe(url);
  });
});

it.each<[string, Call, object]>([
  [
    'the caller sets headers, also accept',
    { request: given({ 'x-a': '1', accept: 'text/x' }) },
    { 'x-a': '1', accept: 'text/x' },
  ],
  [
    'a length of the caller is left out if there is no body',
    { request: given({ 'content-length': '1' }) },
    {},
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
    { 'content-type': 'multipart/form-data; boundary=b', 'x-a': '1' },
  ],
  [
    'the content type of http.headers goes out without a body too',
    { headers: { 'Content-Type': 'text/x' } },
    { 'content-type': 'text/x' },
  ],
])('B21: of the headers, %s', (_, call, headers) => {
  expect(configFor(call).headers.toJSON()).toEqual({ accept: '*/*', ...headers });
});
