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
    ['what PS256 uses', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 32 }, 'PS256'],
    ['the hash of PS512', { hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha512' }, 'PS512'],
    ['another hash', { hashAlgorithm: 'sha224', mgf1HashAlgorithm: 'sha224' }, undefined],
    ['another hash of the mask', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1' }, undefined],
    ['a longer salt', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 64 }, undefined],
  ])(
    'B24: is one that an RSA-PSS key allows, PS256 if it can be: a key that demands %s',
    (_, options, algorithm) => {
      expect(signingAlgorithms(pssKey(options))[0]).toBe(algorithm);
    },
  );
});
