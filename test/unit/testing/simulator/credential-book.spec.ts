import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { AssertionEntry, InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import { CredentialBook } from '../../../../lib/testing/simulator/credential-book.js';
import { NOW } from '../../../support/token/fake-clock.js';

const TOKEN_URL = 'https://127.0.0.1:4711/token';
const ISSUER = 'https://127.0.0.1:4711/issuer';
const TERMS: AssertionEntry = { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 };

/** A book of one interface, in one environment, by the clock of the tests. */
function bookOf(terms: Partial<InterfaceEntry>, clientKey?: string): CredentialBook {
  const entry: InterfaceEntry = { tokenUrlPer: 'environment', tokenPathExample: '/token', ...terms };
  const pairs = [{ provider: 'depot', interface: 'stock', environment: 'live' }];
  return new CredentialBook(
    { pairs, entryOf: () => entry },
    {
      now: () => NOW,
      addresses: { tokenUrl: () => TOKEN_URL, issuer: () => ISSUER },
      ...(clientKey !== undefined && {
        create: () => ({ clientId: 'own-id', clientSecret: 'canary', clientKey }),
      }),
    },
  );
}

const withKey = (assertion: Partial<AssertionEntry>, clientKey?: string): CredentialBook =>
  bookOf({ clientAuth: 'private_key_jwt', assertion: { ...TERMS, ...assertion } }, clientKey);

const kindOf = (pem = '') => {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
  return [asymmetricKeyType, asymmetricKeyDetails?.namedCurve ?? asymmetricKeyDetails?.modulusLength];
};

describe('the key of a client', () => {
  it.each([
    [undefined, ['ec', 'prime256v1']],
    ['ES384', ['ec', 'secp384r1']],
    ['ES512', ['ec', 'secp521r1']],
    ['EdDSA', ['ed25519', undefined]],
    ['PS256', ['rsa', 2048]],
  ] as const)('B31: can sign as the definition demands: %s', (algorithm, kind) => {
    expect(kindOf(withKey({ algorithm }).of('stock', 'live').clientKey)).toEqual(kind);
  });

  it('B31: is the given one if that can sign as the definition demands', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const given = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const keyFor = (algorithm: AssertionEntry['algorithm']) =>
      withKey({ algorithm }, given).of('stock', 'live').clientKey;
    expect([keyFor(undefined), keyFor('ES384'), kindOf(keyFor('ES512'))]).toEqual([
      given,
      given,
      ['ec', 'secp521r1'],
    ]);
  });

  it('B32: has a certificate where the definition demands one, also after a rotation', () => {
    const books = [withKey({ certificate: 'x5c' }), bookOf({ clientAuth: 'tls_client_auth' })];
    for (const book of books) {
      book.rotate('stock', 'live');
      const { clientId, clientKey = '', clientCertificate = '' } = book.of('stock', 'live');
      const certificate = new X509Certificate(clientCertificate);
      expect(certificate.subject).toBe(`CN=${clientId}`);
      expect(certificate.checkPrivateKey(createPrivateKey(clientKey))).toBe(true);
    }
    expect(withKey({}).of('stock', 'live')).not.toHaveProperty('clientCertificate');
  });
});

/** Whether the book accepts an assertion of jose for this audience. */
async function accepts(book: CredentialBook, aud: string, jti: string, header = {}): Promise<boolean> {
  const { clientId, clientKey = '' } = book.of('stock', 'live');
  const iat = NOW / 1000;
  const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud, jti, iat, exp: iat + 300 })
    .setProtectedHeader({ alg: 'ES256', ...header })
    .sign(createPrivateKey(clientKey));
  return book.accepts({ clientId, assertion });
}

describe('a client with a key', () => {
  it('B31: is accepted with each assertion once, for the address that the definition demands', async () => {
    const [token, issuer] = [withKey({}), withKey({ audience: 'issuer' })];
    expect([
      await accepts(token, ISSUER, 'one'),
      await accepts(token, TOKEN_URL, 'one'),
      await accepts(token, TOKEN_URL, 'one'),
      await accepts(token, TOKEN_URL, 'two'),
      await accepts(issuer, TOKEN_URL, 'one'),
      await accepts(issuer, ISSUER, 'one'),
    ]).toEqual([false, true, false, true, false, true]);
    const { clientId, clientSecret } = token.of('stock', 'live');
    expect(token.accepts({ clientId, clientSecret })).toBe(false);
  });

  it('B31: has to name its certificate, if the definition demands it', async () => {
    const book = withKey({ certificate: 'x5c' });
    const { clientCertificate = '' } = book.of('stock', 'live');
    const x5c = [new X509Certificate(clientCertificate).raw.toString('base64')];
    expect([await accepts(book, TOKEN_URL, 'one'), await accepts(book, TOKEN_URL, 'one', { x5c })]).toEqual([
      false,
      true,
    ]);
  });

  it('B33: has a key for each account, but the certificate of a connection is that of the pair', async () => {
    const [jwt, tls] = [withKey({}), bookOf({ clientAuth: 'tls_client_auth' })];
    for (const book of [jwt, tls]) book.add('merchant-42');
    expect(jwt.of('stock', 'live', 'merchant-42').clientKey).not.toBe(jwt.of('stock', 'live').clientKey);
    const { clientId, ...own } = tls.of('stock', 'live', 'merchant-42');
    expect(own).not.toHaveProperty('clientCertificate');
    const certificate = new X509Certificate(tls.of('stock', 'live').clientCertificate ?? '');
    expect(tls.accepts({ clientId, certificate })).toBe(true);
    // An application that goes on after a restart of the simulator has the certificate from before.
    const again = bookOf({ clientAuth: 'tls_client_auth' }, tls.of('stock', 'live').clientKey);
    expect(again.accepts({ clientId: 'own-id', certificate })).toBe(true);
  });
});
