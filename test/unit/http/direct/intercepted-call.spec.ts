import axios, { type AxiosAdapter, type AxiosResponse, create, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import {
  interceptedCall,
  InterceptorChain,
  type RequestHandler,
} from '../../../../lib/http/direct/interceptor-chain.js';
import { KnownDefaults } from '../../../../lib/http/direct/known-defaults.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

type Config = InternalAxiosRequestConfig;
type Fulfilled = (value: never) => unknown;

/** In place of the interceptor of the module. */
function own(config: Config): Config {
  return Object.assign(config, { passed: 'our interceptor' });
}

function handler(fulfilled: Fulfilled, members: Partial<RequestHandler> = {}): RequestHandler {
  return { fulfilled, rejected: undefined, synchronous: true, runWhen: null, ...members };
}

function adding(text: string): Fulfilled {
  return (config: Config) => {
    config.headers.set('X-Seen', `${config.headers['X-Seen'] ?? ''}${text}`);
    return config;
  };
}

const FAILURE = new Error('the interceptor failed');

function failing(): never {
  throw FAILURE;
}

/** Calls whose requests are recorded, with the way that each request took. */
function createCalls(members: object = {}) {
  const sent: { way: string; config: Config }[] = [];
  const by =
    (way: string): AxiosAdapter =>
    (config) => {
      sent.push({ way, config });
      return Promise.resolve({ data: '{"id":7}', status: 200, statusText: '', headers: {}, config });
    };
  const adapter = by('axios');
  const instance = create({ baseURL: BASE_URL, adapter });
  const settings = {
    adapter,
    interceptors: new InterceptorChain(instance, own, expect.unreachable),
    send: by('direct'),
    checkAndSend: by('checked'),
  };
  const config = new KnownDefaults(instance.defaults).configOf('get', {
    url: '/x',
    method: 'get',
    maxRedirects: 0,
    ...members,
  });
  const send = (request: RequestHandler[], response: RequestHandler[] = []): Promise<AxiosResponse> =>
    interceptedCall(settings, config, request, response);
  return { send, sent, config, instance, settings, ways: () => sent.map(({ way }) => way) };
}

describe('the interceptors around a direct call', () => {
  it.each([
    ['synchronous', true],
    ['asynchronous', false],
  ])('B17: run from the last one to the first one, if they are %s', async (_, synchronous) => {
    const { send, sent, ways } = createCalls();
    const response = await send([
      handler(adding('1'), { synchronous }),
      handler(adding('2'), { synchronous }),
    ]);
    expect(sent[0]?.config.headers['X-Seen']).toBe('21');
    expect(ways()).toEqual(['direct']);
    expect(response.data).toEqual({ id: 7 });
  });

  it('B17: run from the first one to the last one, if the call says so', async () => {
    const { send, sent } = createCalls({ transitional: { legacyInterceptorReqResOrdering: false } });
    await send([handler(adding('1')), handler(adding('2'))]);
    expect(sent[0]?.config.headers['X-Seen']).toBe('12');
  });

  it('B17: run from the last one to the first one, if the call has lost its transitional options', async () => {
    const { send, sent, config } = createCalls();
    delete config.transitional;
    await send([handler(adding('1')), handler(adding('2'))]);
    expect(sent[0]?.config.headers['X-Seen']).toBe('21');
  });

  it.each([
    ['all of them wait', [false, false]],
    ['only the first waits', [false, true]],
    ['only the second waits', [true, false]],
  ])('B17: leave a direct call direct if %s', async (_, are) => {
    const { send, sent, ways } = createCalls();
    const waiting = adding('2');
    await send([
      handler(adding('1'), { synchronous: are[0]! }),
      handler(async (config: never) => waiting(config), { synchronous: are[1]! }),
    ]);
    expect(sent[0]?.config.headers['X-Seen']).toBe('21');
    expect(ways()).toEqual(['direct']);
  });

  it('B17: an entry without a function for requests is left out, and the call stays direct', async () => {
    const { send, sent, ways } = createCalls();
    await send([handler(adding('1')), handler(null as never), handler(adding('2'))]);
    expect(sent[0]?.config.headers['X-Seen']).toBe('21');
    expect(ways()).toEqual(['direct']);
  });

  it('B17: leave the names of headers as the caller wrote them', async () => {
    const { send, sent } = createCalls();
    await send([handler((config: Config) => (config.headers.set('x-OWN', '1'), config))]);
    expect(Object.keys(sent[0]?.config.headers ?? {})).toContain('x-OWN');
  });

  it('B17: are left out if their condition is false', async () => {
    const { send, sent } = createCalls();
    await send([
      handler(adding('1'), { runWhen: () => false }),
      handler(adding('2'), { runWhen: () => undefined }),
    ]);
    expect(sent[0]?.config.headers['X-Seen']).toBe('2');
  });

  it('B17: for responses run from the first one to the last one, and later ones get what the first one returned', async () => {
    const { send } = createCalls();
    const result: unknown = await send(
      [],
      [handler(({ data }: AxiosResponse) => data), handler((data: object) => ({ ...data, seen: true }))],
    );
    expect(result).toEqual({ id: 7, seen: true });
  });

  it('B17: for errors may answer in place of the API', async () => {
    const { send, sent } = createCalls();
    const recovering = handler((value: unknown) => value, {
      rejected: ({ message }: Error) => message,
    });
    expect(await send([], [handler(failing), recovering])).toBe('the interceptor failed');
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['synchronous', true],
    ['asynchronous', false],
  ])('S7: send nothing if one of them throws and is %s', async (_, synchronous) => {
    const { send, sent } = createCalls();
    expect(await errorOf(send([handler(failing, { synchronous })]))).toBe(FAILURE);
    expect(sent).toEqual([]);
  });

  it('S7: send nothing if the condition of one of them throws', async () => {
    const { send, sent } = createCalls();
    expect(await errorOf(send([handler(adding('1'), { runWhen: failing })]))).toBe(FAILURE);
    expect(sent).toEqual([]);
  });

  it('S7: send nothing if they leave a body that cannot be written, which is tried once', async () => {
    const { send, sent } = createCalls();
    const toJSON = vi.fn<() => never>(failing);
    const seen: unknown[] = [];
    const seeing = handler((value: unknown) => value, { rejected: (error: Error) => seen.push(error) });
    await send(
      [handler((config: Config) => Object.assign(config, { method: 'post', data: { toJSON } }))],
      [seeing],
    );
    expect(seen).toEqual([FAILURE]);
    expect(sent).toEqual([]);
    expect(toJSON).toHaveBeenCalledOnce();
  });

  it('B17: for responses get the error of a request', async () => {
    const { send, settings } = createCalls();
    settings.send = () => Promise.reject(FAILURE);
    expect(await errorOf(send([], [handler((value: unknown) => value)]))).toBe(FAILURE);
  });

  it.each<[string, object, boolean]>([
    ['that is no longer direct', { auth: { username: 'me', password: 'mine' } }, true],
    ['that is no longer direct after a wait', { auth: { username: 'me', password: 'mine' } }, false],
    [
      'that cannot be read',
      { params: Object.defineProperty({}, 'a', { get: failing, enumerable: true }) },
      true,
    ],
  ])('S7: hand a config to axios %s, and our interceptor runs', async (_, members, synchronous) => {
    const { send, sent, ways } = createCalls();
    await send([handler((config: Config) => Object.assign(config, members), { synchronous })]);
    expect(ways()).toEqual(['axios']);
    expect(sent[0]?.config).toMatchObject({ passed: 'our interceptor' });
  });

  it('S7: let our interceptor run last if one of them throws and handles its own error, on the instance', async () => {
    const { send, sent, instance } = createCalls();
    const rejected = vi.fn<(error: Error) => void>();
    await send([handler(failing, { rejected })]);
    expect(rejected).toHaveBeenCalledExactlyOnceWith(FAILURE);
    expect(rejected.mock.contexts).toEqual([instance]);
    expect(sent[0]?.config).toMatchObject({ passed: 'our interceptor' });
  });

  it('S7: have an object body checked after it was written, because its toJSON can change the config', async () => {
    const { send, sent, ways } = createCalls();
    await send([handler((config: Config) => Object.assign(config, { method: 'post', data: { a: 1 } }))]);
    expect(ways()).toEqual(['checked']);
    expect(sent[0]?.config.data).toBe('{"a":1}');
    expect(sent[0]?.config.transformRequest).toEqual(axios.defaults.transformRequest);
  });

  it('B17: may change their own list while they run', async () => {
    const { config, instance, settings } = createCalls();
    const { request, response } = instance.interceptors;
    const registering = (given: Config): Config => {
      response.use(() => 'too late' as never);
      return given;
    };
    request.use(registering, undefined, { synchronous: true });
    const [forRequest = [], forResponse = []] = [
      settings.interceptors.request(),
      settings.interceptors.response(),
    ];
    expect(await interceptedCall(settings, config, forRequest, forResponse)).toMatchObject({
      data: { id: 7 },
    });
    expect(settings.interceptors.response()).toHaveLength(1);
  });
});
