import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { AssertionEntry, ClientAuth, InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../../../lib/catalogue/wire.js';
import { ClientCheck, type SimulatorCredentials } from '../../../../lib/testing/simulator/client-check.js';
import { NOW } from '../../../support/token/fake-clock.js';

const SECONDS = NOW / 1000;
const TOKEN_URL = 'https://127.0.0.1:4711/token';
const ISSUER = 'https://127.0.0.1:4711/issuer';
const TERMS: AssertionEntry = { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 };

const PAIR = { provider: 'depot', interface: 'stock', environment: 'live' };
const ACCOUNT = { ...PAIR, account: 'merchant-42' };

/** The check of one client, by a clock that a test can set. */
function checkOf(
  terms: Partial<InterfaceEntry>,
  client?: Partial<SimulatorCredentials>,
  now = { ms: NOW },
): ClientCheck {
  const entry: InterfaceEntry = { tokenUrlPer: 'environment', tokenPathExample: '/token', ...terms };
  return new ClientCheck(
    { pairs: [PAIR], entryOf: () => entry },
    { tokenUrl: () => TOKEN_URL, issuer: () => ISSUER },
    () => now.ms,
    client && (() => ({ clientId: 'own-id', clientSecret: 'canary', ...client })),
  );
}

const withKey = (assertion: Partial<AssertionEntry> = {}, clientKey?: string): ClientCheck =>
  checkOf(
    { clientAuth: 'private_key_jwt', assertion: { ...TERMS, ...assertion } },
    clientKey === undefined ? undefined : { clientKey },
  );

const pemOfCurve = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

const kindOf = (pem = '') => {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
  return [asymmetricKeyType, asymmetricKeyDetails?.namedCurve ?? asymmetricKeyDetails?.modulusLength];
};

describe('the key of a client', () => {
  it.each([
    [undefined, ['ec', 'prime256v1']],
    ['ES384', ['ec', 'secp384r1']],
    ['EdDSA', ['ed25519', undefined]],
    ['PS256', ['rsa', 2048]],
  ] as const)('B31: can sign as the definition demands: %s', async (algorithm, kind) => {
    const clients = withKey({ algorithm });
    expect(kindOf(clients.of(PAIR).clientKey)).toEqual(kind);
    expect(await check(clients, {}, { alg: algorithm ?? 'ES256' })).toEqual(PAIR);
  });

  it('B31: is the given one if that can sign as the definition demands', () => {
    const given = pemOfCurve('P-384');
    const keyFor = (algorithm: AssertionEntry['algorithm']) =>
      withKey({ algorithm }, given).of(PAIR).clientKey;
    expect([keyFor(undefined), keyFor('ES384')]).toEqual([given, given]);
    expect(kindOf(keyFor('ES512'))).toEqual(['ec', 'secp521r1']);
    expect(() => withKey().rotate(PAIR, 'x')).toThrow(/Give a private key as PEM/);
  });

  it('B32: has a certificate where the definition demands one, also after a rotation', () => {
    for (const clients of [withKey({ certificate: 'x5c' }), checkOf({ clientAuth: 'tls_client_auth' })]) {
      clients.rotate(PAIR);
      const { clientId, clientKey = '', clientCertificate = '' } = clients.of(PAIR);
      const certificate = new X509Certificate(clientCertificate);
      expect(certificate.subject).toBe(`CN=${clientId}`);
      expect(certificate.checkPrivateKey(createPrivateKey(clientKey))).toBe(true);
    }
    expect(withKey().of(PAIR)).not.toHaveProperty('clientCertificate');
  });
});

/** The verdict on a token request with these fields, or on what comes with them. */
function verdictOn(
  clients: ClientCheck,
  clientAuth: ClientAuth,
  { certificate, authorization, ...fields }: Record<string, unknown>,
): unknown {
  const socket = Object.create(TLSSocket.prototype, { getPeerX509Certificate: { value: () => certificate } });
  const form = new URLSearchParams(Object.entries(fields) as [string, string][]);
  const request = { headers: { authorization }, socket } as object as IncomingMessage;
  const found = clients.check(clients.named(request.headers, form), request, form, clientAuth);
  return typeof found === 'string' ? found : found.pair;
}

const byAssertion = (
  clients: ClientCheck,
  client_id: string,
  client_assertion: string,
  type = ASSERTION_TYPE,
) => verdictOn(clients, 'private_key_jwt', { client_id, client_assertion, client_assertion_type: type });

const byCertificate = (clients: ClientCheck, client_id: string, certificate: unknown) =>
  verdictOn(clients, 'tls_client_auth', { client_id, certificate });

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('a secret of the client', () => {
  it.each<[string | undefined, unknown]>([
    [basic('a+%26:canary+%C3%BC%3A'), PAIR],
    [basic('a+%26:canary'), 'wrong client secret'],
    [basic('a:canary+%C3%BC%3A'), 'unknown client id'],
    ...[
      undefined,
      'Basic *',
      `x ${basic('a+%26:canary+%C3%BC%3A')}`,
      ...['a', 'a:', ':b', 'a:b:c'].map(basic),
    ].map((header): [string | undefined, string] => [
      header,
      'no valid credentials in the Authorization header',
    ]),
  ])('S2 B31: is read from the Authorization header %s', (authorization, verdict) => {
    const clients = checkOf({ clientAuth: 'basic' }, { clientId: 'a &', clientSecret: 'canary ü:' });
    expect(verdictOn(clients, 'basic', { authorization })).toEqual(verdict);
  });
});

/** The verdict on an assertion that jose signs, or another signer. */
async function check(
  clients: ClientCheck,
  changed: object = {},
  header: object = {},
  key = clients.of(PAIR).clientKey ?? '',
) {
  const { clientId } = clients.of(PAIR);
  const claims = { ...claimsOf(clientId), ...changed };
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', ...header })
    .sign(createPrivateKey(key));
  return byAssertion(clients, clientId, assertion);
}

const claimsOf = (clientId: string) => ({
  iss: clientId,
  sub: clientId,
  aud: TOKEN_URL,
  iat: SECONDS,
  exp: SECONDS + 300,
  jti: 'one',
});

const REFUSED = 'wrong or used assertion';

describe('an assertion of the client', () => {
  it('B31: is accepted once, for the address that the definition demands', async () => {
    const [clients, ofIssuer] = [withKey(), withKey({ audience: 'issuer' })];
    const first = [await check(clients), await check(clients), await check(clients, { jti: 'two' })];
    expect(first).toEqual([PAIR, REFUSED, PAIR]);
    expect([await check(ofIssuer), await check(ofIssuer, { aud: ISSUER })]).toEqual([REFUSED, PAIR]);
    expect(byAssertion(clients, 'x', '')).toBe('unknown client id');
  });

  it.each<[what: string, changed: object]>([
    ['another issuer', { iss: 'x' }],
    ['another subject', { sub: 'x' }],
    ['another audience', { aud: `${TOKEN_URL}/` }],
    ['a life that is over', { iat: SECONDS - 300, exp: SECONDS }],
    ['a life that is too long', { exp: SECONDS + 301 }],
    ['a life that is too long from now on', { iat: undefined, exp: SECONDS + 301 }],
    ['an end that is no number', { exp: 'soon' }],
    ['a start that is no number', { iat: 'soon' }],
    ['a jti that is no text', { jti: 7 }],
  ])('B31: is refused with %s', (_, changed) => {
    const clients = withKey();
    const { clientId, clientKey = '' } = clients.of(PAIR);
    // jose does not sign wrong claims.
    const parts = [{ alg: 'ES256' }, { ...claimsOf(clientId), ...changed }];
    const body = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = { key: clientKey, dsaEncoding: 'ieee-p1363' } as const;
    const assertion = `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`;
    expect(byAssertion(clients, clientId, assertion)).toBe(REFUSED);
  });

  it('B31: may be brief, and ends in at most ten minutes', async () => {
    const clients = withKey({ lifetimeSeconds: 900 });
    expect(await check(clients, { exp: SECONDS + 601 })).toBe(REFUSED);
    expect(await check(clients, { exp: SECONDS + 600 })).toEqual(PAIR);
    expect(await check(withKey(), { iat: undefined })).toEqual(PAIR);
    expect(await check(withKey(), { iat: SECONDS - 299, exp: SECONDS + 1 })).toEqual(PAIR);
  });

  it('B31: needs the signature of this key, and is nothing else', async () => {
    const clients = withKey();
    expect(await check(clients, {}, {}, pemOfCurve('P-256'))).toBe(REFUSED);
    const { clientId } = clients.of(PAIR);
    for (const assertion of ['', 'x', 'x.y.z', '.e30.x'])
      expect(byAssertion(clients, clientId, assertion)).toBe(REFUSED);
  });

  it('B33: comes from a key of the account, but the certificate of a connection is that of the pair', () => {
    const [jwt, tls] = [withKey(), checkOf({ clientAuth: 'tls_client_auth' })];
    for (const clients of [jwt, tls]) clients.add('merchant-42');
    expect(jwt.of(ACCOUNT).clientKey).not.toBe(jwt.of(PAIR).clientKey);
    const { clientId, ...own } = tls.of(ACCOUNT);
    expect(own).not.toHaveProperty('clientCertificate');
    const certificate = new X509Certificate(tls.of(PAIR).clientCertificate ?? '');
    expect(byCertificate(tls, clientId, certificate)).toEqual(ACCOUNT);
    // An application that goes on after a restart of the simulator has the certificate from before.
    const again = checkOf({ clientAuth: 'tls_client_auth' }, { clientKey: String(tls.of(PAIR).clientKey) });
    expect(byCertificate(again, 'own-id', certificate)).toEqual(PAIR);
    const other = checkOf({ clientAuth: 'tls_client_auth' }, { clientKey: pemOfCurve('P-256') });
    expect(byCertificate(other, 'own-id', certificate)).toBe('wrong client certificate');
    expect(byCertificate(other, 'own-id', undefined)).toBe('no client certificate');
  });
});

describe('an assertion of the platform', () => {
  it('B32: names the platform, the client and the token URL, and lives for 30 days', () => {
    const { clientId, clientAssertion = '' } = checkOf({ clientAuth: 'client_assertion' }).of(PAIR);
    expect(decodeProtectedHeader(clientAssertion)).toEqual({ alg: 'ES256', typ: 'JWT' });
    expect(decodeJwt(clientAssertion)).toEqual({
      iss: 'https://platform.simulator.invalid',
      sub: clientId,
      aud: TOKEN_URL,
      iat: Math.floor(SECONDS),
      exp: Math.floor(SECONDS) + 2_592_000,
    });
  });
});
