import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIAL_KINDS, signingKeySource } from '../../../lib/secrets/client-key.js';
import { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const PEM = pemOf(P256);
const JWK = P256.export({ format: 'jwk' });

let first: ClientCertificate;
let second: ClientCertificate;

beforeAll(async () => {
  const authority = await ClientAuthority.create();
  [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);
});

function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function read(value: unknown) {
  const reading = CREDENTIAL_KINDS.clientKey()(value);
  if ('flaw' in reading) return reading;
  const { keyId, kid, algorithm, certificate } = reading.credential;
  return { pem: reading.credential.reveal(), keyId, kid, algorithm, certificate };
}

const KEY_ALONE = {
  pem: PEM,
  keyId: undefined,
  kid: undefined,
  algorithm: undefined,
  certificate: undefined,
};

const fixed = (atBoot: ClientCredential) => ({ atBoot, read: () => Promise.resolve(atBoot) });

describe('B31: a private key', () => {
  it.each<[string, unknown]>([
    ['a PEM text', PEM],
    ['a PEM text in a Secret', new Secret(PEM)],
    ['a PEM text of another form', P256.export({ format: 'pem', type: 'sec1' })],
    ['a KeyObject', P256],
    ['a JWK', JWK],
    ['the text of a JWK', `\n ${JSON.stringify(JWK)}`],
    ['an object with a PEM text', { key: PEM }],
    ['an object with a KeyObject', { key: P256 }],
    ['an object with a Secret', { key: new Secret(PEM) }],
    ['an object with a JWK', { key: JWK }],
  ])('B31: may be %s, and is the same text', (_, value) => {
    expect(read(value)).toEqual(KEY_ALONE);
  });

  it('B31: of a JWK has its alg and its kid', () => {
    expect(read({ ...JWK, alg: 'ES256', kid: 'july' })).toEqual({
      ...KEY_ALONE,
      algorithm: 'ES256',
      kid: 'july',
    });
  });

  it.each(['EdDSA', 'Ed25519'])('B31: of a JWK for Ed25519 may have the alg %s (RFC 9864)', (alg) => {
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    expect(read({ ...jwk, alg })).toMatchObject({ algorithm: 'EdDSA' });
  });

  it('B31: in an object has the id and the certificate of that object', () => {
    expect(read({ key: first.key, keyId: 'july', certificate: first.cert })).toEqual({
      ...KEY_ALONE,
      pem: pemOf(createPrivateKey(first.key)),
      keyId: 'july',
      certificate: first.cert,
    });
    expect(read({ key: PEM, keyId: new Secret('july') })).toEqual({ ...KEY_ALONE, keyId: 'july' });
  });

  it.each<[string, () => unknown, string]>([
    [
      'nothing',
      () => undefined,
      'is missing. Set it to the private key of this environment, or to the file that holds it.',
    ],
    [
      'an empty text',
      () => '',
      'is missing. Set it to the private key of this environment, or to the file that holds it.',
    ],
    ['a number', () => 7, 'must be a PEM text, a JWK or a KeyObject, not a number.'],
    ['an object', () => ({}), 'must be a PEM text, a JWK or a KeyObject, not an object.'],
    ['a text', () => 'a key', 'holds no private key in PEM form.'],
    ['a public key', () => createPublicKey(PEM), 'is a public key. Set the private key.'],
    ['a secret key', () => createSecretKey(Buffer.from('key')), 'is a secret key. Set the private key.'],
    [
      'a public JWK',
      () => createPublicKey(PEM).export({ format: 'jwk' }),
      'holds no private key: it is a JWK that cannot sign. Set the private JWK.',
    ],
    [
      'half of a JWK',
      () => '{"kty":',
      'holds no private key: it is a JWK that cannot sign. Set the private JWK.',
    ],
    ['a text with a brace', () => `a {`, 'holds no private key in PEM form.'],
    [
      'a JWK with a wrong alg',
      () => ({ ...JWK, alg: 'ES384' }),
      'is a JWK whose alg does not fit its key. Correct the alg, or remove it.',
    ],
    [
      'a JWK with a wrong kid',
      () => ({ ...JWK, kid: 7 }),
      'is a JWK whose kid must be a string, not a number.',
    ],
    [
      'a key that cannot sign',
      () => generateKeyPairSync('x25519').privateKey,
      'contains a private key that cannot sign client assertions. Use an RSA key of 2048 bits or more, or a key for P-256, P-384, P-521 or Ed25519.',
    ],
    ['an object with a wrong key', () => ({ key: 'a key', keyId: 7 }), 'holds no private key in PEM form.'],
    ['an object with a wrong id', () => ({ key: PEM, keyId: '' }), 'has a keyId which is empty. Set it.'],
    [
      'an object with a wrong certificate',
      () => ({ key: PEM, certificate: 'none' }),
      'has a certificate which holds no certificate in PEM form. A PEM certificate starts with -----BEGIN CERTIFICATE-----.',
    ],
  ])('C4: %s is refused', (_, value, flaw) => {
    expect(read(value())).toEqual({ flaw });
  });

  it('C4: a certificate that is no text is refused', () => {
    expect(CREDENTIAL_KINDS.clientCertificate()(7)).toEqual({
      flaw: expect.stringMatching(/^must be .*, not a number\.$/),
    });
  });
});

interface Given {
  key?: unknown;
  certificate?: string;
  keyId?: string;
  assertion?: Parameters<typeof signingKeySource>[0]['assertion'];
}

/** A key in the code, with the other settings of its client. */
function givenSource({ key = PEM, certificate, keyId, assertion = { certificate: undefined } }: Given = {}) {
  const reading = CREDENTIAL_KINDS.clientKey()(key);
  if ('flaw' in reading) throw new Error(reading.flaw);
  return signingKeySource({
    key: fixed(reading.credential),
    certificate: certificate === undefined ? undefined : fixed(new ClientCredential(certificate)),
    assertion,
    keyId,
    placeOf: (member) => ({
      path: `pay.live.${member}`,
      env: member === 'clientKey' ? 'PAY_LIVE_CLIENT_KEY' : undefined,
    }),
  });
}

describe('B31: a private key with what belongs to it', () => {
  it('B31: has a certificate only if the definition sends one', async () => {
    const { key } = first;
    expect((await givenSource({ key, certificate: second.cert }).read()).certificate).toBe(second.cert);
    const assertion = { certificate: 'x5t' } as const;
    expect((await givenSource({ key, certificate: first.cert, assertion }).read()).certificate).toBe(
      first.cert,
    );
  });

  it('B31: has the certificate of its object before that of the settings', async () => {
    const key = { key: first.key, certificate: first.cert };
    const source = givenSource({ key, certificate: second.cert, assertion: { certificate: 'x5t' } });
    expect((await source.read()).certificate).toBe(first.cert);
  });

  it.each<[string, () => Given, string, string]>([
    [
      'a missing certificate',
      () => ({ assertion: { certificate: 'x5t' } }),
      'clientCertificate',
      'is missing. Set it to the certificate of the client key.',
    ],
    [
      'a certificate of another key in the settings',
      () => ({ certificate: first.cert, assertion: { certificate: 'x5t' } }),
      'clientCertificate',
      'does not belong to the key in PAY_LIVE_CLIENT_KEY. Set both to the same pair.',
    ],
    [
      'a certificate of another key in the object',
      () => ({ key: { key: PEM, certificate: first.cert }, assertion: { certificate: 'x5t' } }),
      'clientKey',
      'has a certificate that does not belong to its key.',
    ],
    [
      'an algorithm of the definition that the key does not have',
      () => ({ assertion: { certificate: undefined, algorithm: 'RS256' } }),
      'clientKey',
      'cannot sign with RS256, the algorithm in the definition. Use a key that can, or change the algorithm.',
    ],
    [
      'a JWK for another algorithm than that of the definition',
      () => ({
        key: {
          ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
          alg: 'RS512',
        },
        assertion: { certificate: undefined, algorithm: 'RS256' },
      }),
      'clientKey',
      'is a JWK whose alg is not RS256, the algorithm in the definition. Set both to the same.',
    ],
  ])('C4: says at boot and at each token request that it is used with %s', async (_, given, member, flaw) => {
    const source = givenSource(given());
    expect(source.misfitAtBoot()).toEqual({ member, flaw });
    expect(await errorOf(source.read())).toMatchObject({
      problems: [{ path: `pay.live.${member}`, message: flaw }],
    });
  });

  it.each(['key', 'certificate'] as const)(
    'B8: says nothing at boot if the %s is known only later',
    (later) => {
      const reads = { key: new ClientCredential(PEM), certificate: new ClientCredential(first.cert) };
      const late = (part: 'key' | 'certificate') =>
        part === later ? { read: () => Promise.resolve(reads[part]) } : fixed(reads[part]);
      const source = signingKeySource({
        key: late('key'),
        certificate: late('certificate'),
        assertion: { certificate: 'x5t' },
        keyId: undefined,
        placeOf: (path) => ({ path, env: undefined }),
      });
      expect(source.misfitAtBoot()).toBeUndefined();
      expect(source.atBoot).toBe(later === 'key' ? undefined : reads.key);
    },
  );
});
