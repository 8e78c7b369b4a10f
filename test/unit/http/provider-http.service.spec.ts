import { HttpService } from '@nestjs/axios';
import { create, type AxiosRequestConfig, type InternalAxiosRequestConfig } from 'axios';
import { firstValueFrom, lastValueFrom, NEVER, takeUntil, timer, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { EasyHttpService, PROVIDER_HTTP_SERVICES } from '../../../lib/http/provider-http-services.js';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { settled } from '../../support/token/fake-clock.js';

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
  it('C2: give the same as those of Nest, and complete', async () => {
    const { ours, nests } = services(() => Promise.resolve('x'));
    const [one, other] = await Promise.all(
      [ours, nests].map((service) => lastValueFrom(service.get('/a').pipe(toArray()))),
    );
    expect(one?.map(({ data, status }) => [data, status])).toEqual(
      other?.map(({ data, status }) => [data, status]),
    );
  });

  it('C2: fail with the error of the request', async () => {
    const failure = new Error('no');
    const { ours } = services(() => Promise.reject(failure));
    await expect(firstValueFrom(ours.get('/a'))).rejects.toBe(failure);
  });

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

  it('C2: pass on the body and the config of a request that has both', async () => {
    const { ours, seen } = services(() => Promise.resolve('x'));
    await firstValueFrom(ours.post('/a', 'body', { headers: { 'x-mine': 'kept' } }));
    expect(seen[0]).toMatchObject({ url: '/a', data: 'body' });
    expect(seen[0]?.headers.get('x-mine')).toBe('kept');
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
    const token = new Cancellation();
    ours.get('/a', { cancelToken: token }).subscribe().unsubscribe();
    await settled();
    expect(seen[0]?.cancelToken).toBe(token);
    expect(token.reason).toBeUndefined();
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
