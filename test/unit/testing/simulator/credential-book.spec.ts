import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AnyPair, AssertionEntry, InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import {
  CredentialBook,
  type SimulatorCredentials,
} from '../../../../lib/testing/simulator/credential-book.js';
import { NOW } from '../../../support/token/fake-clock.js';

const TOKEN_URL = 'https://127.0.0.1:4711/token';
const ISSUER = 'https://127.0.0.1:4711/issuer';
/** Where and when a book receives assertions. */
const RECEIVING = { now: () => NOW, addresses: { tokenUrl: () => TOKEN_URL, issuer: () => ISSUER } };
const TERMS: AssertionEntry = { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 };
const ENVIRONMENTS = ['test', 'live'];

type Settings = NonNullable<ConstructorParameters<typeof CredentialBook>[1]>;

/** A book of one interface with these terms, in two environments or in those that are given. */
function bookOf(
  terms: Partial<InterfaceEntry> = {},
  settings: Settings = {},
  environments = ENVIRONMENTS,
): CredentialBook {
  const entry: InterfaceEntry = { tokenUrlPer: 'environment', tokenPathExample: '/token', ...terms };
  const pairs = environments.map((environment) => ({ provider: 'depot', interface: 'stock', environment }));
  return new CredentialBook({ pairs, entryOf: () => entry }, settings);
}

const named = (pair: AnyPair, clientKey?: string): SimulatorCredentials => ({
  clientId: `id of ${pair.environment} ${pair.account ?? 'no account'}`,
  clientSecret: `canary of ${pair.environment}`,
  ...(clientKey !== undefined && { clientKey }),
});

const pemOf = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

const algorithmOf = (pem = '') => {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
  return [asymmetricKeyType, asymmetricKeyDetails?.namedCurve ?? asymmetricKeyDetails?.modulusLength];
};

/** An assertion of this client, as jose signs it. */
async function assertionOf({ clientId, clientKey = '' }: SimulatorCredentials, aud: string, jti = 'one') {
  const iat = NOW / 1000;
  return new SignJWT({ iss: clientId, sub: clientId, aud, jti, iat, exp: iat + 300 })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(createPrivateKey(clientKey));
}

