import { afterEach, describe, expect, it } from 'vitest';
import { readFetchRequest } from '../../../../lib/http/fetch/fetch-request.js';
import { addToPrototype } from '../../../support/http/pollutions.js';
import { collectGarbage } from '../../../support/run/collect-garbage.js';
import { PLAIN_REQUEST } from '../../../support/http/fetch-call.js';

const URL_OF_API = 'https://api.example/v1/x';

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
    ['a path', '/x', { url: '/x' }],
    ['a whole address as text', URL_OF_API, { url: URL_OF_API }],
    ['a URL', new URL(URL_OF_API), { url: URL_OF_API, isWholeUrl: true }],
    ['a URL of another realm', { href: URL_OF_API }, { url: URL_OF_API, isWholeUrl: true }],
    ['an object that writes itself', { toString: () => '/x' }, { url: '/x' }],
    ['an object with only a url', { url: URL_OF_API, toString: () => '/x' }, { url: '/x' }],
    ['an object whose url is no text', { url: 1, method: 'PUT', toString: () => '/x' }, { url: '/x' }],
    ['an object whose href is no text', { href: 1, toString: () => '/x' }, { url: '/x' }],
    ['undefined', undefined, { url: 'undefined' }],
    ['null', null, { url: 'null' }],
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

  it.each(['follow', 'manual', 'error'])('B21: takes redirect %s', (redirect) => {
    expect(read('/x', { redirect }).redirect).toBe(redirect);
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
    ['a GET with a body', '/x', { body: '' }, 'A request with the method GET cannot have a body.'],
    [
      'a HEAD with a body',
      '/x',
      { method: 'head', body: 'text' },
      'A request with the method HEAD cannot have a body.',
    ],
    [
      'a GET with the body of a Request',
      put(),
      { method: 'GET' },
      'A request with the method GET cannot have a body.',
    ],
    [
      'an unknown redirect',
      '/x',
      { redirect: 'sometimes' },
      "The option redirect must be 'follow', 'manual' or 'error'.",
    ],
    [
      'a redirect that is no text',
      '/x',
      { redirect: 1 },
      "The option redirect must be 'follow', 'manual' or 'error'.",
    ],
    ['a signal that is none', '/x', { signal: {} }, 'The option signal must be an AbortSignal.'],
    ['a signal that is no object', '/x', { signal: 'none' }, 'The option signal must be an AbortSignal.'],
    ['a Request that was read before', used, {}, 'The body of this Request was read before.'],
  ])('B21: %s is a TypeError', (_, input, init, message) => {
    expect(() => read(input, init)).toThrow(new TypeError(message));
  });

  it.each<[string, unknown, object?]>([
    ['of init', '/x', { dispatcher: {} }],
    [
      'of a Request',
      Object.assign(new ForeignRequest(), { [Symbol('other')]: undefined, [Symbol('dispatcher')]: {} }),
    ],
  ])(
    'B21: a dispatcher %s is refused, because its proxy and certificates would be lost',
    (_, input, init) => {
      expect(() => read(input, init)).toThrow(
        new TypeError(
          'This fetch takes no dispatcher, because the module makes its connections. Set http.proxy, http.httpsAgent or http.transport in the options of the module.',
        ),
      );
    },
  );

  it('B21: another symbol and null are no dispatcher', () => {
    for (const [name, value] of [
      ['other', {}],
      ['dispatcher', null],
    ] as const)
      expect(read(Object.assign(new ForeignRequest(), { [Symbol(name)]: value })).method).toBe('DELETE');
  });

  it('B21: the signal of a Request keeps the Request alive, which passes the abort of the caller on', async () => {
    const abort = new AbortController();
    // In a function: the last values of this function stay on its stack.
    const reading = () => {
      const request = new Request(URL_OF_API, { signal: abort.signal });
      return { kept: readFetchRequest(request, {}).signal, request: new WeakRef(request) };
    };
    const { kept, request } = reading();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(request.deref()).toBeDefined();
    abort.abort('enough');
    expect(kept).toMatchObject({ aborted: true, reason: 'enough' });
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
