import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type RSAPSSKeyPairKeyObjectOptions,
  X509Certificate,
} from 'node:crypto';
import { jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SigningAlgorithm, SIGNING_ALGORITHMS } from '../../../lib/catalogue/catalogue.js';
import { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { keyHeader, signingAlgorithms, signingInput, signWith } from '../../../lib/secrets/signing-key.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';

/** The types of Node want a text for the length of the salt. */
type Demands = Readonly<Record<string, string | number>>;

function pssKey(demands: Demands): KeyObject {
  const options = { modulusLength: 2048, ...demands } as RSAPSSKeyPairKeyObjectOptions;
  return generateKeyPairSync('rsa-pss', options).privateKey;
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const fingerprint = (hex: string): string =>
  Buffer.from(hex.replaceAll(':', ''), 'hex').toString('base64url');

/** Made once, because it takes long. */
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('the algorithm of a private key', () => {
  it.each([
    ['nothing', {}, 'PS256'],
    ['what PS256 uses', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 32 }, 'PS256'],
    ['the hash of PS512', { hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha512' }, 'PS512'],
    ['another hash', { hashAlgorithm: 'sha224', mgf1HashAlgorithm: 'sha224' }, undefined],
    ['another hash of the mask', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1' }, undefined],
    [
      'the hash of PS256 with the mask of PS512',
      { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha512' },
      undefined,
    ],
    ['only the hash of PS384', { hashAlgorithm: 'sha384' }, 'PS384'],
    ['a longer salt', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 64 }, undefined],
  ])(
    'B24: is one that an RSA-PSS key allows, PS256 if it can be: a key that demands %s',
    (_, options, algorithm) => {
      expect(signingAlgorithms(pssKey(options))[0]).toBe(algorithm);
    },
  );

  const ofRsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

  it.each([
    ['RSA', RSA, ofRsa],
    ['RSA of 1,024 bits, which RFC 7518 forbids', generateKeyPairSync('rsa', { modulusLength: 1024 }), []],
    ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' }), ['ES256']],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), ['ES384']],
    ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }), ['ES512']],
    ['the curve of Bitcoin', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), []],
    ['Ed25519', generateKeyPairSync('ed25519'), ['EdDSA']],
    ['X25519, which cannot sign', generateKeyPairSync('x25519'), []],
    ['DSA', generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 224 }), []],
  ])('B31: is one that the key can use: %s', (_, { privateKey }, algorithms) => {
    expect(signingAlgorithms(privateKey)).toEqual(algorithms);
    for (const algorithm of signingAlgorithms(privateKey)) expect(SIGNING_ALGORITHMS).toContain(algorithm);
  });
});

describe('a signed assertion', () => {
  const rsa = pemOf(RSA.privateKey);
  const ofCurve = (namedCurve: string): string => pemOf(generateKeyPairSync('ec', { namedCurve }).privateKey);
  const PEMS: Readonly<Record<SigningAlgorithm, string>> = {
    RS256: rsa,
    RS384: rsa,
    RS512: rsa,
    PS256: rsa,
    PS384: rsa,
    PS512: rsa,
    ES256: ofCurve('P-256'),
    ES384: ofCurve('P-384'),
    ES512: ofCurve('P-521'),
    EdDSA: pemOf(generateKeyPairSync('ed25519').privateKey),
  };

  it.each(SIGNING_ALGORITHMS)(
    'B31: is accepted by jose, with its header and claims: %s',
    async (algorithm) => {
      const pem = PEMS[algorithm];
      const credential = new ClientCredential(pem, { algorithm, keyId: 'key-7' });
      const claims = { iss: 'client ü', jti: '1' };
      const signed = signWith(credential, signingInput(keyHeader(credential, undefined), claims));
      const { payload, protectedHeader } = await jwtVerify(signed, createPublicKey(pem));
      expect(payload).toEqual(claims);
      expect(protectedHeader).toEqual({ alg: algorithm, kid: 'key-7' });
    },
  );

  it('B31: is not made without an algorithm', () => {
    expect(() => signWith(new ClientCredential(rsa), 'e30.e30')).toThrow(
      new TypeError('This key has no algorithm.'),
    );
  });
});

describe('the header of an assertion', () => {
  let pem: string;
  let authority: string;

  beforeAll(async () => {
    const created = await ClientAuthority.create();
    authority = created.ca.trim();
    pem = (await created.issue('client')).cert.trim();
  });

  it('B31: names the certificate of the key as the definition says', () => {
    const credential = new ClientCredential('key', {
      algorithm: 'ES256',
      certificate: `${pem}\n${authority}\n`,
    });
    const certificate = new X509Certificate(pem);
    const raw = [certificate, new X509Certificate(authority)].map((one) => one.raw.toString('base64'));
    expect(keyHeader(credential, undefined)).toEqual({ alg: 'ES256' });
    expect(keyHeader(credential, 'x5t')).toEqual({ alg: 'ES256', x5t: fingerprint(certificate.fingerprint) });
    expect(keyHeader(credential, 'x5t#S256')).toEqual({
      alg: 'ES256',
      'x5t#S256': fingerprint(certificate.fingerprint256),
    });
    expect(keyHeader(credential, 'x5c')).toEqual({ alg: 'ES256', x5c: raw });
  });

  it('B31: names no certificate that the credentials do not have', () => {
    const header = keyHeader(new ClientCredential('key', { algorithm: 'ES256' }), 'x5c');
    expect(JSON.stringify(header)).toBe('{"alg":"ES256"}');
  });
});
