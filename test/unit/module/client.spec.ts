import { Logger } from '@nestjs/common';
import axios, { type AxiosAdapter, AxiosError, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Settings } from '../../../lib/config/options/profile.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { type ClientDoubles, connect, unconfigured } from '../../../lib/module/client.js';
import { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { systemClock } from '../../../lib/time/clock.js';
import {
  depotBaseUrl,
  depotOptions,
  depotPair,
  depotParts,
  StockHttp,
} from '../../support/application/depot.js';
import { errorOf, tokenOf } from '../../support/token/token-fixtures.js';

const settingsOf = (further: object = {}): Promise<Settings> =>
  validateOptions(depotParts().catalogue, depotOptions(further), {});

/** Answers each request with the token that it was sent with. */
const answer: AxiosAdapter = (config) =>
  Promise.resolve({
    data: String(config.headers.get('Authorization')),
    status: 200,
    statusText: 'OK',
    headers: new AxiosHeaders(),
    config,
  });

const unreachable = (config: InternalAxiosRequestConfig) =>
  Promise.reject(new AxiosError('getaddrinfo ENOTFOUND stock.test.example', 'ENOTFOUND', config));

const DOUBLES: ClientDoubles = {
  endpointOf: () => ({ request: () => Promise.resolve(tokenOf(systemClock, 'token-1')) }),
  fetchAdapter: () => answer,
};

async function connected(further: object = {}, given?: ClientDoubles, services = depotParts().httpServices) {
  const settings = await settingsOf(further);
  const [profile] = settings.profiles;
  if (profile === undefined) throw new TypeError('There is no profile.');
  const client = connect(profile, settings, systemClock, given, services);
  onTestFinished(async () => {
    client.endBackgroundWork();
    await client.close();
  });
  return { client, profile };
}

/** Answers the calls of an HTTP client in memory. */
function answered({ http }: { http: ProviderHttpService }): ProviderHttpService {
  http.axiosRef.defaults.adapter = answer;
  return http;
}

describe('the client of a pair', () => {
  it('C1: has the place of the pair, its base URL, and the class for its interface', async () => {
    const { client } = await connected();
    expect(client).toMatchObject({
      interface: 'stock',
      environment: 'test',
      active: true,
      configured: true,
    });
    expect(client.http).toBeInstanceOf(StockHttp);
    expect([client.http.baseUrl, client.http.fetch.baseUrl]).toEqual([
      depotBaseUrl('stock', 'test'),
      depotBaseUrl('stock', 'test'),
    ]);
    const { client: plain } = await connected({}, undefined, {});
    expect(plain.http).not.toBeInstanceOf(StockHttp);
    expect(plain.http).toBeInstanceOf(ProviderHttpService);
    const settings = await settingsOf();
    expect(connect(settings.profiles[0]!, settings, systemClock).http).toBeInstanceOf(ProviderHttpService);
  });

  it('B21: sends the token by axios and by fetch, which are one client', async () => {
    const { client } = await connected({}, DOUBLES);
    const http = answered(client);
    expect((await http.axiosRef.get('/x')).data).toBe('Bearer token-1');
    expect(await (await http.fetch('/x')).text()).toBe('Bearer token-1');
    expect(http.axiosRef).toBe(http.axiosRef);
  });

  it('B29: shows the token, and why no request to the API succeeds', async () => {
    const transport = {
      open: () => ({ adapter: unreachable, close: () => Promise.resolve(), actsAsHttp: true }),
    };
    const { client } = await connected({ http: { transport } }, DOUBLES);
    expect(client.isInUse()).toBe(true);
    expect(client.status()).toEqual({
      interface: 'stock',
      environment: 'test',
      active: true,
      state: 'empty',
    });
    Logger.overrideLogger(false);
    await errorOf(client.http.axiosRef.get('/x'));
    expect(client.status()).toMatchObject({ state: 'valid', apiError: { code: 'API_UNREACHABLE' } });
  });

  it('B29: shows when the client certificate expires', async () => {
    const settings = await settingsOf();
    const endsAt = new Date('2027-01-01');
    const look = vi.fn<(afterMs: number) => void>();
    const profile = { ...settings.profiles[1]!, tls: { endsAt, look } as never };
    const client = connect(profile, settings, systemClock, DOUBLES);
    expect(client.status().certificateEndsAt).toBe(endsAt);
    expect(look).not.toHaveBeenCalled();
    expect(client.isInUse()).toBe(false);
    await client.tokens.getToken();
    expect(client.isInUse()).toBe(true);
    client.status();
    // Without calls, the certificate may have been replaced long ago.
    expect(look.mock.calls).toEqual([[3_600_000]]);
  });

  it('B14: opens the connection of a transport at boot, with the place of the pair, and closes it at the end', async () => {
    const close = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const open = vi.fn<(pair: unknown) => object>(() => ({
      adapter: () => Promise.reject(new Error()),
      close,
    }));
    const { client } = await connected({ http: { transport: { open } } });
    const place = { interface: 'stock', environment: 'test', baseUrl: depotBaseUrl('stock', 'test') };
    expect(open.mock.calls).toEqual([[place]]);
    expect(client.http.axiosRef).toBe(client.http.axiosRef);
    await client.close();
    expect(close).toHaveBeenCalledOnce();
    expect(open).toHaveBeenCalledOnce();
  });

  it('B9: has nothing to close before its first call', async () => {
    const { client } = await connected();
    await expect(client.close()).resolves.toBeUndefined();
  });

  it('B17: keeps the defaults that axios had when it was made', async () => {
    const { common } = axios.defaults.headers;
    onTestFinished(() => {
      delete common['x-late'];
    });
    const { client: before } = await connected({}, DOUBLES);
    common['x-late'] = 'one';
    const { client: after } = await connected({}, DOUBLES);
    const lateOf = ({ http }: typeof before): unknown => http.axiosRef.defaults.headers.common['x-late'];
    expect([lateOf(before), lateOf(after)]).toEqual([undefined, 'one']);
  });

  it('B9: can be called after its background work has ended', async () => {
    const { client } = await connected({}, DOUBLES);
    client.endBackgroundWork();
    expect((await answered(client).axiosRef.get('/x')).data).toBe('Bearer token-1');
    await client.close();
  });
});

describe('the client of a pair without settings', () => {
  const PAIR = { interface: 'bankOrders', environment: 'live', provider: 'depot' };

  it('C4: can be injected, and each use of it names the missing settings', async () => {
    const settings = await settingsOf();
    const client = unconfigured(PAIR, settings, { bankOrders: StockHttp });
    expect(client).toMatchObject({ ...PAIR, active: false, configured: false });
    expect(client.http).toBeInstanceOf(StockHttp);
    expect(client.http.baseUrl).toBe('');
    expect(unconfigured(PAIR, settings).http).toBeInstanceOf(ProviderHttpService);
    const uses = [
      client.tokens.getToken(),
      client.http.axiosRef.get('https://any.example/x'),
      // S7: an adapter of the caller would send the request without a token.
      client.http.axiosRef.get('https://any.example/x', { adapter: () => Promise.reject(new Error('sent')) }),
      client.http.fetch('/x'),
    ];
    for (const use of uses)
      expect(await errorOf(use)).toMatchObject({
        name: 'ProviderAuthConfigError',
        code: 'NOT_CONFIGURED',
        message: expect.stringContaining('depot'),
        problems: expect.arrayContaining([
          expect.objectContaining({ path: 'interfaces.bankOrders.live.clientSecret' }),
        ]),
      });
    expect(client.http.axiosRef).toBe(client.http.axiosRef);
  });

  it('C4: does not miss a token URL that another environment has', async () => {
    const settings = await settingsOf({
      interfaces: {
        stock: { test: depotPair('stock', 'test') },
        bankOrders: { test: depotPair('bankOrders', 'test') },
      },
    });
    const error = (await errorOf(unconfigured(PAIR, settings).tokens.getToken())) as { problems: object[] };
    const none = (await errorOf(unconfigured(PAIR, await settingsOf()).tokens.getToken())) as typeof error;
    expect(error.problems.length).toBeLessThanOrEqual(none.problems.length);
  });

  it('B29: is not in use, has an empty status, and nothing to end', async () => {
    const client = unconfigured(PAIR, await settingsOf());
    expect(client.isInUse()).toBe(false);
    expect(client.status()).toEqual({
      interface: 'bankOrders',
      environment: 'live',
      active: false,
      state: 'empty',
    });
    expect(client.endBackgroundWork()).toBeUndefined();
    await expect(client.close()).resolves.toBeUndefined();
  });
});
