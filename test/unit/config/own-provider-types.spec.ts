import type { KeyObject } from 'node:crypto';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type AccountCredentials,
  type AccountLoader,
  type Credentials,
  defineProvider,
  type ProviderAuthOptions,
  type ProviderEnvironment,
  type ProviderInterface,
  type ProviderOptions,
  type ProviderService,
  type ProviderStateEvent,
  type RequestRefusedError,
  Secret,
  type TokenProvider,
  type TokenRequestError,
} from '../../../lib/index.js';
import { type Exchange, ProviderSimulator } from '../../../lib/testing/index.js';
import { warehouse } from '../../support/application/warehouse.js';

type Options = ReturnType<typeof warehouse.config>;
type Interfaces = NonNullable<Options['interfaces']>;

/** Only compiled: each line has a wrong name. */
const wrong = (): void => {
  // @ts-expect-error no such interface
  warehouse.InjectHttp('stok');
  // @ts-expect-error no such environment
  warehouse.InjectFetch('stock', 'sandbox');
  // @ts-expect-error no such interface
  warehouse.tokenProviderToken('easy');
  // @ts-expect-error a misspelt member
  defineProvider({ name: 'a', environments: ['b'], interfaces: { c: { scop: 'x' } } });
  // @ts-expect-error no such way to authenticate
  defineProvider({ name: 'a', environments: ['b'], interfaces: { c: { clientAuth: 'none' } } });
  // @ts-expect-error at least one environment
  defineProvider({ name: 'a', environments: [], interfaces: { c: {} } });
  const test = { tokenUrl: '', baseUrl: '', clientId: '', clientSecret: '' };
  // @ts-expect-error an interface with a private key has no client secret
  warehouse.Module.forRoot({ environment: 'test', interfaces: { returns: { test } } });
  // @ts-expect-error no such environment
  void ProviderSimulator.start({ provider: warehouse, environment: 'sandbox' });
};

type OfWarehouse = ProviderSimulator<'stock' | 'bankOrders' | 'returns', 'test' | 'live', Options>;
type ExchangeOf<Scripts extends { handler: (handler: never) => void }> = Parameters<
  Parameters<Scripts['handler']>[0]
>[2];

const namesIn = (auth: ProviderService): string[] => auth.providers().map((one) => one.interface);
const isOfStock = (one: TokenRequestError | RequestRefusedError | ProviderStateEvent): boolean =>
  one.interface === 'stock' && one.environment === 'test';

/** Repositories of an application, whose methods are typed by the names of their provider. */
class Merchants {
  credentialsOf(
    _account: string,
    _pair: { interface: ProviderInterface; environment: ProviderEnvironment },
  ): Promise<AccountCredentials | undefined> {
    return Promise.resolve(undefined);
  }
}
class Suppliers {
  credentialsOf(
    _account: string,
    _pair: { interface: 'stock' | 'bankOrders' | 'returns'; environment: 'test' | 'live' },
  ): AccountCredentials | undefined {
    return undefined;
  }
}
const accountsOf = (merchants: Merchants): ProviderAuthOptions['accounts'][] => [
  (account, pair) => merchants.credentialsOf(account, pair),
];
const accountsOfWarehouse = (suppliers: Suppliers): Options['accounts'][] => [
  (account, pair) => suppliers.credentialsOf(account, pair),
  // @ts-expect-error the names of another provider
  (account, pair) => new Merchants().credentialsOf(account, pair),
];

const hang = ({ token }: ProviderSimulator<string, string, object>): void => token.hang();
const hangOwn = (simulated: OfWarehouse): void => hang(simulated);
const start = async () => (await ProviderSimulator.start()).options();
const own = async () => (await ProviderSimulator.start({ provider: warehouse })).credentials('stock', 'live');

