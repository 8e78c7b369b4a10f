import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { describe, expect, it } from 'vitest';
import * as entry from '../../../lib/index.js';
import { ProviderService } from '../../../lib/module/provider-service.js';

const define = (name = 'depot') =>
  entry.defineProvider({ name, environments: ['test', 'live'], interfaces: { stock: {}, bankOrders: {} } });

const depot = define();

/** JavaScript, and texts that are only known at run time. */
type Untyped = (...place: readonly unknown[]) => unknown;

const OWN = [
  'httpToken',
  'fetchToken',
  'tokenProviderToken',
  'InjectHttp',
  'InjectFetch',
  'InjectTokenProvider',
];

const BUILT_IN = [
  'getProviderHttpToken',
  'getProviderFetchToken',
  'getTokenProviderToken',
  'InjectProviderHttp',
  'InjectProviderFetch',
  'InjectTokenProvider',
];

const STRANGE = [[undefined], ['constructor'], [['stock']], ['stock', null], ['stock', '']] as const;

/** A row for each of these functions, with a wrong place and what the error lists. */
const rowsOf = (
  from: object,
  names: readonly string[],
  place: readonly string[],
  ...lists: [string, string]
) => names.map((name) => [name, (from as Readonly<Record<string, Untyped>>)[name], place, ...lists] as const);

describe('a name that the provider does not have', () => {
  it.each([
    ...rowsOf(
      depot,
      OWN,
      ['stok', 'lve'],
      'stock or bankOrders. Did you mean stock?',
      'test or live. Did you mean live?',
    ),
    ...rowsOf(
      entry,
      BUILT_IN,
      ['esy', 'prod'],
      `${PROVIDER_INTERFACES.join(' or ')}. Did you mean easy?`,
      'sandbox or production. Did you mean production?',
    ),
  ])('B31: %s lists the interfaces and environments', (_, token, place, names, environments) => {
    expect(() => token?.(...place)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        problems: [
          { path: 'the injected interface', message: `must be ${names}` },
          { path: 'the injected environment', message: `must be ${environments}` },
        ],
      }),
    );
    for (const strange of STRANGE) expect(() => token?.(...strange)).toThrow('must be');
  });

  it('B31: a single interface is not named twice', () => {
    const single = entry.defineProvider({
      name: 'single',
      environments: ['test'],
      interfaces: { orders: {} },
    });
    expect(() => single.httpToken('ordrs' as 'orders')).toThrow(
      expect.objectContaining({ problems: [{ path: 'the injected interface', message: 'must be orders.' }] }),
    );
  });
});

it('C1: tokens name the provider, the kind and the place', () => {
  expect([
    entry.getProviderHttpToken('easy'),
    entry.getProviderFetchToken('easy', 'sandbox'),
    entry.getTokenProviderToken('originations', 'production'),
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

describe('a definition', () => {
  it('B24: has its name and its pairs, which no code can change', () => {
    expect(depot.name).toBe('depot');
    expect(depot.pairs).toHaveLength(4);
    expect(depot.pairs[1]).toEqual({ interface: 'stock', environment: 'live' });
    for (const one of [depot, depot.pairs, ...depot.pairs]) expect(Object.isFrozen(one)).toBe(true);
  });

  it.each([
    ['depot', 'Depot'],
    ['bankOrders', 'BankOrders'],
    ['bank-orders2', 'BankOrders2'],
  ])('B24: %s has classes that Nest shows as %s…, and a key of its own in ConfigService', (name, title) => {
    const { Module, Service, config } = define(name);
    expect([Module.name, Service.name]).toEqual([`${title}AuthModule`, `${title}AuthService`]);
    expect(Service.prototype).toBeInstanceOf(ProviderService);
    expect(config.KEY).toBe(`CONFIGURATION(${name}Auth)`);
  });
});
