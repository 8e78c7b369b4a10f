import { HttpService } from '@nestjs/axios';
import {
  type AxiosInstance,
  type AxiosRequestConfig,
  AxiosHeaders,
  create,
  type InternalAxiosRequestConfig,
} from 'axios';
import { catchError, firstValueFrom, NEVER, takeUntil, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { createLazyService, ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { EasyHttpService, PROVIDER_HTTP_SERVICES } from '../../../lib/http/provider-http-services.js';
import type { TokenIdentity } from '../../../lib/token/token-identity.js';
import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** Both services with one adapter, and the configs that the adapter got. */
function services(answer: (config: InternalAxiosRequestConfig) => Promise<unknown>) {
  const seen: InternalAxiosRequestConfig[] = [];
  const axios = create({
    adapter: async (config) => {
      seen.push(config);
      return { data: await answer(config), status: 200, statusText: 'OK', headers: {}, config };
    },
  });
  return { seen, ours: new EasyHttpService(axios), nests: new HttpService(axios) };
}

const isCancelled = (config: InternalAxiosRequestConfig | undefined): boolean =>
  (config?.cancelToken as { reason?: unknown } | undefined)?.reason !== undefined;

describe('the observables of an HTTP service', () => {
  it('B14: cancel no request that has completed', async () => {
    const { ours, nests, seen } = services(() => Promise.resolve('x'));
    await firstValueFrom(ours.get('/a'));
    await firstValueFrom(nests.get('/a'));
    expect(seen.map(isCancelled)).toEqual([false, true]);
  });

  it('B14: cancel no request that has failed', async () => {
    const { ours, seen } = services(() => Promise.reject(new Error('no')));
    await expect(firstValueFrom(ours.get('/a'))).rejects.toThrow('no');
    expect(seen.map(isCancelled)).toEqual([false]);
  });

  it.each<[string, AxiosRequestConfig]>([
    ['', {}],
    [' of a stream', { responseType: 'stream' }],
  ])('B5: end the request%s when the last subscriber leaves', async (_, config) => {
    const { ours, seen } = services(() => new Promise(() => {}));
    const subscription = ours.get('/a', config).subscribe();
    await settled();
    subscription.unsubscribe();
    expect(seen.map(isCancelled)).toEqual([true]);
    await firstValueFrom(ours.get('/b').pipe(takeUntil(timer(1))), { defaultValue: undefined });
    expect(seen.map(isCancelled)).toEqual([true, true]);
  });

  it("C2: keep the caller's cancel token", async () => {
    const { ours, seen } = services(() => firstValueFrom(NEVER));
    const { token } = (await import('axios')).default.CancelToken.source();
    ours.get('/a', { cancelToken: token }).subscribe().unsubscribe();
    await settled();
    expect(seen[0]?.cancelToken).toBe(token);
    expect(token.reason).toBeUndefined();
  });

  it('B5: end a request that an adapter or an interceptor makes with the config of a call', async () => {
    const { ours, seen } = services((config) =>
      seen.length === 1 ? firstValueFrom(ours.request(config)) : new Promise(() => {}),
    );
    const subscription = ours.get('/a').subscribe();
    await expect.poll(() => seen).toHaveLength(2);
    subscription.unsubscribe();
    expect(seen.map(isCancelled)).toEqual([true, true]);
  });

  it('B5: end a request that is sent again with the config of a failed one', async () => {
    const { ours, seen } = services(() =>
      seen.length === 1 ? Promise.reject(new Error()) : new Promise(() => {}),
    );
    const again = catchError(() => ours.request(seen[0] as AxiosRequestConfig));
    const subscription = ours.get('/a').pipe(again).subscribe();
    await expect.poll(() => seen).toHaveLength(2);
    subscription.unsubscribe();
    expect(seen.map(isCancelled)).toEqual([false, true]);
  });

  it("C2: write nothing into the caller's config", async () => {
    const { ours } = services(() => Promise.resolve('x'));
    const config = Object.freeze({ params: { a: 1 } });
    await firstValueFrom(ours.get('/a', config));
    expect(config).toEqual({ params: { a: 1 } });
  });
});

it('C2: there is a separate class for each interface', () => {
  const classes = PROVIDER_INTERFACES.map((name) => PROVIDER_HTTP_SERVICES[name]);
  expect(new Set(classes).size).toBe(PROVIDER_INTERFACES.length);
});

const ONE = { account: 'one' };
const identityIn = (config: unknown): unknown =>
  (Reflect.get(config as object, '_tokenIdentity') as TokenIdentity | undefined)?.members;

type Call = (easy: EasyHttpService, config: AxiosRequestConfig) => Promise<unknown>;
type Method = (...given: unknown[]) => Promise<unknown>;

/** A method of `axiosRef` that takes these values before the config. */
const byAxios =
  (name: string, ...before: unknown[]): Call =>
  ({ axiosRef }, config) =>
    (Reflect.get(axiosRef, name) as Method)(...before, config);

describe('a client for an account', () => {
  it.each<[string, object, Call]>([
    ['get', { method: 'get' }, (easy, config) => firstValueFrom(easy.get('/x', config))],
    ['post', { method: 'post', data: 'd' }, (easy, config) => firstValueFrom(easy.post('/x', 'd', config))],
    ['request', { method: 'get' }, (easy, config) => firstValueFrom(easy.request({ url: '/x', ...config }))],
    ...['get', 'delete', 'head', 'options'].map((name): [string, object, Call] => [
      `axiosRef.${name}`,
      { method: name },
      byAxios(name, '/x'),
    ]),
    ...['post', 'put', 'patch'].flatMap((name): [string, object, Call][] => [
      [`axiosRef.${name}`, { method: name, data: 'd' }, byAxios(name, '/x', 'd')],
      [`axiosRef.${name}Form`, { method: name }, byAxios(`${name}Form`, '/x', { a: 1 })],
    ]),
    [
      'axiosRef.request',
      { method: 'get' },
      ({ axiosRef }, config) => axiosRef.request({ url: '/x', ...config }),
    ],
    ['axiosRef(url)', { method: 'get' }, ({ axiosRef }, config) => axiosRef('/x', config)],
    [
      'axiosRef(config)',
      { method: 'put' },
      ({ axiosRef }, config) => axiosRef({ url: '/x', method: 'put', ...config }),
    ],
  ])('B33: names its token by %s, and keeps the config of the caller', async (_, sent, call) => {
    const { ours, seen } = services(() => Promise.resolve('x'));
    const config = Object.freeze({ headers: { 'x-mine': 'kept' } });
    await call(ours.for(ONE), config);
    await call(ours, { ...config });
    expect(seen.map(identityIn)).toEqual([ONE, undefined]);
    for (const one of seen) {
      expect(one).toMatchObject({ url: '/x', ...sent });
      expect(AxiosHeaders.from(one.headers).get('x-mine')).toBe('kept');
    }
    expect(config).toEqual({ headers: { 'x-mine': 'kept' } });
  });

  it.each<[string, (axios: AxiosInstance) => Promise<unknown>]>([
    ['get', (axios) => axios.get('/x')],
    ['post without a body', (axios) => axios.post('/x')],
    ['a call', (axios) => axios('/x')],
  ])('B33: names its token by %s without a config', async (_, call) => {
    const { ours, seen } = services(() => Promise.resolve('x'));
    await call(ours.for(ONE).axiosRef);
    expect(seen.map(identityIn)).toEqual([ONE]);
  });

  it('B33: adds to the members of the client before, and replaces them', async () => {
    const { ours, seen } = services(() => Promise.resolve('x'));
    const face = ours.for({ account: 'one', scope: 'a' });
    for (const one of [face.for({ account: 'two' }), face.for({}), face.for({ scope: 'b' })])
      await one.axiosRef.get('/x');
    expect(seen.map(identityIn)).toEqual([
      { account: 'two', scope: 'a' },
      { account: 'one', scope: 'a' },
      { account: 'one', scope: 'b' },
    ]);
  });

  it('B33: has no method that the axios of the application does not have', () => {
    const axios = Object.assign(() => undefined, { get: () => undefined, put: 'no method' });
    const face = new EasyHttpService(axios as unknown as AxiosInstance).for(ONE).axiosRef;
    expect(Object.getOwnPropertyNames(face).toSorted()).toEqual(['create', 'get', 'length', 'name']);
    expect(face).toHaveProperty('put', 'no method');
  });

  it('B33: keeps its token in an instance that create() makes', async () => {
    const { ours, seen } = services(() => Promise.resolve('x'));
    await ours.for(ONE).axiosRef.create().create({ timeout: 1 }).get('/x');
    expect(seen.map(identityIn)).toEqual([ONE]);
  });
});

function shapeOf(service: object): object {
  const { enumerable, configurable } = Object.getOwnPropertyDescriptor(service, 'instance') ?? {};
  return { keys: Object.keys(service), enumerable, configurable };
}

describe('a client that is made when it is first used', () => {
  const fetch = Object.assign(() => Promise.reject(new Error('unused')), { baseUrl: 'https://x/v1' });

  it('B31: makes its axios instance once, when code asks for it', () => {
    const instance = create();
    const make = vi.fn<() => AxiosInstance>(() => instance);
    const service = createLazyService(EasyHttpService, make, fetch);
    expect(service).toBeInstanceOf(EasyHttpService);
    expect([service.baseUrl, service.fetch]).toEqual(['https://x/v1', fetch]);
    const face = service.for(ONE);
    expect(make).not.toHaveBeenCalled();
    expect([service.axiosRef, service.axiosRef]).toEqual([instance, instance]);
    expect(face.axiosRef.defaults).toBe(instance.defaults);
    expect(make).toHaveBeenCalledOnce();
  });

  it('B31 C2: has the members of the service of Nest, before and after its first use', () => {
    const usual = shapeOf(new EasyHttpService(create(), fetch));
    const service = createLazyService(EasyHttpService, () => create(), fetch);
    expect(shapeOf(service)).toEqual(usual);
    expect(service.axiosRef).toBeTypeOf('function');
    expect(shapeOf(service)).toEqual(usual);
    const other = create();
    Object.assign(service, { instance: other });
    expect(service.axiosRef).toBe(other);
  });
});

it('B21: a client that was created without the module has no base URL, and its fetch rejects', async () => {
  const service = new ProviderHttpService(create());
  expect(service.baseUrl).toBe('');
  expect(await errorOf(service.fetch('/x'))).toEqual(
    new TypeError('This client was created without the module, so it has no fetch.'),
  );
});
