import { constants, createPrivateKey, type KeyObject, sign, type SigningOptions } from 'node:crypto';
import type { Secret } from './secret.js';
import { unpooledText } from './unpooled-buffer.js';

/** The algorithms that a client assertion can have (RFC 7518). The key decides which one. */
export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

/** RFC 7518 section 3.3: a shorter RSA key must not be used. */
const SHORTEST_RSA_BITS = 2048;

/** The algorithm for a private key. Undefined if no algorithm can use the key. */
export function signingAlgorithm({
  asymmetricKeyType,
  asymmetricKeyDetails = {},
}: KeyObject): SigningAlgorithm | undefined {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails;
  const isLong = modulusLength >= SHORTEST_RSA_BITS;
  if (asymmetricKeyType === 'rsa') return isLong ? 'RS256' : undefined;
  if (asymmetricKeyType === 'rsa-pss') return isLong && fitsPs256(asymmetricKeyDetails) ? 'PS256' : undefined;
  if (asymmetricKeyType === 'ec') return namedCurve === 'prime256v1' ? 'ES256' : undefined;
  return asymmetricKeyType === 'ed25519' ? 'EdDSA' : undefined;
}

/** An RSA-PSS key may say how it is used. PS256 has SHA-256 in both places, and a salt as long as the hash (RFC 7518 section 3.5). */
function fitsPs256({
  hashAlgorithm = 'sha256',
  mgf1HashAlgorithm = hashAlgorithm,
  saltLength = 0,
}: NonNullable<KeyObject['asymmetricKeyDetails']>): boolean {
  return hashAlgorithm === 'sha256' && mgf1HashAlgorithm === 'sha256' && saltLength <= 32;
}

/** Signs a text with the private key in a PEM text. */
export function signWith(pem: Secret, create: (algorithm: SigningAlgorithm) => string): string {
  const key = createPrivateKey(pem.reveal());
  const algorithm = signingAlgorithm(key);
  if (algorithm === undefined) throw new TypeError('No algorithm can use this key.');
  const text = create(algorithm);
  const { hash, options } = signatureOptions(algorithm);
  const signature = sign(hash, unpooledText(text), { key, ...options });
  return `${text}.${signature.toString('base64url')}`;
}

/** How `node:crypto` signs and verifies with an algorithm. */
export function signatureOptions(algorithm: SigningAlgorithm): {
  hash: 'sha256' | null;
  options: SigningOptions;
} {
  return {
    hash: algorithm === 'EdDSA' ? null : 'sha256',
    options: {
      // RFC 7518 section 3.4: the two numbers one after the other, and not as DER.
      ...(algorithm === 'ES256' && { dsaEncoding: 'ieee-p1363' }),
      ...(algorithm === 'PS256' && {
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }),
    },
  };
}
