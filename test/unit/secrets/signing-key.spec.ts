import { generateKeyPairSync, type KeyObject, type RSAPSSKeyPairKeyObjectOptions } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signingAlgorithms } from '../../../lib/secrets/signing-key.js';

/** The types of Node want a text for the length of the salt. */
type Demands = Readonly<Record<string, string | number>>;

function pssKey(demands: Demands): KeyObject {
  const options = { modulusLength: 2048, ...demands } as RSAPSSKeyPairKeyObjectOptions;
  return generateKeyPairSync('rsa-pss', options).privateKey;
}

describe('the algorithm of a private key', () => {
  it.each([
    ['nothing', {}, 'PS256'],
    ['the hash of PS512', { hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha512' }, 'PS512'],
    ['another hash', { hashAlgorithm: 'sha224', mgf1HashAlgorithm: 'sha224' }, undefined],
    ['another hash of the mask', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1' }, undefined],
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
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }), ofRsa],
    ['RSA of 1,024 bits, which RFC 7518 forbids', generateKeyPairSync('rsa', { modulusLength: 1024 }), []],
    ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' }), ['ES256']],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), ['ES384']],
    ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }), ['ES512']],
    ['the curve of Bitcoin', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), []],
    ['Ed25519', generateKeyPairSync('ed25519'), ['EdDSA']],
    ['X25519, which cannot sign', generateKeyPairSync('x25519'), []],
    ['DSA', generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }), []],
  ])('B31: is one that the key can use: %s', (_, { privateKey }, algorithms) => {
    expect(signingAlgorithms(privateKey)).toEqual(algorithms);
  });
});