describe('B24: the types of a definition', () => {
  it('B24: are inferred from the literal', () => {
    expectTypeOf(warehouse.pairs[0]!).toEqualTypeOf<{
      readonly interface: 'stock' | 'bankOrders' | 'returns';
      readonly environment: 'test' | 'live';
    }>();
    expectTypeOf(warehouse.httpToken).parameter(0).toEqualTypeOf<'stock' | 'bankOrders' | 'returns'>();
    expectTypeOf(warehouse.httpToken).parameter(1).toEqualTypeOf<'test' | 'live' | undefined>();
    expectTypeOf<InstanceType<typeof warehouse.Service>['providers']>().returns.toEqualTypeOf<
      readonly TokenProvider<'stock' | 'bankOrders' | 'returns', 'test' | 'live'>[]
    >();
    expect(warehouse.pairs).toHaveLength(6);
  });

  it('B24: are those of the requests that a script of the simulator gets', () => {
    type Stock = 'stock' | 'bankOrders' | 'returns';
    expectTypeOf<ExchangeOf<OfWarehouse['api']>['interface']>().toEqualTypeOf<Stock | undefined>();
    expectTypeOf<ExchangeOf<OfWarehouse['token']>['environment']>().toEqualTypeOf<
      'test' | 'live' | undefined
    >();
    expectTypeOf<Exchange['interface']>().toEqualTypeOf<ProviderInterface | undefined>();
    expectTypeOf<Exchange<string, string>['interface']>().toEqualTypeOf<string | undefined>();
    expectTypeOf(hangOwn).toBeFunction();
  });

  it('B24: let the service be injected without type arguments', () => {
    expectTypeOf<InstanceType<typeof warehouse.Service>>().toExtend<ProviderService>();
    expectTypeOf(namesIn).returns.toEqualTypeOf<string[]>();
  });

  it('B24: can be compared with what an error or an event is about', () => {
    const about = {
      provider: 'warehouse',
      interface: 'stock',
      environment: 'test',
      state: 'failing',
    } as const;
    expect(isOfStock(about)).toBe(true);
  });

  it('B24: cannot be changed: neither the definition, nor its pairs', () => {
    const parts = [warehouse, warehouse.pairs, ...warehouse.pairs];
    expect(parts.filter((one) => !Object.isFrozen(one))).toEqual([]);
  });

  it('B24: want exactly the options that the definition needs', () => {
    expectTypeOf<NonNullable<Interfaces['stock']>>().toHaveProperty('test');
    expectTypeOf<NonNullable<NonNullable<Interfaces['stock']>['test']>>().toHaveProperty('tokenUrl');
    expectTypeOf<NonNullable<NonNullable<Interfaces['stock']>['test']>>().toHaveProperty('clientSecret');
    expectTypeOf<NonNullable<Interfaces['bankOrders']>>().toHaveProperty('tokenUrl').toEqualTypeOf<string>();
    expectTypeOf<NonNullable<NonNullable<Interfaces['bankOrders']>['test']>>().not.toHaveProperty('tokenUrl');
    type Returns = NonNullable<NonNullable<Interfaces['returns']>['live']>;
    expectTypeOf<Returns>().not.toHaveProperty('clientSecret');
    expectTypeOf<Returns['keyId']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<KeyObject>().toExtend<Returns['clientKey']>();
    expectTypeOf<Secret>().toExtend<Returns['clientKey']>();
    expectTypeOf<Options>().toExtend<ProviderOptions<{}, 'test' | 'live'> | object>();
  });

  it('B8: let the function of a client secret give a text or a Secret', () => {
    const forms: Credentials['clientSecret'][] = [() => '', () => new Secret(''), async () => new Secret('')];
    expect(forms).toHaveLength(3);
  });

  it('B33: give the function of accounts the names of its provider', () => {
    type Pair = { readonly interface: ProviderInterface; readonly environment: ProviderEnvironment };
    expectTypeOf<AccountLoader>().parameter(1).toExtend<Pair>();
    expectTypeOf<Pair>().toExtend<Parameters<AccountLoader>[1]>();
    expectTypeOf(accountsOf).toBeFunction();
    expectTypeOf(accountsOfWarehouse).toBeFunction();
  });

  it('B24: refuse wrong names', () => {
    expect(wrong).toBeTypeOf('function');
  });

  it('B24: leave the names of the built-in provider as they are', () => {
    expectTypeOf<TokenProvider['interface']>().toEqualTypeOf<ProviderInterface>();
    expectTypeOf(start).returns.resolves.toHaveProperty('interfaces');
    expectTypeOf(own).returns.resolves.toHaveProperty('clientId');
  });
});