describe('the credentials of a pair', () => {
  it('S2: have a secret with every character that wrong encoding breaks, and the names of the pair in the id', () => {
    for (const clientAuth of [undefined, 'post', 'basic'] as const) {
      const book = bookOf({ clientAuth });
      const credentials = ENVIRONMENTS.map((environment) => book.of('stock', environment));
      expect(credentials).toEqual(
        ENVIRONMENTS.map((environment) => ({
          clientId: expect.stringMatching(new RegExp(`^stock-${environment}-[\\w-]{12}$`)),
          clientSecret: expect.stringMatching(/^[\w-]{20}&=\+% ü[\w-]{8}$/),
        })),
      );
      expect(credentials[0]?.clientSecret).not.toBe(credentials[1]?.clientSecret);
      expect(book.of('stock', 'test')).toEqual(credentials[0]);
    }
  });

  it('can be given', () => {
    expect(bookOf({}, { create: named }).of('stock', 'live')).toStrictEqual({
      clientId: 'id of live no account',
      clientSecret: 'canary of live',
    });
  });

  it('B31: have a key, and no certificate if the definition demands none', () => {
    const { clientKey, ...rest } = bookOf({ clientAuth: 'private_key_jwt', assertion: TERMS }).of(
      'stock',
      'test',
    );
    expect(rest).toStrictEqual({ clientId: expect.any(String), clientSecret: expect.any(String) });
    expect(algorithmOf(clientKey)).toEqual(['ec', 'prime256v1']);
  });

  it.each([
    ['ES256', ['ec', 'prime256v1']],
    ['ES384', ['ec', 'secp384r1']],
    ['ES512', ['ec', 'secp521r1']],
    ['EdDSA', ['ed25519', undefined]],
    ['PS256', ['rsa', 2048]],
  ] as const)('B31: have a key for %s', (algorithm, kind) => {
    const terms = { clientAuth: 'private_key_jwt', assertion: { ...TERMS, algorithm } } as const;
    // An RSA key takes long to make.
    const book = bookOf(terms, {}, ['test']);
    expect(algorithmOf(book.of('stock', 'test').clientKey)).toEqual(kind);
  });

  it('B31: keep a given key if it can sign as the definition demands', () => {
    const given = pemOf('P-384');
    const create = (pair: AnyPair) => named(pair, given);
    const keyWith = (algorithm?: AssertionEntry['algorithm']) => {
      const assertion = { ...TERMS, algorithm };
      return bookOf({ clientAuth: 'private_key_jwt', assertion }, { create }).of('stock', 'test').clientKey;
    };
    expect([keyWith(), keyWith('ES384')]).toEqual([given, given]);
    expect(algorithmOf(keyWith('ES512'))).toEqual(['ec', 'secp521r1']);
  });

  it.each<[what: string, terms: Partial<InterfaceEntry>]>([
    [
      'an assertion that names it',
      { clientAuth: 'private_key_jwt', assertion: { ...TERMS, certificate: 'x5c' } },
    ],
    ['a TLS connection', { clientAuth: 'tls_client_auth' }],
  ])('B32: have a certificate of the key for %s', (_, terms) => {
    const { clientId, clientKey = '', clientCertificate = '' } = bookOf(terms).of('stock', 'test');
    const certificate = new X509Certificate(clientCertificate);
    expect(certificate.subject).toBe(`CN=${clientId}`);
    expect(certificate.checkPrivateKey(createPrivateKey(clientKey))).toBe(true);
  });

  it('B32: are an assertion of the platform, new each time, by the clock of the book', () => {
    let now = NOW;
    const book = bookOf(
      { clientAuth: 'client_assertion' },
      {
        now: () => now,
        addresses: { ...RECEIVING.addresses, tokenUrl: ({ environment }) => `${TOKEN_URL}/${environment}` },
      },
    );
    const first = book.of('stock', 'live');
    now += 1000;
    const { clientAssertion = '' } = book.of('stock', 'live');
    expect(Object.keys(first)).toEqual(['clientId', 'clientSecret', 'clientAssertion']);
    expect(decodeJwt(clientAssertion)).toMatchObject({
      sub: first.clientId,
      aud: `${TOKEN_URL}/live`,
      iat: NOW / 1000 + 1,
    });
  });

  it('B32: have an assertion without an address, by the real clock, unless a book says otherwise', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const { clientAssertion = '' } = bookOf({ clientAuth: 'client_assertion' }).of('stock', 'live');
    expect(decodeJwt(clientAssertion)).toMatchObject({ aud: '', iat: NOW / 1000 });
  });

  it.each([
    ['stok', 'test', undefined, 'The provider has no interface "stok" with an environment "test".'],
    ['stock', 'tst', undefined, 'The provider has no interface "stock" with an environment "tst".'],
    [
      'stock',
      'test',
      'merchant-7',
      'The provider has no interface "stock" with an environment "test" and an account "merchant-7". Call addAccount() first.',
    ],
  ])(
    'C4 B29 B33: an unknown pair or account has none: %s %s, account %s',
    (name, environment, account, message) => {
      const book = bookOf();
      book.add('merchant-42');
      expect(() => book.of(name, environment, account)).toThrow(new RangeError(message));
    },
  );
});

