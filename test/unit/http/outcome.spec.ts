import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { AxiosError, type AxiosResponse, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { Call, type ResultStyle } from '../../../lib/http/call.js';
import { traitsOf } from '../../../lib/http/adapter/adapter-traits.js';
import { deliver, discard, failed, isFromProxy, proxyFailure, statusOf } from '../../../lib/http/outcome.js';
import { BaseAddress } from '../../../lib/net/base-address.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const TOKEN = 'canary-token-1';

/** A call with the token, and an answer that repeats the token. */
function createOutcome(request: object = {}, answer: Partial<AxiosResponse> = {}, style?: ResultStyle) {
  const config: InternalAxiosRequestConfig = {
    url: 'https://api.example.com/x',
    headers: new AxiosHeaders(),
    ...request,
  };
  const call = new Call(
    config,
    traitsOf(() => Promise.reject(new Error('not called'))),
    new FakeClock(),
    undefined,
    style,
  );
  call.trace.addToken(TOKEN);
  const response: AxiosResponse = {
    data: `seen: ${TOKEN}`,
    status: 200,
    statusText: 'OK',
    headers: {},
    config: { ...config, headers: new AxiosHeaders({ Authorization: `Bearer ${TOKEN}` }) },
    ...answer,
  };
  return { call, config, response };
}

describe('the result that a caller gets', () => {
  it('B28: is a copy if the adapter froze its response', async () => {
    const { call, config, response } = createOutcome();
    const given = await deliver({ response: Object.freeze(response) }, call);
    expect(given).toMatchObject({ status: 200, statusText: 'OK', config });
  });

  it('B12: has no header with the token as its name', async () => {
    const { call, response } = createOutcome({}, { status: 404, headers: { [TOKEN]: 'x', other: 'y' } });
    await deliver({ response }, call);
    expect(response.headers).toEqual({ '[redacted]': 'x', other: 'y' });
  });

  it.each([
    ['a success', 200, {}],
    ['the last of the successes', 299, {}],
    ['JSON that axios forgives', 200, { responseType: 'json', transitional: { silentJSONParsing: true } }],
    ['JSON without more ado', 200, { responseType: 'json' }],
    [
      'a text, however strict about JSON',
      200,
      { responseType: 'text', transitional: { silentJSONParsing: false } },
    ],
  ])("B12: has the caller's config, and %s unchanged", async (_, status, request) => {
    const { call, config, response } = createOutcome(request, { status });
    expect(deliver({ response }, call)).toBe(response);
    expect(response.config).toBe(config);
    expect(response.data).toBe(`seen: ${TOKEN}`);
  });

  it.each([
    ['of axios', false, { 'x-seen': TOKEN }],
    ['of fetch, which has no error to come', true, { 'x-seen': '[redacted]' }],
  ])('B12: has the headers of a success, if the result is %s', (_, redactsSuccess, headers) => {
    const style = { sealStream: () => undefined, redactsSuccess, isDirect: () => false };
    const { call, response } = createOutcome({}, { headers: { 'x-seen': TOKEN } }, style);
    expect(deliver({ response }, call)).toBe(response);
    expect(response.headers).toEqual(headers);
  });

  it.each([
    ['a status that only validateStatus accepted', 300, {}],
    ['JSON that axios may quote', 200, { responseType: 'json', transitional: { silentJSONParsing: false } }],
  ])('B12: is redacted if it is %s', async (_, status, request) => {
    const { call, response } = createOutcome(request, { status });
    expect(await deliver({ response }, call)).toBe(response);
    expect(response.data).toBe('seen: [redacted]');
  });

  it('B12: is the error of the adapter, clean', async () => {
    const { call, config, response } = createOutcome({}, { status: 400 });
    const error = new AxiosError(`no ${TOKEN}`, 'ERR_BAD_REQUEST', response.config, undefined, response);
    const outcome = failed(error);
    expect(outcome.response).toBe(response);
    expect(await errorOf(Promise.resolve(deliver(outcome, call)))).toBe(error);
    expect(error).toMatchObject({ message: 'no [redacted]', config });
    expect(response.data).toBe('seen: [redacted]');
  });

  it('B12: is also an error without an answer, of any kind', async () => {
    const { call } = createOutcome();
    const odd = Object.assign(new Error('odd'), { response: { status: 401 } });
    expect(failed(odd).response).toBeUndefined();
    expect(await errorOf(Promise.resolve(deliver(failed(odd), call)))).toBe(odd);
    expect(await errorOf(Promise.resolve(deliver(failed(undefined), call)))).toBeUndefined();
  });

  it('is an error that says that the adapter gave no answer', () => {
    const { call } = createOutcome();
    expect(() => deliver({ response: undefined }, call)).toThrow(
      new TypeError('The adapter of this request gave no answer.'),
    );
  });
});

describe('a streamed answer', () => {
  it('B4: is sealed, and ends the call when it has been read', async () => {
    const abort = new AbortController();
    const unsubscribe = vi.spyOn(abort.signal, 'removeEventListener');
    const data = Readable.from([Buffer.from('a')]);
    const { call, response } = createOutcome({ signal: abort.signal, timeout: 10 }, { data });
    await deliver({ response }, call);
    call.budget.settle();
    expect(unsubscribe).not.toHaveBeenCalled();
    expect(response.data).not.toBe(data);
    expect(await (response.data as Readable).toArray()).toEqual([Buffer.from('a')]);
    await expect.poll(() => unsubscribe).toHaveBeenCalledOnce();
  });

  it('B12: is sealed on a failure too, and its own error is clean', async () => {
    const data = new Readable({ read: () => undefined });
    const { call, response } = createOutcome({}, { data, status: 500 });
    const error = new AxiosError('no', 'ERR_BAD_RESPONSE', response.config, undefined, response);
    await errorOf(Promise.resolve(deliver(failed(error), call)));
    expect(response.data).not.toBe(data);
    const broken = new Promise((resolve) => (response.data as Readable).once('error', resolve));
    data.destroy(new Error(`broken at ${TOKEN}`));
    expect(await broken).toMatchObject({ message: 'broken at [redacted]' });
  });
});

describe('an answer that no caller gets', () => {
  it('B12: is cleaned and dropped', () => {
    const data = new Readable({ read: () => undefined });
    const { call, config, response } = createOutcome({}, { data, request: { _header: TOKEN } });
    const { request } = response as { request: object };
    discard({ response }, call);
    expect(data.destroyed).toBe(true);
    expect(response.config).toBe(config);
    expect(request).toEqual({ _header: '[redacted]' });
  });

  it('B12: is missing, and the request of its error is cleaned', () => {
    const { call } = createOutcome();
    const request = { _header: TOKEN };
    discard(lostWith(request), call);
    expect(request).toEqual({ _header: '[redacted]' });
  });

  it('may be missing', () => {
    expect(() => discard(failed(new Error('no')), createOutcome().call)).not.toThrow();
  });
});

it('B12: bytes of an answer lead to no shared memory', async () => {
  const pooled = Buffer.from('small');
  const { call, response } = createOutcome({}, { data: pooled });
  await deliver({ response }, call);
  expect(response.data).toEqual(pooled);
  expect((response.data as Buffer).buffer.byteLength).toBe(5);
  const alone = Buffer.alloc(5);
  const { call: another, response: other } = createOutcome({}, { data: alone });
  await deliver({ response: other }, another);
  expect(other.data).toBe(alone);
});

/** A socket of `node:tls` has this mark, a socket of `node:net` has not. */
function socketWith({ tls }: { tls: boolean }): Socket {
  return Object.assign(new Socket(), tls && { encrypted: true });
}

function lostWith(request: unknown): ReturnType<typeof failed> {
  return failed(new AxiosError('lost', 'ECONNRESET', undefined, request));
}

describe('the status of an answer', () => {
  it('B2: is known from the answer, or from the request if the rest of the answer is lost', () => {
    const { response } = createOutcome({}, { status: 404 });
    expect(statusOf({ response })).toBe(404);
    expect(statusOf(lostWith({ res: { statusCode: 401 } }))).toBe(401);
    expect(statusOf(lostWith({ statusCode: 401 }))).toBe(401);
    expect(statusOf(lostWith({ _currentRequest: { res: { statusCode: 401 } } }))).toBe(401);
    expect(statusOf(lostWith({ socket: socketWith({ tls: true }), statusCode: 401 }))).toBe(401);
  });

  it.each([
    ['no request was made', lostWith(undefined)],
    ['no answer came', lostWith({ res: null })],
    [
      'a proxy answered instead of the API',
      lostWith({ socket: socketWith({ tls: false }), res: { statusCode: 401 } }),
    ],
    [
      'the error is not of axios',
      failed(Object.assign(new Error('odd'), { request: { res: { statusCode: 401 } } })),
    ],
    ['there is neither an answer nor an error', { response: undefined }],
  ])('B2: is unknown if %s', (_, outcome) => {
    expect(statusOf(outcome)).toBeUndefined();
  });
});

function isProxyBehind(request: unknown): boolean {
  return isFromProxy({ response: createOutcome({}, { request }).response });
}

describe('S9: an answer of a proxy instead of the API', () => {
  it('S9: is known by its socket without TLS', () => {
    expect(isProxyBehind({ socket: socketWith({ tls: false }) })).toBe(true);
    expect(isProxyBehind({ socket: socketWith({ tls: true }) })).toBe(false);
    // The answer of a mock or of a transport shows no socket.
    expect([isProxyBehind({ socket: {} }), isProxyBehind({}), isProxyBehind(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(isFromProxy(failed(new Error('no answer')))).toBe(false);
  });

  it('S9: becomes an error that holds nothing of the answer', () => {
    const base = new BaseAddress('https://api.example.com/v1');
    const { call, config, response } = createOutcome({}, { status: 407 });
    call.trace.address = base.resolve({ ...config, url: '/x', baseURL: 'https://api.example.com/v1' });
    const error = proxyFailure({ response }, call);
    expect(error.message).toBe(
      'The proxy answered instead of the API, with status 407: it made no connection to the API.',
    );
    expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', config });
    expect(error.request).toEqual({ method: 'GET', host: 'api.example.com', path: '/v1/x' });
    expect(error.response).toBeUndefined();
  });
});
