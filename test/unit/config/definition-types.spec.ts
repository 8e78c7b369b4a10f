import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { expect, expectTypeOf, it } from 'vitest';
import {
  type AccountCredentials,
  type AccountLoader,
  type ClientKey,
  type Credentials,
  defineProvider,
  type ProviderAuthOptions,
  type ProviderEnvironment,
  type ProviderInterface,
  type ProviderService,
  type ProviderStateEvent,
  type RequestRefusedError,
  Secret,
  type TokenProvider,
  type TokenRequestError,
} from '../../../lib/index.js';
import { type Exchange, ProviderSimulator } from '../../../lib/testing/index.js';
import { cluster, warehouse } from '../../support/application/warehouse.js';

// Only the compiler proves what is here.

type Stock = 'stock' | 'bankOrders' | 'returns';
type Options = ReturnType<typeof warehouse.config>;
type InterfacesOf<Provider extends { config: () => { interfaces?: unknown } }> = NonNullable<
  ReturnType<Provider['config']>['interfaces']
>;
type PairOf<Of, Name extends keyof Of, Environment extends keyof NonNullable<Of[Name]>> = NonNullable<
  NonNullable<Of[Name]>[Environment]
>;

const address = { tokenUrl: '', baseUrl: '' };
const pem = { cert: '', key: '' };
const named = { name: 'a', environments: ['b'] } as const;
const rest = { ...named, interfaces: { c: {} } } as const;
const signed = { clientAuth: 'private_key_jwt' } as const;

const partner = defineProvider({
  name: 'assertions-of-a-definition',
  environments: ['live'],
  assertion: { audience: 'issuer', certificate: 'x5t' },
  interfaces: {
    orders: signed,
    stock: { ...signed, assertion: { type: 'client-authentication+jwt' } },
    returns: { clientAuth: 'basic' },
  },
});
type Partner<Name extends keyof InterfacesOf<typeof partner>> = PairOf<
  InterfacesOf<typeof partner>,
  Name,
  'live'
>;
type Cluster<Name extends keyof InterfacesOf<typeof cluster>> = PairOf<
  InterfacesOf<typeof cluster>,
  Name,
  'test'
>;

