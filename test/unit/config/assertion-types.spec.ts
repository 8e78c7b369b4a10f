import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, type JWK } from 'jose';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ClientKey, type ClientKeyParts, defineProvider } from '../../../lib/index.js';

const partner = defineProvider({
  name: 'assertions-of-a-definition',
  environments: ['live'],
  assertion: { audience: 'issuer', certificate: 'x5t' },
  interfaces: {
    orders: { clientAuth: 'private_key_jwt' },
    stock: { clientAuth: 'private_key_jwt', assertion: { type: 'client-authentication+jwt' } },
    returns: { clientAuth: 'basic' },
  },
});

type Live<Name extends keyof Interfaces> = NonNullable<NonNullable<Interfaces[Name]>['live']>;
type Interfaces = NonNullable<ReturnType<typeof partner.config>['interfaces']>;

const address = { tokenUrl: '', baseUrl: '', clientId: '' };
const live = { ...address, clientKey: '' };
const signed = { clientAuth: 'private_key_jwt' } as const;
const named = { name: 'a', environments: ['b'] } as const;

const clientKey = (): ClientKeyParts => ({ key: '', keyId: '', certificate: '' });

/** Only compiled: each statement is wrong in one member. */
const wrong = (): void => {
  // @ts-expect-error the issuer is missing
  let orders: Live<'orders'> = { ...live, clientCertificate: '' };
  // @ts-expect-error the certificate is missing
  orders = { ...live, issuer: '' };
  partner.Module.forRoot({ environment: 'live', interfaces: { orders: { live: orders } } });
  // @ts-expect-error a misspelt member of an assertion
  defineProvider({ ...named, interfaces: { c: { ...signed, assertion: { audiense: 'issuer' } } } });
  // @ts-expect-error no such type
  defineProvider({ ...named, interfaces: { c: { ...signed, assertion: { type: 'jwt' } } } });
  // @ts-expect-error the same in the definition
  defineProvider({ ...named, assertion: { typ: 'JWT' }, interfaces: { c: signed } });
};

describe('B31: the types of assertions', () => {
  it('B31: demand the issuer and the certificate that the definition needs', () => {
    expectTypeOf<Live<'orders'>['issuer']>().toEqualTypeOf<string>();
    expectTypeOf<Live<'orders'>>().toHaveProperty('clientCertificate');
    expect(wrong).toBeTypeOf('function');
  });

  it('B31: demand nothing of an interface that replaces the assertion, or has a secret', () => {
    expectTypeOf<Live<'stock'>>().not.toHaveProperty('issuer');
    expectTypeOf<Live<'stock'>>().not.toHaveProperty('clientCertificate');
    expectTypeOf<Live<'returns'>>().not.toHaveProperty('issuer');
  });

  it('B31: take a certificate from the function of the key', () => {
    const orders = { live: { ...address, issuer: '', clientKey } };
    const forRoot = () => partner.Module.forRoot({ environment: 'live', interfaces: { orders } });
    expect(forRoot).toBeTypeOf('function');
  });

  it('B31: take the JWK of Node and of jose', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const jwk: ClientKey = privateKey.export({ format: 'jwk' });
    expectTypeOf<JWK>().toExtend<ClientKey>();
    expect(await exportJWK(privateKey)).toEqual(jwk);
  });
});
