import {
  Axios,
  type AxiosInstance,
  type AxiosRequestConfig,
  create,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { DirectPath, withDirectPath } from '../../../../lib/http/direct/direct-path.js';
import { InterceptorChain } from '../../../../lib/http/direct/interceptor-chain.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

interface Given {
  readonly isOffered?: boolean;
  /** Whether other code has removed the interceptor of the module. */
  readonly isRemoved?: boolean;
}

function refuse(): never {
  throw new Error('ours was removed');
}

/** An instance whose requests are recorded, with the path that each request took. */
function createInstance({ isOffered = true, isRemoved = false }: Given = {}) {
  const sent: { path: string; config: InternalAxiosRequestConfig }[] = [];
  const by = (path: string) => (config: InternalAxiosRequestConfig) => {
    sent.push({ path, config });
    return Promise.resolve({ data: '', status: 200, statusText: '', headers: {}, config });
  };
  const adapter = by('general');
  const general = create({ baseURL: BASE_URL, adapter, maxRedirects: 0 });
  const interceptors = new InterceptorChain(general, (config) => config, refuse);
  if (isRemoved) general.interceptors.request.clear();
  const path = new DirectPath({
    instance: general,
    baseURL: BASE_URL,
    adapter,
    interceptors,
    send: by('express'),
    checkAndSend: by('express'),
    isOffered,
  });
  return { axios: withDirectPath(general, path), general, sent, paths: () => sent.map((one) => one.path) };
}

const failing = (): Promise<never> => Promise.reject(new Error('The adapter of the application fails.'));

/** An interceptor for requests or for responses. */
function mark<Given extends { headers: object }>(given: Given): Given {
  Reflect.set(given.headers, 'X-Mark', 'marked');
  return given;
}

type Calling = (axios: AxiosInstance) => Promise<unknown>;

describe('a direct call', () => {
  it.each<[string, string, Calling, unknown]>([
    ['axios(config)', 'get', (axios) => axios({ url: '/x' }), undefined],
    ['axios(url)', 'get', (axios) => axios('/x'), undefined],
    ['axios(url, config)', 'put', (axios) => axios('/x', { method: 'put', data: { a: 1 } }), '{"a":1}'],
    ['request', 'get', (axios) => axios.request({ url: '/x' }), undefined],
    ['get', 'get', (axios) => axios.get('/x', { params: { a: 1 } }), undefined],
    ['delete', 'delete', (axios) => axios.delete('/x'), undefined],
    ['head', 'head', (axios) => axios.head('/x'), undefined],
    ['post', 'post', (axios) => axios.post('/x', { a: 1 }), '{"a":1}'],
    ['patch', 'patch', (axios) => axios.patch('/x', 'text', { headers: { 'X-Own': '1' } }), 'text'],
  ])('B16: passes the general path by, with %s', async (_, method, call, data) => {
    const { axios, paths, sent } = createInstance();
    await call(axios);
    expect(paths()).toEqual(['express']);
    expect(sent[0]?.config).toMatchObject({ method, url: '/x', baseURL: BASE_URL });
    expect(sent[0]?.config.data).toBe(data);
  });

  it.each<[string, (axios: AxiosInstance) => unknown, string]>([
    ['requests', ({ interceptors: { request } }) => request.use(mark), 'marked'],
    ['responses', ({ interceptors: { response } }) => response.use(mark), 'undefined'],
  ])('B16: runs the interceptors for %s too', async (_, register, seen) => {
    const { axios, paths, sent } = createInstance();
    register(axios);
    expect((await axios.get('/x')).headers['X-Mark'] ?? sent[0]?.config.headers['X-Mark']).toBe('marked');
    expect(String(sent[0]?.config.headers['X-Mark'])).toBe(seen);
    expect(paths()).toEqual(['express']);
  });

  it('B17: writes the URL into the config of the caller, as axios does', async () => {
    const { axios } = createInstance();
    const config: AxiosRequestConfig = {};
    await axios('/x', config);
    expect(config).toEqual({ url: '/x' });
  });

  it('B17: changes nothing else that the caller gave', async () => {
    const { axios } = createInstance();
    const config = Object.freeze({
      headers: Object.freeze({ 'X-Own': '1' }),
      params: Object.freeze({ a: 1 }),
    });
    await axios.get('/x', config);
    expect(config).toEqual({ headers: { 'X-Own': '1' }, params: { a: 1 } });
  });

  it('B17: sees defaults that were changed in place after an earlier call', async () => {
    const { axios, sent } = createInstance();
    await axios.get('/x');
    axios.defaults.headers.common['X-Late'] = '1';
    await axios.get('/x');
    expect(sent.map(({ config }) => config.headers['X-Late'])).toEqual([undefined, '1']);
  });

  it('B17: rejects, and sends nothing, if its body cannot be written', async () => {
    const { axios, sent } = createInstance();
    expect(await errorOf(axios.post('/x', { amount: 1n }))).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });
});

describe('a config that cannot be read or written', () => {
  const locked = Object.freeze({});
  const throwing = Object.defineProperty({}, 'params', {
    enumerable: true,
    get(): never {
      throw new RangeError('a getter of the application');
    },
  });

  it.each<[string, Calling]>([
    ['axios(url, locked)', (axios) => axios('/x', locked)],
    ['request(url, locked)', (axios) => (axios.request as AxiosInstance)('/x', locked)],
    ['axios(throwing)', (axios) => axios(throwing)],
    ['request(throwing)', (axios) => axios.request(throwing)],
    ['get(url, throwing)', (axios) => axios.get('/x', throwing)],
    ['post(url, data, throwing)', (axios) => axios.post('/x', {}, throwing)],
  ])('B17: rejects and does not throw: %s', async (_, call) => {
    const { axios, general, sent } = createInstance();
    const rejected = call(axios);
    expect(String(await errorOf(rejected))).toBe(String(await errorOf(call(general))));
    expect(sent).toEqual([]);
  });
});

/** axios visits the list of a manager, and the name of the list is its own matter. */
function noHandlersIn(manager: object): void {
  Object.assign(manager, { handlers: undefined, forEach: () => undefined });
}

describe('a call that takes the general path', () => {
  it.each<[string, Calling]>([
    [
      'has an option that needs axios',
      (axios) => axios.get('/x', { auth: { username: 'me', password: 'mine' } }),
    ],
    ['has its own adapter', (axios) => axios.get('/x', { adapter: failing })],
    ['follows redirects', (axios) => axios.get('/x', { maxRedirects: 5 })],
    ['has its own Authorization', (axios) => axios.get('/x', { headers: { authorization: 'Basic b3du' } })],
    ['has a member that it does not know', (axios) => axios.get('/x', { tenant: 'a' } as AxiosRequestConfig)],
    [
      'has a hidden member',
      (axios) =>
        axios.get('/x', Object.defineProperty({}, 'httpsAgent', { value: {} }) as AxiosRequestConfig),
    ],
  ])('B17: %s', async (_, call) => {
    const { axios, paths } = createInstance();
    await call(axios).catch(() => undefined);
    expect(paths()).not.toContain('express');
  });

  it.each<[string, (axios: AxiosInstance) => unknown]>([
    ['another base URL', ({ defaults }) => (defaults.baseURL = 'https://elsewhere.example/')],
    ['another adapter', ({ defaults }) => (defaults.adapter = failing)],
    ['another transform', ({ defaults }) => (defaults.transformResponse = [])],
    ['redirects', ({ defaults }) => (defaults.maxRedirects = 5)],
  ])('B17: has defaults with %s', async (_, change) => {
    const { axios, paths } = createInstance();
    change(axios);
    await axios.get('/x').catch(() => undefined);
    expect(paths()).not.toContain('express');
  });

  it('S7: is not made after other code has removed the interceptor of the module', async () => {
    const { axios, paths } = createInstance({ isRemoved: true });
    await expect(axios.get('/x')).rejects.toThrow('ours was removed');
    expect(paths()).toEqual([]);
  });

  it.each<[string, (axios: AxiosInstance) => unknown]>([
    ['the interceptors for requests', ({ interceptors: { request } }) => noHandlersIn(request)],
    ['the interceptors for responses', ({ interceptors: { response } }) => noHandlersIn(response)],
    [
      'how they are visited',
      ({ interceptors: { request } }) => Object.assign(request, { forEach: () => {} }),
    ],
  ])('B17: is made after other code has replaced %s', async (_, replace) => {
    const { axios, paths } = createInstance();
    replace(axios);
    await axios.get('/x');
    expect(paths()).toEqual(['general']);
  });

  it('B17: is made after instrumentation has replaced the method of axios that sends', async () => {
    const { axios, paths } = createInstance();
    const send = vi.spyOn(Axios.prototype, 'request');
    await axios.get('/x');
    send.mockRestore();
    await axios.get('/x');
    expect(paths()).toEqual(['general', 'express']);
  });

  it('B17: is every call of a client that does not offer the direct path', async () => {
    const { axios, paths } = createInstance({ isOffered: false });
    await axios.get('/x');
    expect(paths()).toEqual(['general']);
  });
});

describe('an instance with a direct path', () => {
  it('C2: has the members of the general instance', () => {
    const { axios, general } = createInstance();
    expect(Object.keys(axios).toSorted()).toEqual(Object.keys(general).toSorted());
    expect(axios.defaults).toBe(general.defaults);
    expect(axios.interceptors).toBe(general.interceptors);
  });
});