describe('the accounts of a book', () => {
  it('B33: have credentials for each pair, and are added once', () => {
    const create = vi.fn<typeof named>(named);
    const book = bookOf({}, { create: (pair) => create(pair) });
    expect(book.hasAccounts).toBe(false);
    book.add('merchant-42');
    expect(book.hasAccounts).toBe(true);
    const [before, rotated] = [
      book.of('stock', 'live', 'merchant-42'),
      book.rotate('stock', 'live', undefined, 'merchant-42'),
    ];
    expect(before.clientId).toBe('id of live merchant-42');
    book.add('merchant-42');
    book.add('merchant-7');
    expect(book.of('stock', 'live', 'merchant-42').clientSecret).toBe(rotated);
    expect(book.of('stock', 'test', 'merchant-7').clientId).toBe('id of test merchant-7');
    expect(book.of('stock', 'test').clientId).toBe('id of test no account');
    expect(create.mock.calls.map(([pair]) => [pair.environment, pair.account])).toEqual(
      [undefined, 'merchant-42', 'merchant-7'].flatMap((account) => [
        ['test', account],
        ['live', account],
      ]),
    );
  });

  it('B33: are those that an application may ask for', () => {
    const book = bookOf({}, { create: named });
    expect(book.ofAccount('stock', 'live', 'merchant-42')).toBeUndefined();
    book.add('merchant-42');
    expect(book.ofAccount('stock', 'live', 'merchant-42')).toEqual(book.of('stock', 'live', 'merchant-42'));
    expect(book.ofAccount('stock', 'live', 'merchant-7')).toBeUndefined();
  });

  it('B33: own their client ids', () => {
    const book = bookOf({}, { create: named });
    book.add('merchant-42');
    const pair = { provider: 'depot', interface: 'stock', environment: 'live' };
    expect(book.ownerOf('id of live no account')).toEqual(pair);
    expect(book.ownerOf('id of live merchant-42')).toEqual({ ...pair, account: 'merchant-42' });
    expect(book.ownerOf('unknown')).toBeUndefined();
  });

  it('B33: have no certificate for TLS: a connection shows that of the pair', () => {
    const book = bookOf({ clientAuth: 'tls_client_auth' });
    book.add('merchant-42');
    const { clientId, ...rest } = book.of('stock', 'live', 'merchant-42');
    expect(rest).toStrictEqual({ clientSecret: expect.any(String) });
    const certificate = new X509Certificate(book.of('stock', 'live').clientCertificate ?? '');
    const ofOther = new X509Certificate(book.of('stock', 'test').clientCertificate ?? '');
    expect(book.accepts({ clientId, certificate })).toBe(true);
    expect(book.accepts({ clientId, certificate: ofOther })).toBe(false);
  });

  it('B33: have their own key for assertions', async () => {
    const book = bookOf({ clientAuth: 'private_key_jwt', assertion: TERMS }, RECEIVING);
    book.add('merchant-42');
    const credentials = book.of('stock', 'live', 'merchant-42');
    expect(credentials.clientKey).not.toBe(book.of('stock', 'live').clientKey);
    const assertion = await assertionOf(credentials, TOKEN_URL);
    expect(book.accepts({ clientId: credentials.clientId, assertion })).toBe(true);
  });
});

describe('a book accepts', () => {
  it.each(['post', 'basic'] as const)('S5: %s: the secret of the client', (clientAuth) => {
    const book = bookOf({ clientAuth }, { create: named });
    const accepts = (clientId: string, clientSecret?: string): boolean =>
      book.accepts({ clientId, ...(clientSecret !== undefined && { clientSecret }) });
    expect([
      accepts('id of live no account', 'canary of live'),
      accepts('id of live no account', 'canary of test'),
      accepts('id of live no account'),
      accepts('unknown', 'canary of live'),
    ]).toEqual([true, false, false, false]);
  });

  it('B32: tls_client_auth: a certificate of the key', () => {
    const book = bookOf({ clientAuth: 'tls_client_auth' });
    const { clientId, clientSecret, clientCertificate = '' } = book.of('stock', 'live');
    const certificate = new X509Certificate(clientCertificate);
    const other = new X509Certificate(book.of('stock', 'test').clientCertificate ?? '');
    expect(book.accepts({ clientId, certificate })).toBe(true);
    expect(book.accepts({ clientId, certificate: other })).toBe(false);
    expect(book.accepts({ clientId, clientSecret })).toBe(false);
    const afterRestart = bookOf(
      { clientAuth: 'tls_client_auth' },
      { create: (pair) => named(pair, book.of('stock', pair.environment).clientKey) },
    );
    expect(afterRestart.accepts({ clientId: 'id of live no account', certificate })).toBe(true);
  });

  it('B31: private_key_jwt: each assertion once', async () => {
    const book = bookOf({ clientAuth: 'private_key_jwt', assertion: TERMS }, RECEIVING);
    const credentials = book.of('stock', 'live');
    const { clientId, clientSecret } = credentials;
    const accepts = async (aud: string, jti?: string): Promise<boolean> =>
      book.accepts({ clientId, assertion: await assertionOf(credentials, aud, jti) });
    expect([
      await accepts(ISSUER),
      await accepts(TOKEN_URL),
      await accepts(TOKEN_URL),
      await accepts(TOKEN_URL, 'two'),
      book.accepts({ clientId, clientSecret }),
    ]).toEqual([false, true, false, true, false]);
  });

  it('B31: private_key_jwt: an assertion for the issuer, if the definition demands it', async () => {
    const book = bookOf(
      { clientAuth: 'private_key_jwt', assertion: { ...TERMS, audience: 'issuer' } },
      RECEIVING,
    );
    const credentials = book.of('stock', 'live');
    const { clientId } = credentials;
    const accepted = [];
    for (const audience of [TOKEN_URL, ISSUER])
      accepted.push(book.accepts({ clientId, assertion: await assertionOf(credentials, audience) }));
    expect(accepted).toEqual([false, true]);
  });

  it('B31: private_key_jwt: an assertion that names the certificate of the client', async () => {
    const assertion = { ...TERMS, certificate: 'x5c' } as const;
    const book = bookOf({ clientAuth: 'private_key_jwt', assertion }, RECEIVING);
    const credentials = book.of('stock', 'live');
    const { clientId, clientCertificate = '' } = credentials;
    const x5c = [new X509Certificate(clientCertificate).raw.toString('base64')];
    const iat = NOW / 1000;
    const claims = { iss: clientId, sub: clientId, aud: TOKEN_URL, jti: 'one', iat, exp: iat + 300 };
    const named = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', x5c })
      .sign(createPrivateKey(credentials.clientKey ?? ''));
    expect(book.accepts({ clientId, assertion: await assertionOf(credentials, TOKEN_URL) })).toBe(false);
    expect(book.accepts({ clientId, assertion: named })).toBe(true);
  });

  it('B32: client_assertion: an assertion of the platform for this address, any number of times', () => {
    let [place, time] = [TOKEN_URL, NOW];
    const addresses = { ...RECEIVING.addresses, tokenUrl: () => place };
    const book = bookOf({ clientAuth: 'client_assertion' }, { now: () => time, addresses });
    const { clientId, clientSecret, clientAssertion: assertion = '' } = book.of('stock', 'live');
    const { clientAssertion: ofOther = '' } = book.of('stock', 'test');
    const accepts = (sent: object, elsewhere: { tokenUrl?: string; now?: number } = {}): boolean => {
      const { tokenUrl = TOKEN_URL, now = NOW } = elsewhere;
      [place, time] = [tokenUrl, now];
      return book.accepts({ clientId, ...sent });
    };
    expect([
      accepts({ assertion }),
      accepts({ assertion }),
      accepts({ assertion: ofOther }),
      accepts({ assertion }, { tokenUrl: ISSUER }),
      accepts({ assertion }, { now: NOW + 2_592_000_000 }),
      accepts({ clientSecret }),
    ]).toEqual([true, true, false, false, false, false]);
  });
});