/** Each statement with a comment about an error has something wrong. */
const wrong = (): void => {
  // @ts-expect-error no such interface
  warehouse.InjectHttp('stok');
  // @ts-expect-error no such environment
  warehouse.InjectFetch('stock', 'sandbox');
  // @ts-expect-error no such interface
  warehouse.tokenProviderToken('easy');
  // @ts-expect-error no such environment
  void ProviderSimulator.start({ provider: warehouse, environment: 'sandbox' });
  const test = { ...address, clientId: '', clientSecret: '' };
  // @ts-expect-error an interface with a private key has no client secret
  warehouse.Module.forRoot({ environment: 'test', interfaces: { returns: { test } } });

  // @ts-expect-error a misspelt member
  defineProvider({ ...named, interfaces: { c: { scop: 'x' } } });
  // @ts-expect-error no such way to authenticate
  defineProvider({ ...named, interfaces: { c: { clientAuth: 'none' } } });
  // @ts-expect-error at least one environment
  defineProvider({ ...rest, environments: [] });
  // @ts-expect-error a field that the module writes itself
  defineProvider({ ...rest, params: { grant_type: 'a' } });
  // @ts-expect-error the same in an interface
  defineProvider({ ...named, interfaces: { c: { params: { resource: 'a' } } } });
  // @ts-expect-error an empty list
  defineProvider({ ...rest, tokenTypes: [] });
  // @ts-expect-error an empty list
  defineProvider({ ...named, interfaces: { c: { resource: [] } } });
  // @ts-expect-error no such status
  defineProvider({ ...named, interfaces: { c: { refusedWith: [404] } } });
  // @ts-expect-error no such characters
  defineProvider({ ...rest, tokenCharacters: 'any' });
  // @ts-expect-error seconds are a number
  defineProvider({ ...rest, expiresIn: '60' });
  // @ts-expect-error a misspelt member
  defineProvider({ ...rest, schema: 'OAuth' });
  // @ts-expect-error a misspelt member of an assertion
  defineProvider({ ...named, interfaces: { c: { ...signed, assertion: { audiense: 'issuer' } } } });
  // @ts-expect-error no such type
  defineProvider({ ...named, interfaces: { c: { ...signed, assertion: { type: 'jwt' } } } });
  // @ts-expect-error the same in the definition
  defineProvider({ ...named, assertion: { typ: 'JWT' }, interfaces: { c: signed } });

  const live = { ...address, clientId: '', clientKey: '' };
  // @ts-expect-error the issuer is missing
  let orders: Partner<'orders'> = { ...live, clientCertificate: '' };
  // @ts-expect-error the certificate is missing
  orders = { ...live, issuer: '' };
  partner.Module.forRoot({ environment: 'live', interfaces: { orders: { live: orders } } });

  // @ts-expect-error the assertion is missing
  let asserted: Cluster<'orders'> = { ...address, clientId: '' };
  // @ts-expect-error a secret in addition
  asserted = { ...address, clientAssertion: '', clientSecret: '' };
  // @ts-expect-error no client id
  let certified: Cluster<'stock'> = { ...address, tls: pem };
  // @ts-expect-error no certificate
  certified = { ...address, clientId: '' };
  // @ts-expect-error a certificate without its key
  certified = { ...address, clientId: '', tls: { cert: '' } };
  // @ts-expect-error a function that gives a certificate without its key
  certified = { ...address, clientId: '', tls: () => ({ cert: '' }) };
  // @ts-expect-error a secret in addition
  certified = { ...address, clientId: '', tls: pem, clientSecret: '' };
  cluster.Module.forRoot({
    environment: 'test',
    interfaces: { orders: { test: asserted }, stock: { test: certified } },
  });
};

/** Repositories of an application, whose methods are typed by the names of their provider. */
declare const merchants: (
  account: string,
  pair: { interface: ProviderInterface; environment: ProviderEnvironment },
) => Promise<AccountCredentials | undefined>;
declare const suppliers: (
  account: string,
  pair: { interface: Stock; environment: 'test' | 'live' },
) => AccountCredentials | undefined;

/** What a definition allows. */
const right = () => ({
  secrets: [
    () => '',
    () => new Secret(''),
    async () => new Secret(''),
  ] satisfies Credentials['clientSecret'][],
  assertions: [
    '',
    new Secret(''),
    () => '',
    () => Promise.resolve(new Secret('')),
  ] satisfies Cluster<'orders'>['clientAssertion'][],
  tls: [pem, { ...pem, ca: '' }, () => pem, () => Promise.resolve(pem)] satisfies Cluster<'stock'>['tls'][],
  key: { ...address, clientId: '', issuer: '', clientKey: () => ({ key: '', keyId: '', certificate: '' }) },
  accounts: ((account, pair) => merchants(account, pair)) satisfies ProviderAuthOptions['accounts'],
  accountsOfWarehouse: [
    (account, pair) => suppliers(account, pair),
    // @ts-expect-error the names of another provider
    (account, pair) => merchants(account, pair),
  ] satisfies Options['accounts'][],
  hang: (simulated: ProviderSimulator<Stock, 'test' | 'live', Options>): void => hang(simulated),
  start: async () => (await ProviderSimulator.start()).options(),
  own: async () => (await ProviderSimulator.start({ provider: warehouse })).credentials('stock', 'live'),
  names: (auth: ProviderService): string[] => auth.providers().map((one) => one.interface),
  compared: (one: TokenRequestError | RequestRefusedError | ProviderStateEvent): boolean =>
    one.interface === 'stock' && one.environment === 'test',
});

const hang = ({ token }: ProviderSimulator<string, string, object>): void => token.hang();

