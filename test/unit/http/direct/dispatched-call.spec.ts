import axios, {
  AxiosError,
  AxiosHeaders,
  type AxiosResponse,
  CanceledError,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { Cancellation } from '../../../../lib/wire/call-budget.js';
import { dispatched, failing, serialiseBody } from '../../../../lib/http/direct/dispatched-call.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

type Config = InternalAxiosRequestConfig;

const { transformRequest, transformResponse } = axios.defaults;

function configWith(members: object = {}): Config {
  return {
    headers: new AxiosHeaders(),
    transformRequest,
    transformResponse,
    method: 'post',
    ...members,
  } as Config;
}

function answerWith(config: Config, members: Partial<AxiosResponse> = {}): AxiosResponse {
  const headers = new AxiosHeaders({ 'content-type': 'text/plain' });
  return { data: '{"id":7}', status: 200, statusText: 'OK', headers, config, ...members };
}

async function rejected(error: unknown): Promise<never> {
  throw error;
}

/** The call rejects with the error itself, so that a test sees which error that is. */
function dispatchedWith(config: Config, send: () => Promise<AxiosResponse>): Promise<AxiosResponse> {
  return dispatched(config, { send, fail: rejected });
}

describe('the body of a direct call', () => {
  it.each([
    ['an object', { a: 1 }, '{"a":1}', 'application/json'],
    [
      'parameters',
      new URLSearchParams({ a: 'ü' }),
      'a=%C3%BC',
      'application/x-www-form-urlencoded;charset=utf-8',
    ],
    ['a text', 'text', 'text', 'application/x-www-form-urlencoded'],
    ['no body', undefined, undefined, 'application/x-www-form-urlencoded'],
  ])('B17: %s becomes what axios makes of it', (_, data, sent, type) => {
    const config = configWith({ data });
    serialiseBody(config);
    expect(config.data).toBe(sent);
    expect(config.headers.getContentType()).toBe(type);
  });

  it('B17: keeps the content type of the caller', () => {
    const headers = new AxiosHeaders({ 'content-type': 'application/vnd.own+json' });
    const config = configWith({ data: { a: 1 }, headers });
    serialiseBody(config);
    expect(config.headers.getContentType()).toBe('application/vnd.own+json');
  });

  it('B17: leaves the names of headers as the caller wrote them', () => {
    const config = configWith({ data: { a: 1 }, headers: new AxiosHeaders({ 'x-OWN': '1' }) });
    serialiseBody(config);
    expect(Object.keys(config.headers)).toEqual(['x-OWN', 'Content-Type']);
  });

  it('B17: gets no content type with a method that has no body', () => {
    const config = configWith({ method: 'get' });
    serialiseBody(config);
    expect(config.headers.getContentType()).toBeUndefined();
  });
});

function wrapped(this: Config, data: unknown, _: AxiosHeaders, status?: number) {
  return { data, status, isShown: Object.hasOwn(this, 'response') };
}

describe('the result of a direct call', () => {
  it('B17: has parsed data, and headers with the methods of axios', async () => {
    const config = configWith();
    const response = await dispatchedWith(config, () => Promise.resolve(answerWith(config)));
    expect(response.data).toEqual({ id: 7 });
    expect(response.headers).toBeInstanceOf(AxiosHeaders);
    expect(response.config).toBe(config);
  });

  it('B17: is transformed by what the config names when the answer has come', async () => {
    const config = configWith();
    const response = await dispatchedWith(config, () => {
      config.transformResponse = [wrapped];
      return Promise.resolve(answerWith(config));
    });
    expect(response.data).toEqual({ data: '{"id":7}', status: 200, isShown: true });
    expect(Object.keys(config)).not.toContain('response');
    expect(Object.keys(response.headers)).toEqual(['content-type']);
  });

  it('B17: is an error of axios if the data is broken JSON', async () => {
    const config = configWith({ responseType: 'json', transitional: { silentJSONParsing: false } });
    const sent = dispatchedWith(config, () => Promise.resolve(answerWith(config, { data: '{"id":' })));
    expect(await errorOf(sent)).toMatchObject({ isAxiosError: true, code: 'ERR_BAD_RESPONSE' });
  });

  it('B17: is a failed status with parsed data', async () => {
    const config = configWith();
    const response = answerWith(config, { status: 500, headers: {} });
    const error = new AxiosError('failed', 'ERR_BAD_RESPONSE', config, {}, response);
    expect(await errorOf(dispatchedWith(config, () => Promise.reject(error)))).toBe(error);
    expect(response.data).toEqual({ id: 7 });
    expect(response.headers).toBeInstanceOf(AxiosHeaders);
  });

  it.each<[string, (config: Config) => Promise<AxiosResponse>]>([
    ['an answer', (config) => Promise.resolve(answerWith(config))],
    ['an error', () => Promise.reject(new AxiosError('failed'))],
  ])('B5: is a cancellation if the caller has cancelled before %s is delivered', async (_, send) => {
    const cancellation = new Cancellation();
    const config = configWith({ cancelToken: cancellation });
    const reason = new CanceledError('by the caller');
    const sent = dispatchedWith(config, () => {
      cancellation.cancel(reason);
      return send(config);
    });
    expect(await errorOf(sent)).toBe(reason);

    const aborted = configWith({ signal: AbortSignal.abort() });
    expect(await errorOf(dispatchedWith(aborted, () => send(aborted)))).toBeInstanceOf(CanceledError);
  });
});

describe('the time that a direct call took', () => {
  it.each([
    [100, 150.6, 51],
    // The clock of the process was set back.
    [100, 99, 0],
  ])('B17: is in its answer, and in that of an error, from %d to %d', async (from, to, duration) => {
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(from).mockReturnValueOnce(to);
    const config = configWith();
    expect(await dispatchedWith(config, () => Promise.resolve(answerWith(config)))).toMatchObject({
      duration,
    });
    now.mockReturnValueOnce(from).mockReturnValueOnce(to);
    const error = new AxiosError('failed', 'ERR_BAD_RESPONSE', config, {}, answerWith(config));
    await errorOf(dispatchedWith(config, () => Promise.reject(error)));
    expect(error.response).toMatchObject({ duration });
  });
});

describe('the error of a direct call', () => {
  it('B5: is the cancellation with which the request has ended, whatever the caller cancels later', async () => {
    const cancellation = new Cancellation();
    const [first, second] = [new CanceledError('first'), new CanceledError('second')];
    const sent = dispatchedWith(configWith({ cancelToken: cancellation }), () => {
      cancellation.cancel(second);
      return Promise.reject(first);
    });
    expect(await errorOf(sent)).toBe(first);
  });

  it('B17: is the same error, and its stack names the caller', async () => {
    const error = new AxiosError('failed');
    error.stack = 'AxiosError: failed';
    async function callOfTheApplication(): Promise<never> {
      return await failing(error);
    }
    expect(await errorOf(callOfTheApplication())).toBe(error);
    expect(error.stack).toContain(callOfTheApplication.name);
  });

  it('B17: does not depend on another call that fails at the same time', async () => {
    const errors = [new Error('one'), new Error('two')];
    expect(await Promise.all(errors.map((error) => errorOf(failing(error))))).toEqual(errors);
  });
});