describe('a rotation', () => {
  it.each(['post', 'basic'] as const)('B8: %s: replaces the secret of one client', (clientAuth) => {
    const book = bookOf({ clientAuth }, { create: named });
    expect(book.rotate('stock', 'live', 'canary-new')).toBe('canary-new');
    expect(book.of('stock', 'live').clientSecret).toBe('canary-new');
    expect(book.rotate('stock', 'live')).toMatch(/^[\w-]{20}&=\+% ü[\w-]{8}$/);
    expect(book.of('stock', 'test').clientSecret).toBe('canary of test');
  });

  it('B31: private_key_jwt: replaces the key with the given key or a new key', () => {
    const book = bookOf({ clientAuth: 'private_key_jwt', assertion: { ...TERMS, certificate: 'x5c' } });
    const before = book.of('stock', 'live');
    const given = pemOf('P-521');
    expect(book.rotate('stock', 'live', given)).toBe(given);
    const { clientKey, clientCertificate = '' } = book.of('stock', 'live');
    expect(clientKey).toBe(given);
    expect(new X509Certificate(clientCertificate).checkPrivateKey(createPrivateKey(given))).toBe(true);
    const after = book.rotate('stock', 'live');
    expect(algorithmOf(after)).toEqual(['ec', 'prime256v1']);
    expect(after).not.toBe(before.clientKey);
  });

  it.each(['private_key_jwt', 'tls_client_auth'] as const)(
    'B31: %s: refuses a text that is no private key, and keeps the old key',
    (clientAuth) => {
      const book = bookOf({ clientAuth });
      const before = book.of('stock', 'live');
      expect(() => book.rotate('stock', 'live', 'canary-new')).toThrow(
        new TypeError('This client has a private key. Give a private key as PEM.'),
      );
      expect(book.of('stock', 'live')).toEqual(before);
    },
  );

  it('B32: client_assertion: gives the platform another key, and returns a new assertion', () => {
    const book = bookOf({ clientAuth: 'client_assertion' }, RECEIVING);
    const { clientId, clientAssertion: before = '' } = book.of('stock', 'live');
    const after = book.rotate('stock', 'live', 'canary-unused');
    const accepts = (assertion: string): boolean => book.accepts({ clientId, assertion });
    expect([accepts(before), accepts(after)]).toEqual([false, true]);
  });
});
