import { describe, expect, expectTypeOf, it } from 'vitest';
import { Secret } from '../../../lib/index.js';
import { cluster } from '../../support/application/warehouse.js';

type Interfaces = NonNullable<ReturnType<typeof cluster.config>['interfaces']>;
type Test<Name extends keyof Interfaces> = NonNullable<NonNullable<Interfaces[Name]>['test']>;

const address = { tokenUrl: '', baseUrl: '' };
const pair = { cert: '', key: '' };

/** Only compiled: each statement is wrong in one member. */
const wrong = (): void => {
  // @ts-expect-error the assertion is missing
  let orders: Test<'orders'> = { ...address, clientId: '' };
  // @ts-expect-error a secret in addition
  orders = { ...address, clientAssertion: '', clientSecret: '' };
  // @ts-expect-error no client id
  let stock: Test<'stock'> = { ...address, tls: pair };
  // @ts-expect-error no certificate
  stock = { ...address, clientId: '' };
  // @ts-expect-error a certificate without its key
  stock = { ...address, clientId: '', tls: { cert: '' } };
  // @ts-expect-error a function that gives a certificate without its key
  stock = { ...address, clientId: '', tls: () => ({ cert: '' }) };
  // @ts-expect-error a secret in addition
  stock = { ...address, clientId: '', tls: pair, clientSecret: '' };
  cluster.Module.forRoot({
    environment: 'test',
    interfaces: { orders: { test: orders }, stock: { test: stock } },
  });
};

describe('B32: the types of clients without a secret', () => {
  it('B32: refuse a secret, and demand what takes its place', () => {
    expect(wrong).toBeTypeOf('function');
    expectTypeOf<Test<'orders'>['clientId']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Test<'stock'>['clientId']>().toEqualTypeOf<string>();
  });

  it('B32: take an assertion as text, Secret or function', () => {
    const forms: Test<'orders'>['clientAssertion'][] = [
      '',
      new Secret(''),
      () => '',
      () => Promise.resolve(new Secret('')),
    ];
    expect(forms).toHaveLength(4);
  });

  it('B32 B34: take a certificate and its key as an object or as a function', () => {
    const forms: Test<'stock'>['tls'][] = [
      pair,
      { ...pair, ca: '' },
      () => pair,
      () => Promise.resolve(pair),
    ];
    expect(forms).toHaveLength(4);
  });
});
