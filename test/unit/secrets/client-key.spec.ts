import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type CredentialOption,
  credentialSource,
  signingKeySource,
} from '../../../lib/secrets/client-key.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { defineProvider, ProviderAuthConfigError } from '../../../lib/index.js';
import { requiredPartsOf } from '../../../lib/testing/any-provider.js';
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

const sourceOf = (option: CredentialOption, value: unknown) =>
  credentialSource({ [option]: value }, option, { path: option, env: undefined }, undefined);

async function read(value: unknown) {
  const credential = await sourceOf('clientKey', value).read();
  const { keyId, kid, algorithm, certificate } = credential;
  return { pem: credential.reveal(), keyId, kid, algorithm, certificate };
}

const KEY_ALONE = {
  pem: PEM,
  keyId: undefined,
  kid: undefined,
  algorithm: undefined,
  certificate: undefined,
};

const SET_IT = 'Set it to the private key of this environment, or to the file that holds it.';
const CANNOT_SIGN = 'holds no private key: it is a JWK that cannot sign. Set the private JWK.';

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
  ])('B31: may be %s, and is the same text', async (_, value) => {
    expect(await read(value)).toEqual(KEY_ALONE);
  });

  it('B31: of a JWK has its alg and its kid', async () => {
    expect(await read({ ...JWK, alg: 'ES256', kid: 'july' })).toEqual({
      ...KEY_ALONE,
      algorithm: 'ES256',
      kid: 'july',
    });
  });

  it.each(['EdDSA', 'Ed25519'])('B31: of a JWK for Ed25519 may have the alg %s (RFC 9864)', async (alg) => {
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    expect(await read({ ...jwk, alg })).toMatchObject({ algorithm: 'EdDSA' });
  });

  it('B31: in an object has the id and the certificate of that object', async () => {
    expect(await read({ key: first.key, keyId: 'july', certificate: first.cert })).toEqual({
      ...KEY_ALONE,
      pem: pemOf(createPrivateKey(first.key)),
      keyId: 'july',
      certificate: first.cert,
    });
    expect(await read({ key: PEM, keyId: new Secret('july') })).toEqual({ ...KEY_ALONE, keyId: 'july' });
  });

  it.each<[string, () => unknown, string]>([
    ['nothing', () => undefined, `is missing. ${SET_IT}`],
    ['an empty text', () => '', `is empty. ${SET_IT}`],
    ['a number', () => 7, 'must be a PEM text, a JWK or a KeyObject, not a number.'],
    ['an object', () => ({}), 'must be a PEM text, a JWK or a KeyObject, not an object.'],
    ['a text', () => 'a key', 'holds no private key in PEM form.'],
    ['a public key', () => createPublicKey(PEM), 'is a public key. Set the private key.'],
    ['a secret key', () => createSecretKey(Buffer.from('key')), 'is a secret key. Set the private key.'],
    ['a public JWK', () => createPublicKey(PEM).export({ format: 'jwk' }), CANNOT_SIGN],
    ['half of a JWK', () => '{"kty":', CANNOT_SIGN],
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
  ])('C4: %s is refused', async (_, value, message) => {
    expect(await errorOf(read(value()))).toMatchObject({ problems: [{ path: 'clientKey', message }] });
  });

  it('C4: a certificate that is no text is refused', () => {
    expect(() => sourceOf('clientCertificate', 7)).toThrow(/ must be .*, not a number\./);
  });
});

interface Given {
  key?: unknown;
  certificate?: string;
  keyId?: string;
  assertion?: Parameters<typeof signingKeySource>[2]['assertion'];
}

/** A key in the code, with the other settings of its client. */
function givenSource({ key = PEM, certificate, keyId, assertion = { certificate: undefined } }: Given = {}) {
  return signingKeySource(
    sourceOf('clientKey', key),
    certificate === undefined ? undefined : sourceOf('clientCertificate', certificate),
    {
      assertion,
      keyId,
      placeOf: (member) => ({
        path: `pay.live.${member}`,
        env: member === 'clientKey' ? 'PAY_LIVE_CLIENT_KEY' : undefined,
      }),
    },
  );
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

  it('B31: has the id and the certificate of its object before those of the settings', async () => {
    const key = { key: first.key, keyId: 'of the object', certificate: first.cert };
    const assertion = { certificate: 'x5t' } as const;
    const source = givenSource({ key, keyId: 'of the settings', certificate: second.cert, assertion });
    expect(await source.read()).toMatchObject({ keyId: 'of the object', certificate: first.cert });
  });

  it.each<[string, () => Given, string, string]>([
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
  ])('C4: is refused with %s', async (_, given, member, message) => {
    expect(await errorOf(givenSource(given()).read())).toMatchObject({
      problems: [{ path: `pay.live.${member}`, message }],
    });
  });
});

it.each([
  ['both', { BANK_PAY_LIVE_CLIENT_KEY_FILE: '/nowhere/key.pem' }, 'names a file that does not exist'],
  ['the key is not set', {}, 'is missing'],
])(
  'C4: files of a key and its certificate that are missing are all in the one error: %s',
  async (_, variables, flawOfKey) => {
    const set = {
      BANK_ENVIRONMENT: 'live',
      BANK_PAY_LIVE_TOKEN_URL: 'https://bank.example/token',
      BANK_PAY_LIVE_BASE_URL: 'https://bank.example/v1',
      BANK_PAY_LIVE_CLIENT_ID: 'client-of-live',
      BANK_PAY_LIVE_CLIENT_CERTIFICATE_FILE: '/nowhere/certificate.pem',
      ...variables,
    };
    for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
    const bank = defineProvider({
      name: 'bank',
      environments: ['live'],
      interfaces: { pay: { clientAuth: 'private_key_jwt', assertion: { certificate: 'x5t' } } },
    });
    const { catalogue } = requiredPartsOf(bank);
    const error = await errorOf(validateOptions(catalogue, bank.config()));
    if (!(error instanceof ProviderAuthConfigError)) throw error;
    expect(error.problems).toMatchObject([
      { path: 'interfaces.pay.live.clientKey', message: expect.stringContaining(flawOfKey) },
      {
        path: 'interfaces.pay.live.clientCertificate',
        message: expect.stringContaining('names a file that does not exist'),
      },
    ]);
  },
);
