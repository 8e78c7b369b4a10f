import { generateKeyPairSync, type KeyObject, type RSAPSSKeyPairKeyObjectOptions } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signingAlgorithm } from '../../../lib/secrets/signing-key.js';

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
    ['another hash', { hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha512' }, undefined],
    ['another hash of the mask', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1' }, undefined],
    ['a longer salt', { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 64 }, undefined],
  ])(
    'B24: is PS256 only for an RSA-PSS key that PS256 can use: a key that demands %s',
    (_, options, algorithm) => {
      expect(signingAlgorithm(pssKey(options))).toBe(algorithm);
    },
  );
});
