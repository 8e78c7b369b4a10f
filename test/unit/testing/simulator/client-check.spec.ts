import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AssertionEntry, ClientAuth } from '../../../../lib/catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../../../lib/catalogue/wire.js';
import { createClientCertificate } from '../../../../lib/testing/simulator/certificate.js';
import {
  checkAssertion,
  CLIENT_FIELDS,
  claimedClient,
  claimedId,
  type ExpectedAssertion,
  isPlatformAssertion,
  platformAssertion,
} from '../../../../lib/testing/simulator/client-check.js';
import { jwtOf } from '../../../support/application/doctor-check.js';
import { NOW } from '../../../support/token/fake-clock.js';

const SECONDS = NOW / 1000;

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const ASSERTION = jwtOf({ sub: 'canary-sub' });

const claimed = (kind: ClientAuth, form: object, authorization?: string, socket = new Socket()) =>
  claimedClient(
    kind,
    { headers: authorization === undefined ? {} : { authorization }, socket },
    new URLSearchParams(Object.entries(form)),
  );

describe('what a token request says about its client', () => {
  it('S2: post: an id and a secret', () => {
    const [id, secret] = [{ client_id: 'canary-id' }, { client_secret: 'canary' }];
    expect(claimed('post', { ...id, ...secret })).toEqual({ clientId: 'canary-id', clientSecret: 'canary' });
    for (const form of [id, { ...id, client_secret: '' }, secret, { client_id: '', ...secret }])
      expect(claimed('post', form)).toBeUndefined();
  });

  it.each<[header: string | undefined, client: object | undefined]>([
    [basic('a:canary'), { clientId: 'a', clientSecret: 'canary' }],
    [basic('a+%26:canary+%C3%BC%3A'), { clientId: 'a &', clientSecret: 'canary ü:' }],
    [basic('a:canary:c'), undefined],
    [basic('a'), undefined],
    [basic('a:'), undefined],
    [basic(':canary'), undefined],
    [`Bearer ${basic('a:canary').slice(6)}`, undefined],
    [`${basic('a:canary')} x`, undefined],
    [`x ${basic('a:canary')}`, undefined],
    ['Basic *', undefined],
    [undefined, undefined],
  ])('B31: basic: the header %j', (header, client) => {
    expect(claimed('basic', { client_id: 'x', client_secret: 'canary-other' }, header)).toEqual(client);
  });

  it.each(['private_key_jwt', 'client_assertion'] as const)('B31: %s: an id and an assertion', (kind) => {
    const form = { client_id: 'a', client_assertion_type: ASSERTION_TYPE, client_assertion: ASSERTION };
    expect(claimed(kind, form)).toEqual({ clientId: 'a', assertion: ASSERTION });
    expect(claimed(kind, { ...form, client_assertion_type: 'x' })).toBeUndefined();
    expect(claimed(kind, { ...form, client_assertion: '' })).toBeUndefined();
    expect(claimed(kind, { ...form, client_id: '' })).toBeUndefined();
  });

  it('B32: tls_client_auth: an id and the certificate of a TLS connection', () => {
    const socket = new TLSSocket(new Socket());
    expect(claimed('tls_client_auth', { client_id: 'a' }, undefined, socket)).toBeUndefined();
    const certificate = {} as X509Certificate;
    const peer = vi.spyOn(socket, 'getPeerX509Certificate').mockReturnValue(certificate);
    expect(claimed('tls_client_auth', { client_id: 'a' }, undefined, socket)).toEqual({
      clientId: 'a',
      certificate,
    });
    expect(peer).toHaveBeenCalledTimes(1);
    expect(claimed('tls_client_auth', {}, undefined, socket)).toBeUndefined();
    expect(claimed('tls_client_auth', { client_id: 'a', client_secret: 'canary' })).toBeUndefined();
  });

  it.each<[what: string, form: object, header: string | undefined, id: string | undefined]>([
    ['the form', { client_id: 'a', client_assertion: ASSERTION }, basic('b:canary'), 'a'],
    ['the header', { client_assertion: ASSERTION }, basic('b:canary'), 'b'],
    ['the assertion', { client_assertion: ASSERTION }, undefined, 'canary-sub'],
    ['an assertion without a body', { client_assertion: 'x' }, undefined, undefined],
    ['an assertion that is not JSON', { client_assertion: 'x.y.z' }, undefined, undefined],
    ['an assertion without a subject', { client_assertion: `x.${part({})}` }, undefined, undefined],
    ['a subject that is no text', { client_assertion: `x.${part({ sub: 7 })}` }, undefined, undefined],
    ['an assertion that is no object', { client_assertion: `x.${part(null)}` }, undefined, undefined],
    ['nothing', {}, undefined, undefined],
  ])('B31: the client id is in %s', (_, form, authorization, id) => {
    const headers = authorization === undefined ? {} : { authorization };
    expect(claimedId({ headers }, new URLSearchParams(Object.entries(form)))).toBe(id);
  });

  it('B31: each kind of authentication has its fields', () => {
    expect(CLIENT_FIELDS).toEqual({
      post: ['client_id', 'client_secret'],
      basic: [],
      private_key_jwt: ['client_id', 'client_assertion_type', 'client_assertion'],
      client_assertion: ['client_assertion_type', 'client_assertion'],
      tls_client_auth: ['client_id'],
    });
  });
});