type ExchangeOf<Scripts extends { handler: (handler: never) => void }> = Parameters<
  Parameters<Scripts['handler']>[0]
>[2];

it('B24 B31 B32 B33: the compiler knows what a definition allows, and refuses all else', () => {
  expect([wrong, right].map((one) => typeof one)).toEqual(['function', 'function']);

  expectTypeOf(warehouse.pairs[0]!).toEqualTypeOf<{
    readonly interface: Stock;
    readonly environment: 'test' | 'live';
  }>();
  expectTypeOf(warehouse.httpToken).parameter(0).toEqualTypeOf<Stock>();
  expectTypeOf(warehouse.httpToken).parameter(1).toEqualTypeOf<'test' | 'live' | undefined>();
  type Service = InstanceType<typeof warehouse.Service>;
  expectTypeOf<Service>().toExtend<ProviderService>();
  expectTypeOf<Service['providers']>().returns.toEqualTypeOf<
    readonly TokenProvider<Stock, 'test' | 'live'>[]
  >();

  type Scripts = ProviderSimulator<Stock, 'test' | 'live', Options>;
  expectTypeOf<ExchangeOf<Scripts['api']>['interface']>().toEqualTypeOf<Stock | undefined>();
  expectTypeOf<ExchangeOf<Scripts['token']>['environment']>().toEqualTypeOf<'test' | 'live' | undefined>();
  expectTypeOf<Exchange['interface']>().toEqualTypeOf<ProviderInterface | undefined>();
  expectTypeOf<Exchange<string, string>['interface']>().toEqualTypeOf<string | undefined>();

  type Interfaces = InterfacesOf<typeof warehouse>;
  expectTypeOf<PairOf<Interfaces, 'stock', 'test'>>().toHaveProperty('tokenUrl');
  expectTypeOf<PairOf<Interfaces, 'stock', 'test'>>().toHaveProperty('clientSecret');
  expectTypeOf<NonNullable<Interfaces['bankOrders']>>().toHaveProperty('tokenUrl').toEqualTypeOf<string>();
  expectTypeOf<PairOf<Interfaces, 'bankOrders', 'test'>>().not.toHaveProperty('tokenUrl');
  type Returns = PairOf<Interfaces, 'returns', 'live'>;
  expectTypeOf<Returns>().not.toHaveProperty('clientSecret');
  expectTypeOf<Returns['keyId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<KeyObject>().toExtend<Returns['clientKey']>();
  expectTypeOf<Secret>().toExtend<Returns['clientKey']>();
  expectTypeOf<JWK>().toExtend<ClientKey>();

  expectTypeOf<Partner<'orders'>['issuer']>().toEqualTypeOf<string>();
  expectTypeOf<Partner<'orders'>>().toHaveProperty('clientCertificate');
  expectTypeOf<ReturnType<typeof right>['key']>().toExtend<Partner<'orders'>>();
  expectTypeOf<Partner<'stock'>>().not.toHaveProperty('issuer');
  expectTypeOf<Partner<'stock'>>().not.toHaveProperty('clientCertificate');
  expectTypeOf<Partner<'returns'>>().not.toHaveProperty('issuer');
  expectTypeOf<Cluster<'orders'>['clientId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Cluster<'stock'>['clientId']>().toEqualTypeOf<string>();

  type Pair = { readonly interface: ProviderInterface; readonly environment: ProviderEnvironment };
  expectTypeOf<AccountLoader>().parameter(1).toExtend<Pair>();
  expectTypeOf<Pair>().toExtend<Parameters<AccountLoader>[1]>();
  expectTypeOf<TokenProvider['interface']>().toEqualTypeOf<ProviderInterface>();
  expectTypeOf<ReturnType<typeof right>['start']>().returns.resolves.toHaveProperty('interfaces');
  expectTypeOf<ReturnType<typeof right>['own']>().returns.resolves.toHaveProperty('clientId');
});
