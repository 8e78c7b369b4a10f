import { types } from 'node:util';
import { AxiosHeaders, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { cleanError, redactResponse } from '../../../lib/http/outcome.js';
import { CallTrace, cleanRequest } from '../../../lib/http/redaction/clean-request.js';
import { BaseAddress } from '../../../lib/net/base-address.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';

const TOKEN = 'canary-token-1';
const config: InternalAxiosRequestConfig = { url: 'https://api.example.com/x', headers: new AxiosHeaders() };

function traceOf(): CallTrace {
  const trace = new CallTrace(config);
  trace.address = new BaseAddress('https://api.example.com').resolve(config);
  trace.addToken(TOKEN);
  return trace;
}

function broken(): never {
  throw new Error('from an accessor');
}

/** The config that an adapter puts into an error. */
function wire(): object {
  return { ...config, headers: { Authorization: `Bearer ${TOKEN}` } };
}

function answer(): AxiosResponse {
  return {
    data: `no: ${TOKEN}`,
    status: 400,
    statusText: `no ${TOKEN}`,
    headers: { 'x-seen': TOKEN, 'x-other': 'kept' },
    config: wire() as InternalAxiosRequestConfig,
    request: { method: 'GET', _header: TOKEN, agent: { held: TOKEN } },
  };
}

describe('B12: an error that is given to a caller', () => {
  it('leaves the error of a token request as it is, because all its callers share it', () => {
    const cause = new TokenRequestError(
      { interface: 'easy', environment: 'sandbox' },
      { code: 'TOKEN_UNAVAILABLE', reason: `the endpoint said ${TOKEN}.`, remedy: 'Wait.', transient: true },
    );
    cleanError(Object.assign(new Error('401'), { cause }), traceOf());
    expect(cause.message).toBe(`No access token for easy sandbox: the endpoint said ${TOKEN}. Wait.`);
  });

  it("holds the caller's config, a snapshot, and no unsafe property of axios", async () => {
    const request = { method: 'GET', _header: TOKEN };
    const response = answer();
    const error = Object.assign(new Error(`failed with ${TOKEN}`), {
      config: wire(),
      request,
      response,
      rawPacket: Buffer.from(TOKEN),
      input: TOKEN,
      base: TOKEN,
      code: 'KEPT',
      status: 400,
    });
    cleanError(error, traceOf());
    await redactResponse(response, traceOf());
    expect(error).toMatchObject({ code: 'KEPT', status: 400, message: 'failed with [redacted]' });
    expect(error.config).toBe(config);
    expect(error.request).toEqual(response.request);
    expect(error.request).toMatchObject({ method: 'GET', res: { statusCode: 400 } });
    for (const property of ['rawPacket', 'input', 'base']) expect(error).not.toHaveProperty(property);
    expect(response.headers).toEqual({ 'x-seen': '[redacted]', 'x-other': 'kept' });
    expect(findCanaries([error, response], { token: TOKEN })).toEqual([]);
  });

  it('holds its own snapshot if there was no answer', () => {
    const error = Object.assign(new Error('hang up'), { request: { method: 'PUT', _header: TOKEN } });
    cleanError(error, traceOf());
    expect(error.request).toEqual({ method: 'PUT', host: 'api.example.com', path: '/x' });
    expect(error).not.toHaveProperty('config');
    expect(error).not.toHaveProperty('response');
  });

  it('is clean, with its causes and its parts, also in a circle', () => {
    const cause: Error & { cause?: unknown } = new Error(`caused by ${TOKEN}`);
    const part = Object.assign(new Error(`part ${TOKEN}`), { config: wire() });
    const error = Object.assign(new AggregateError([part, `text ${TOKEN}`, null]), { cause });
    cause.cause = error;
    cleanError(error, traceOf());
    expect(cause.message).toBe('caused by [redacted]');
    expect(cause).not.toHaveProperty('request');
    expect(part.message).toBe('part [redacted]');
    expect(part.config).toBe(config);
    expect(cause.stack).not.toContain(TOKEN);
  });

  it('keeps texts without a token, also on a frozen error', () => {
    const error = Object.defineProperty(new Error('as it was'), 'code', { value: 'FIXED', writable: false });
    expect(() => cleanError(error, traceOf())).not.toThrow();
    expect(error).toMatchObject({ message: 'as it was', code: 'FIXED' });
  });

  it('B28: is a clean copy of the same class if an adapter froze the error, its causes and its response', () => {
    class AdapterError extends Error {
      override name = 'AdapterError';
    }
    const inner = Object.freeze(Object.assign(new Error(`inner ${TOKEN}`), { config: wire() }));
    const cause = new AggregateError([inner], 'several', { cause: inner });
    const error = Object.freeze(
      Object.assign(new AdapterError(`failed with ${TOKEN}`, { cause }), {
        config: Object.freeze(wire()),
        request: Object.freeze({ method: 'GET', _header: TOKEN }),
        response: Object.freeze({ ...answer(), data: 'no' }),
        rawPacket: TOKEN,
      }),
    );
    const clean = cleanError(error, traceOf());
    expect(clean).toBeInstanceOf(AdapterError);
    expect(types.isNativeError(clean)).toBe(true);
    expect(clean).toMatchObject({ name: 'AdapterError', message: 'failed with [redacted]', config });
    expect(clean.response).toMatchObject({ status: 400, config });
    expect(clean.request).toBe(clean.response.request);
    expect(cause.cause).toBe(cause.errors[0]);
    expect(cause.cause).toMatchObject({ message: 'inner [redacted]', config });
    const visible = { ...clean, response: { ...clean.response, headers: {}, statusText: '' } };
    expect(findCanaries([clean.message, clean.stack, visible, cause], { token: TOKEN })).toEqual([]);
  });

  it('B28: may have getters and setters that throw', () => {
    const error = Object.defineProperties(new Error(`failed with ${TOKEN}`), {
      response: { get: broken, configurable: true },
      config: { get: wire, set: broken, configurable: true },
    });
    expect(cleanError(error, traceOf())).toBe(error);
    expect(error.message).toBe('failed with [redacted]');
    expect(Object.getOwnPropertyDescriptor(error, 'config')).toEqual({
      value: config,
      enumerable: false,
      configurable: true,
      writable: true,
    });
  });

  it.each<[string, PropertyKey, PropertyDescriptor, boolean]>([
    ['a text without the token', 'detail', { value: 'kept' }, false],
    ['what is no text', 'detail', { value: 42 }, false],
    ['a text with the token that can be written', 'detail', { value: TOKEN, writable: true }, false],
    ['a text with the token', 'detail', { value: TOKEN }, true],
    ['a getter of the token', 'detail', { get: () => TOKEN }, true],
    ['a config', 'config', { value: config }, true],
  ])('B28: is a copy only if a member must be changed that is locked: %s', (_, name, locked, isCopied) => {
    const error = Object.defineProperty(new Error(`failed with ${TOKEN}`), name, locked);
    const clean = cleanError(error, traceOf());
    expect(clean === error).toBe(!isCopied);
    expect(clean.message).toBe('failed with [redacted]');
    expect(findCanaries(clean, { token: TOKEN })).toEqual([]);
  });

  it('B28: is a copy without the stack of our code if the error has none', () => {
    const error = new Error(`failed with ${TOKEN}`);
    delete error.stack;
    const clean = cleanError(Object.freeze(error), traceOf());
    expect(clean).not.toBe(error);
    expect(Reflect.ownKeys(clean)).toEqual(['message']);
  });

  it('B28: has another list of parts only if a part had to be copied', () => {
    const [kept, locked] = [new Error('kept'), Object.freeze(new Error(`locked ${TOKEN}`))];
    const error = new AggregateError([kept]);
    const { errors } = error;
    expect(cleanError(error, traceOf()).errors).toBe(errors);
    const mixed = cleanError(new AggregateError([kept, locked]), traceOf());
    expect(mixed.errors[0]).toBe(kept);
    expect(mixed.errors[1]).toMatchObject({ message: 'locked [redacted]' });
  });

  it('B17: gets no request that it had not before, even if its response has one', () => {
    const error = Object.assign(new Error('failed'), { response: answer() });
    expect(cleanError(error, traceOf())).not.toHaveProperty('request');
  });

  it.each([[undefined], [null], ['text'], [42]])('may be any value: %s', (error) => {
    expect(() => cleanError(error, traceOf())).not.toThrow();
  });
});

describe('B12: the request of a result', () => {
  it('is undefined if there was no request', () => {
    expect(cleanRequest(undefined, traceOf())).toBeUndefined();
    expect(cleanRequest(null, traceOf())).toBeUndefined();
    expect(cleanRequest('GET', traceOf())).toBeUndefined();
  });

  it('is the snapshot that a transport made', () => {
    const snapshot = Object.freeze({ method: 'GET', host: 'x', path: '/' });
    expect(cleanRequest(snapshot, traceOf())).toBe(snapshot);
  });

  it('B28: is a snapshot of the call if it cannot be changed', () => {
    const request = Object.freeze({ _header: TOKEN });
    expect(cleanRequest(request, traceOf())).toEqual({ method: 'GET', host: 'api.example.com', path: '/x' });
  });

  it('is scrubbed if it carried our token, and otherwise unchanged', () => {
    const [authorized, foreign] = [{ _header: 'head' }, { _header: 'head' }];
    cleanRequest(authorized, traceOf());
    cleanRequest(foreign, new CallTrace(config));
    expect(authorized).toEqual({ _header: '[redacted]' });
    expect(foreign).toEqual({ _header: 'head' });
  });
});

describe('B12: an answer that failed', () => {
  it('is redacted in each form of its body', async () => {
    const bodies = [
      `a ${TOKEN}`,
      Buffer.from(`a ${TOKEN}`),
      { a: [TOKEN] },
      new Blob([`a ${TOKEN}`], { type: 'text/x' }),
    ];
    const answers = bodies.map((data) => ({ ...answer(), data }));
    for (const response of answers) await redactResponse(response, traceOf());
    const [text, bytes, json, blob] = answers.map(({ data }): unknown => data);
    expect(text).toBe('a [redacted]');
    expect(bytes).toEqual(Buffer.from('a [redacted]'));
    expect(json).toEqual({ a: ['[redacted]'] });
    expect(await (blob as Blob).text()).toBe('a [redacted]');
    expect((blob as Blob).type).toBe('text/x');
  });

  it('B12: is redacted in a header that comes several times', async () => {
    const response = { ...answer(), headers: { 'set-cookie': ['a=1', `b=${TOKEN}`], 'x-count': 3 } as never };
    await redactResponse(response, traceOf());
    expect(response.headers).toEqual({ 'set-cookie': ['a=1', 'b=[redacted]'], 'x-count': 3 });
  });

  it('B28: is redacted, also if its headers are frozen', async () => {
    const response = { ...answer(), headers: Object.freeze(answer().headers) } as AxiosResponse;
    await redactResponse(response, traceOf());
    expect(response.headers).toEqual({ 'x-seen': '[redacted]', 'x-other': 'kept' });
  });

  it('may lack members that axios always sets', async () => {
    const { headers, statusText, ...bare } = answer();
    await redactResponse(bare as AxiosResponse, traceOf());
    expect(bare).not.toHaveProperty('statusText');
    expect([headers['x-other'], statusText]).toEqual(['kept', `no ${TOKEN}`]);
  });

  it('is clean of each token of the call, also of a token that was sent after the first failure', async () => {
    const trace = traceOf();
    expect(trace.redaction.text('canary-token-2')).toBe('canary-token-2');
    trace.addToken('canary-token-2');
    expect(trace.redaction.text(`canary-token-2 ${TOKEN}`)).toBe('[redacted] [redacted]');
    expect(trace.redaction).toBe(trace.redaction);
    expect([trace.hasTokens, new CallTrace(config).hasTokens]).toEqual([true, false]);
  });
});