const TERMS: AssertionEntry = { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 };
const AUDIENCE = 'https://127.0.0.1:4711/token';
const CLAIMS = {
  iss: 'canary-id',
  sub: 'canary-id',
  aud: AUDIENCE,
  iat: SECONDS,
  exp: SECONDS + 300,
  jti: 'one',
};

const keys: Record<'own' | 'other' | 'p384' | 'ed25519', KeyObject> = {} as never;

let rsa: KeyObject | undefined;
/** It takes long to make, so only the tests that need it wait for it. */
const rsaKey = () => (rsa ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);

const ofCurve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

beforeAll(() => {
  keys.own = ofCurve('P-256');
  keys.other = ofCurve('P-256');
  keys.p384 = ofCurve('P-384');
  keys.ed25519 = generateKeyPairSync('ed25519').privateKey;
});

/** An assertion that jose signs. */
const signed = (claims: object, header: object = {}, key = keys.own): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);

/** An assertion with any claims. jose does not sign wrong ones. */
function signedAsIs(claims: object): string {
  const body = `${part({ alg: 'ES256' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(body), { key: keys.own, dsaEncoding: 'ieee-p1363' });
  return `${body}.${signature.toString('base64url')}`;
}

const expected = (changed: Partial<ExpectedAssertion> = {}): ExpectedAssertion => ({
  clientId: 'canary-id',
  privateKey: keys.own,
  certificate: undefined,
  audience: AUDIENCE,
  terms: TERMS,
  now: NOW,
  ...changed,
});

describe('the check of an assertion', () => {
  it('B31: returns the jti of a right assertion, with or without its type', async () => {
    expect(checkAssertion(await signed(CLAIMS, { typ: 'JWT' }), expected())).toBe('one');
    expect(checkAssertion(await signed(CLAIMS), expected())).toBe('one');
  });

  it.each<[what: string, claims: object]>([
    ['another issuer', { ...CLAIMS, iss: 'x' }],
    ['another subject', { ...CLAIMS, sub: 'x' }],
    ['another audience', { ...CLAIMS, aud: `${AUDIENCE}/` }],
    ['a list of audiences', { ...CLAIMS, aud: [AUDIENCE] }],
    ['a life that is over', { ...CLAIMS, iat: SECONDS - 300, exp: SECONDS }],
    ['a life that is too long', { ...CLAIMS, exp: SECONDS + 301 }],
    ['a life that is too long from now on', { ...CLAIMS, iat: undefined, exp: SECONDS + 301 }],
    ['no end', { ...CLAIMS, exp: undefined }],
    ['an end that is no number', { ...CLAIMS, exp: 'soon' }],
    ['a start that is no number', { ...CLAIMS, iat: 'soon' }],
    ['no jti', { ...CLAIMS, jti: undefined }],
    ['a jti that is no text', { ...CLAIMS, jti: 7 }],
    ['nothing', {}],
  ])('B31: refuses an assertion with %s', (_, claims) => {
    expect(checkAssertion(signedAsIs(CLAIMS), expected())).toBe('one');
    expect(checkAssertion(signedAsIs(claims), expected())).toBeUndefined();
  });

  it('B31: accepts an assertion that is brief enough, and ends in at most ten minutes', async () => {
    const long = expected({ terms: { ...TERMS, lifetimeSeconds: 900 } });
    expect(checkAssertion(await signed({ ...CLAIMS, exp: SECONDS + 600 }), long)).toBe('one');
    expect(checkAssertion(await signed({ ...CLAIMS, exp: SECONDS + 601 }), long)).toBeUndefined();
    const { iat: _, ...withoutIat } = CLAIMS;
    expect(checkAssertion(await signed(withoutIat), expected())).toBe('one');
    const almostOver = { ...CLAIMS, iat: SECONDS - 299, exp: SECONDS + 1 };
    expect(checkAssertion(await signed(almostOver), expected())).toBe('one');
  });

  it.each([
    [{ typ: 'client-authentication+jwt' }, undefined],
    [{ kid: 'one' }, 'one'],
  ])('B31: compares only what the definition demands of the header: %j', async (header, jti) => {
    expect(checkAssertion(await signed(CLAIMS, header), expected())).toBe(jti);
  });

  it('B31: demands the type of the definition', async () => {
    const terms = { ...TERMS, type: 'client-authentication+jwt' } as const;
    const typed = await signed(CLAIMS, { typ: 'client-authentication+jwt' });
    expect(checkAssertion(typed, expected({ terms }))).toBe('one');
    expect(checkAssertion(await signed(CLAIMS), expected({ terms }))).toBeUndefined();
  });

  it('B31: demands the algorithm of the definition, or that of the key', async () => {
    const privateKey = rsaKey();
    const rs512 = await signed(CLAIMS, { alg: 'RS512' }, privateKey);
    expect(checkAssertion(rs512, expected({ privateKey }))).toBeUndefined();
    const terms = { ...TERMS, algorithm: 'RS512' } as const;
    expect(checkAssertion(rs512, expected({ privateKey, terms }))).toBe('one');
    const rs256 = await signed(CLAIMS, { alg: 'RS256' }, privateKey);
    expect(checkAssertion(rs256, expected({ privateKey }))).toBe('one');
    expect(checkAssertion(rs256, expected({ privateKey, terms }))).toBeUndefined();
  });

  it.each([
    ['ES384', 'p384'],
    ['EdDSA', 'ed25519'],
  ] as const)('B31: accepts %s', async (alg, name) => {
    const assertion = await signed(CLAIMS, { alg }, keys[name]);
    expect(checkAssertion(assertion, expected({ privateKey: keys[name] }))).toBe('one');
  });

  it('B31: accepts no assertion for a key that cannot sign one', async () => {
    const privateKey = generateKeyPairSync('x25519').privateKey;
    expect(checkAssertion(await signed(CLAIMS), expected({ privateKey }))).toBeUndefined();
    expect(checkAssertion(`${part({})}.${part(CLAIMS)}.x`, expected({ privateKey }))).toBeUndefined();
  });

  it('B31: demands the name of the certificate that the definition has', async () => {
    const certificate = createClientCertificate('canary-id', keys.own);
    const { fingerprint256, raw } = new X509Certificate(certificate);
    const s256 = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
    const withName = (named: 'x5t#S256' | 'x5c') =>
      expected({ certificate, terms: { ...TERMS, certificate: named } });
    const s256Named = await signed(CLAIMS, { 'x5t#S256': s256 });
    const chainNamed = await signed(CLAIMS, { x5c: [raw.toString('base64')] });
    expect(checkAssertion(s256Named, withName('x5t#S256'))).toBe('one');
    expect(checkAssertion(chainNamed, withName('x5c'))).toBe('one');
    expect(checkAssertion(chainNamed, withName('x5t#S256'))).toBeUndefined();
    expect(checkAssertion(await signed(CLAIMS), withName('x5c'))).toBeUndefined();
  });

  it('B31: refuses the signature of another key, a changed claim and a text that is no assertion', async () => {
    expect(checkAssertion(await signed(CLAIMS, {}, keys.other), expected())).toBeUndefined();
    const [header, , signature] = (await signed(CLAIMS)).split('.');
    const forged = `${header}.${part({ ...CLAIMS, jti: 'two' })}.${signature}`;
    expect(checkAssertion(forged, expected())).toBeUndefined();
    for (const text of ['', 'x', 'x.y.z', `${header}`, `${header}.${part(CLAIMS)}`, `.${part(CLAIMS)}.x`])
      expect(checkAssertion(text, expected())).toBeUndefined();
  });
});

const given = (changed: Partial<ExpectedAssertion> = {}) => {
  const { clientId, privateKey, audience, now } = expected(changed);
  return { clientId, privateKey, audience, now };
};

describe('an assertion of the platform', () => {
  it('B32: names the platform, the client and the token URL, and lives for 30 days', () => {
    const assertion = platformAssertion(given({ now: NOW + 999 }));
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'ES256', typ: 'JWT' });
    expect(decodeJwt(assertion)).toEqual({
      iss: 'https://platform.simulator.invalid',
      sub: 'canary-id',
      aud: AUDIENCE,
      iat: SECONDS,
      exp: SECONDS + 2_592_000,
    });
  });

  it.each(['own', 'p384', 'ed25519', 'rsa'] as const)(
    'B32: is accepted any number of times until it ends: key %s',
    (name) => {
      const privateKey = createPrivateKey(
        (name === 'rsa' ? rsaKey() : keys[name]).export({ type: 'pkcs8', format: 'pem' }),
      );
      const assertion = platformAssertion(given({ privateKey }));
      const end = NOW + 2_592_000_000;
      const accepted = [NOW, NOW, end - 1, end].map((now) =>
        isPlatformAssertion(assertion, given({ privateKey, now })),
      );
      expect(accepted).toEqual([true, true, true, false]);
    },
  );

  it('B32: is refused for another client, another address, another key, or as another text', () => {
    const assertion = platformAssertion(given());
    expect(isPlatformAssertion(assertion, given({ clientId: 'x' }))).toBe(false);
    expect(isPlatformAssertion(assertion, given({ audience: 'x' }))).toBe(false);
    expect(isPlatformAssertion(assertion, given({ privateKey: keys.other }))).toBe(false);
    const [header, body] = assertion.split('.');
    for (const text of ['', 'x', 'x.y.z', `${header}.${body}`, `.${body}.`, `${header}.`])
      expect(isPlatformAssertion(text, given())).toBe(false);
  });

  it('B32: is refused if its issuer is not the platform', async () => {
    const claims = { ...CLAIMS, exp: SECONDS + 300 };
    expect(isPlatformAssertion(await signed(claims), given())).toBe(false);
    const iss = 'https://platform.simulator.invalid';
    expect(isPlatformAssertion(await signed({ ...claims, iss }), given())).toBe(true);
    expect(isPlatformAssertion(await signed({ ...claims, iss, sub: 'x' }), given())).toBe(false);
  });
});
