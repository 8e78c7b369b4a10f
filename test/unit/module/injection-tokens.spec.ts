import { describe, expect, it } from 'vitest';
import {
  defineProvider,
  getProviderFetchToken,
  getProviderHttpToken,
  getTokenProviderToken,
  InjectProviderFetch,
  InjectProviderHttp,
  InjectTokenProvider,
} from '../../../lib/index.js';

const depot = defineProvider({
  name: 'depot',
  environments: ['test', 'live'],
  interfaces: { stock: {}, bankOrders: {} },
});

/** JavaScript, and texts that are only known at run time. */
type Untyped = (of: unknown, environment?: unknown) => unknown;

const OWN = {
  httpToken: depot.httpToken,
  fetchToken: depot.fetchToken,
  tokenProviderToken: depot.tokenProviderToken,
  InjectHttp: depot.InjectHttp,
  InjectFetch: depot.InjectFetch,
  InjectTokenProvider: depot.InjectTokenProvider,
} as unknown as Readonly<Record<string, Untyped>>;

const BUILT_IN = {
  getProviderHttpToken,
  getProviderFetchToken,
  getTokenProviderToken,
  InjectProviderHttp,
  InjectProviderFetch,
  InjectTokenProvider,
} as unknown as Readonly<Record<string, Untyped>>;

describe('a name that the provider does not have', () => {
  it.each(Object.entries(OWN))(
    'B31: %s of a definition lists its interfaces and environments',
    (_, token) => {
      expect(() => token('stok', 'lve')).toThrow(
        expect.objectContaining({
          name: 'ProviderAuthConfigError',
          code: 'CONFIG_INVALID',
          message: expect.stringContaining('depot (nestjs-provider-auth) has 2 problems'),
          problems: [
            { path: 'the injected interface', message: 'must be stock or bankOrders. Did you mean stock?' },
            { path: 'the injected environment', message: 'must be test or live. Did you mean live?' },
          ],
        }),
      );
      for (const [of, environment] of [
        [undefined],
        ['constructor'],
        [['stock']],
        ['stock', null],
        ['stock', ''],
      ])
        expect(() => token(of, environment)).toThrow('must be');
      for (const environment of [undefined, 'test', 'live']) token('bankOrders', environment);
    },
  );

  it('B31: a single interface is not named twice', () => {
    const single = defineProvider({ name: 'single', environments: ['test'], interfaces: { orders: {} } });
    expect(() => single.httpToken('ordrs' as 'orders')).toThrow(
      expect.objectContaining({ problems: [{ path: 'the injected interface', message: 'must be orders.' }] }),
    );
  });

  it.each(Object.entries(BUILT_IN))('B31: %s lists the interfaces and environments', (_, token) => {
    expect(() => token('esy', 'prod')).toThrow(
      expect.objectContaining({
        name: 'ProviderAuthConfigError',
        problems: [
          { path: 'the injected interface', message: 'must be originations or easy. Did you mean easy?' },
          {
            path: 'the injected environment',
            message: 'must be sandbox or production. Did you mean production?',
          },
        ],
      }),
    );
    for (const environment of [undefined, 'sandbox', 'production']) token('originations', environment);
  });

  it('C1: tokens name the provider, the kind and the place', () => {
    expect([
      getProviderHttpToken('easy'),
      getProviderFetchToken('easy', 'sandbox'),
      getTokenProviderToken('originations', 'production'),
      depot.httpToken('stock'),
      depot.fetchToken('bankOrders', 'test'),
    ]).toEqual([
      'PROVIDER_AUTH:HTTP:easy',
      'PROVIDER_AUTH:FETCH:easy:sandbox',
      'PROVIDER_AUTH:TOKEN_PROVIDER:originations:production',
      'DEPOT_AUTH:HTTP:stock',
      'DEPOT_AUTH:FETCH:bankOrders:test',
    ]);
  });

  it('B31: tokens of two providers, interfaces, environments and kinds are different', () => {
    const tokens = [depot.httpToken, depot.fetchToken, depot.tokenProviderToken].flatMap((token) => [
      token('stock'),
      token('stock', 'test'),
      token('stock', 'live'),
      token('bankOrders', 'live'),
    ]);
    expect(new Set([...tokens, getProviderHttpToken('easy')]).size).toBe(13);
  });
});
