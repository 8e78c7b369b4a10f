import { Axios, type AxiosAdapter, AxiosHeaders, create, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { InterceptorChain } from '../../../../lib/http/direct/interceptor-chain.js';

type Config = InternalAxiosRequestConfig;

function createClient() {
  const order: string[] = [];
  const note = (name: string) => (config: Config) => (order.push(config ? name : 'nothing'), config);
  const instance = create({
    adapter: async (config) => ({ data: '', status: 200, statusText: '', headers: {}, config }),
  });
  const chain = new InterceptorChain(instance, note('ours'), () => {
    throw new Error('ours was removed');
  });
  return { order, instance, note, chain };
}

const SYNC = { synchronous: true };

function otherConfig(): Config {
  return { url: '/y', headers: new AxiosHeaders() };
}

function failing(): never {
  throw new Error('the interceptor failed');
}

const ORDERS: [string, object][] = [
  ['by default', {}],
  ['in the reverse order of their registration', { transitional: { legacyInterceptorReqResOrdering: true } }],
  ['in that order', { transitional: { legacyInterceptorReqResOrdering: false } }],
  ['in that order, because nothing else is said', { transitional: { clarifyTimeoutError: true } }],
];

describe.each(ORDERS)('if interceptors run %s', (_, request) => {
  it('S7: ours runs once, after all others', async () => {
    const { order, instance, note } = createClient();
    instance.interceptors.request.use(note('first'));
    instance.interceptors.request.use(note('second'), undefined, SYNC);
    await instance.get('/x', request);
    expect(order).toHaveLength(3);
    expect(order.at(-1)).toBe('ours');
  });

  it.each([
    ['at once', () => undefined],
    ['later', async () => undefined],
  ])('S7: ours runs, also if another one throws and handles its error %s', async (__, handle) => {
    const { order, instance, note } = createClient();
    instance.interceptors.request.use(note('first'), undefined, SYNC);
    instance.interceptors.request.use(failing, handle, SYNC);
    instance.interceptors.request.use(note('third'), undefined, SYNC);
    await instance.get('/x', request);
    expect(order).toHaveLength(2);
    expect(order.at(-1)).toBe('ours');
  });

  it('S7: ours runs once, also after one that only handles errors', async () => {
    const { order, instance } = createClient();
    instance.interceptors.request.use(null, () => order.push('error'), SYNC);
    await instance.get('/x', request);
    expect(order).toEqual(['ours']);
  });

  it('S7: ours runs once, also after a synchronous one that handles the error of an asynchronous one', async () => {
    const { order, instance } = createClient();
    const { request: requests } = instance.interceptors;
    const handling = (): void => void requests.use(null, () => ({ headers: new AxiosHeaders() }), SYNC);
    handling();
    requests.use(() => Promise.reject(new Error('the interceptor failed')));
    handling();
    await instance.get('/x', request).catch(() => undefined);
    expect(order).toEqual(['ours']);
  });

  it('C2: one with a function for errors gets its config and its error, on the instance', async () => {
    const { order, instance, note } = createClient();
    const seen: unknown[] = [];
    const noteError = function (this: unknown, error: Error): void {
      seen.push(this, error.message);
    };
    instance.interceptors.request.use(note('first'), noteError, SYNC);
    instance.interceptors.request.use(failing, noteError, SYNC);
    await instance.get('/x', request);
    expect(order.at(-1)).toBe('ours');
    expect(order).not.toContain('nothing');
    expect(seen).toEqual([expect.any(Axios), 'the interceptor failed']);
  });

  it('C2: others can be removed by the number that axios gave for them', async () => {
    const { order, instance, note } = createClient();
    const id = instance.interceptors.request.use(note('first'));
    instance.interceptors.request.eject(id);
    await instance.get('/x', request);
    expect(order).toEqual(['ours']);
  });

  it.each([
    ['synchronous', SYNC],
    ['asynchronous', {}],
  ])(
    'S7: nothing is sent when all were cleared, with an %s one that handles every error',
    async (__, kind) => {
      const { instance, note } = createClient();
      instance.interceptors.request.clear();
      instance.interceptors.request.use(note('other'), otherConfig, kind);
      const adapter = vi.fn<AxiosAdapter>(() => Promise.reject(new Error('was sent')));
      await expect(instance.get('/x', { ...request, adapter })).rejects.toThrow('ours was removed');
      expect(adapter).not.toHaveBeenCalled();
    },
  );
});

describe('the lists of interceptors', () => {
  it('C2: leave out those that were removed', () => {
    const { instance, note, chain } = createClient();
    const { request, response } = instance.interceptors;
    const removed = [request.use(note('removed')), response.use((answer) => answer)] as const;
    request.use(note('kept'));
    response.use((answer) => answer);
    // axios keeps the place of one that is not the last.
    request.eject(removed[0]);
    response.eject(removed[1]);
    expect([chain.request()?.length, chain.response()?.length]).toEqual([1, 1]);
  });
});
