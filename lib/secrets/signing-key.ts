import {
  constants,
  createHash,
  type KeyObject,
  sign,
  type SigningOptions,
  type X509Certificate,
} from 'node:crypto';
import { type AssertionEntry, type SigningAlgorithm, SIGNING_ALGORITHMS } from '../catalogue/catalogue.js';
import type { ClientCredential } from './client-credential.js';
import { certificatesIn, privateKeyIn } from './pem-rules.js';
import { unpooledText } from './unpooled-buffer.js';

type CertificateHeader = AssertionEntry['certificate'] & string;

/** RFC 7518 section 3.3: a shorter RSA key must not be used. */
const SHORTEST_RSA_BITS = 2048;

/** RFC 7518 section 3.4: each curve has its own algorithm. */
const OF_CURVE: ReadonlyMap<string | undefined, SigningAlgorithm> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
]);

/** The algorithms that can use a private key. The first one is the default. */
export function signingAlgorithms({
  asymmetricKeyType,
  asymmetricKeyDetails = {},
}: KeyObject): readonly SigningAlgorithm[] {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ed25519') return ['EdDSA'];
  if (asymmetricKeyType === 'ec') return [OF_CURVE.get(namedCurve) ?? []].flat();
  if (modulusLength < SHORTEST_RSA_BITS) return [];
  if (asymmetricKeyType === 'rsa') return SIGNING_ALGORITHMS.filter((one) => /^[RP]S/.test(one));
  if (asymmetricKeyType !== 'rsa-pss') return [];
  return SIGNING_ALGORITHMS.filter((one) => one.startsWith('PS') && allows(asymmetricKeyDetails, one));
}

/** An RSA-PSS key may say how it is used. An algorithm has one hash in both places, and a salt as long as the hash (RFC 7518 section 3.5). */
function allows(details: KeyObject['asymmetricKeyDetails'] & {}, algorithm: SigningAlgorithm): boolean {
  const hash = hashOf(algorithm);
  const { hashAlgorithm = hash, mgf1HashAlgorithm = hashAlgorithm, saltLength = 0 } = details;
  return hashAlgorithm === hash && mgf1HashAlgorithm === hash && saltLength <= bitsOf(algorithm) / 8;
}

const bitsOf = (algorithm: SigningAlgorithm): number => Number(algorithm.slice(2));
const hashOf = (algorithm: SigningAlgorithm): string => `sha${bitsOf(algorithm)}`;

export function keyHeader(
  { algorithm, keyId, certificate }: ClientCredential,
  named: AssertionEntry['certificate'],
): object {
  return {
    alg: algorithm,
    ...(keyId !== undefined && { kid: keyId }),
    ...(named !== undefined &&
      certificate !== undefined && { [named]: CERTIFICATE_NAMES[named](certificatesIn(certificate)) }),
  };
}

const CERTIFICATE_NAMES: Readonly<Record<CertificateHeader, (chain: readonly X509Certificate[]) => unknown>> =
  {
    x5t: (chain) => thumbprint(chain, 'sha1'),
    'x5t#S256': (chain) => thumbprint(chain, 'sha256'),
    x5c: (chain) => chain.map(({ raw }) => raw.toString('base64')),
  };

function thumbprint([leaf]: readonly X509Certificate[], hash: 'sha1' | 'sha256'): string {
  return createHash(hash)
    .update(leaf?.raw ?? '')
    .digest('base64url');
}

/** The header and the claims of a JWT, as they are signed (RFC 7515 section 5.1). Not in the memory that buffers share (S10). */
export function signingInput(header: object, claims: object): string {
  return [header, claims].map((part) => unpooledText(JSON.stringify(part)).toString('base64url')).join('.');
}

/** Signs a text with the private key. Returns the text with its signature (RFC 7515 section 3.1). */
export function signWith(key: ClientCredential, text: string): string {
  if (key.algorithm === undefined) throw new TypeError('This key has no algorithm.');
  const { hash, options } = signatureOptions(key.algorithm);
  const signature = sign(hash, unpooledText(text), { key: privateKeyIn(key.reveal()), ...options });
  return `${text}.${signature.toString('base64url')}`;
}

export function signatureOptions(algorithm: SigningAlgorithm): {
  hash: string | null;
  options: SigningOptions;
} {
  return {
    hash: algorithm === 'EdDSA' ? null : hashOf(algorithm),
    options: {
      // RFC 7518 section 3.4: the two numbers one after the other, and not as DER.
      ...(algorithm.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
      ...(algorithm.startsWith('PS') && {
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }),
    },
  };
}
