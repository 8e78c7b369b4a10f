import { createPrivateKey, KeyObject } from 'node:crypto';
import type { AssertionEntry, SigningAlgorithm } from '../catalogue/catalogue.js';
import { ClientCredential, withFacts } from './client-credential.js';
import { revealed } from './secret.js';
import { privateKeyIn, signingAlgorithms } from './signing-key.js';
import { isRecord, memberOf, recordIn, withoutPrototype } from '../values/objects.js';
import { safely } from '../values/safely.js';
import { belongTogether, flawOfAuthorities, flawOfKey, flawOfPem, parsedKey, pemIn } from './pem-rules.js';
import { type Flaw, flawOfCredential, flawOfText, kindOf } from './text-rules.js';
import {
  type CredentialReading,
  readingOf,
  type ReadCredential,
  type SecretPlace,
  UnreadableSecretError,
  type SecretSource,
} from './secret-source.js';

/** The certificate of a private key, with or without the authorities between it and the root. */
function readCertificate(value: unknown): CredentialReading {
  const pem = pemIn(value);
  return readingOf(pem, flawOfPem(pem, flawOfAuthorities));
}

/** A private key: a PEM text, a `KeyObject`, a JWK, or an object with a key, its id and its certificate. Its text is always PKCS #8. */
function readClientKey(value: unknown, remedy?: string): CredentialReading {
  const given = revealed(value);
  const key = isRecord(given) && !(given instanceof KeyObject) ? memberOf(given, 'key') : undefined;
  if (!isRecord(given) || key === undefined) return readKey(given, remedy);
  const reading = readKey(revealed(key), remedy);
  if ('flaw' in reading) return reading;
  const [keyId, certificate] = ['keyId', 'certificate'].map((member) => revealed(memberOf(given, member)));
  const flawOfId = keyId === undefined ? undefined : flawOfText(keyId);
  if (flawOfId !== undefined) return { flaw: `has a keyId which ${flawOfId}` };
  const certified = certificate === undefined ? undefined : readCertificate(certificate);
  if (certified && 'flaw' in certified) return { flaw: `has a certificate which ${certified.flaw}` };
  return {
    credential: withFacts(reading.credential, {
      keyId: typeof keyId === 'string' ? keyId : undefined,
      certificate: certified?.credential.reveal(),
    }),
  };
}

function readKey(
  given: unknown,
  remedy = 'Set it to the private key of this environment, or to the file that holds it.',
): CredentialReading {
  if (given === undefined || given === '') return { flaw: `is missing. ${remedy}` };
  if (given instanceof KeyObject)
    return given.type === 'private'
      ? usableKey(given)
      : { flaw: `is a ${given.type} key. Set the private key.` };
  const jwk = jwkIn(given);
  if (jwk !== undefined) return readJwk(jwk);
  if (typeof given !== 'string')
    return { flaw: `must be a PEM text, a JWK or a KeyObject, not ${kindOf(given)}.` };
  const key = parsedKey(given);
  return key === undefined ? { flaw: flawOfKey(given) ?? 'is no private key.' } : usableKey(key);
}

/** The members of a JWK, read once and without those of a polluted `Object.prototype`. */
function jwkIn(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof given === 'string') return /^\s*\{/.test(given) ? (recordIn(given) ?? {}) : undefined;
  return isRecord(given) && memberOf(given, 'kty') !== undefined ? withoutPrototype(given) : undefined;
}

function readJwk(jwk: Readonly<Record<string, unknown>>): CredentialReading {
  const key = safely<KeyObject | undefined>(() => createPrivateKey({ key: jwk, format: 'jwk' }), undefined);
  if (key === undefined)
    return { flaw: 'holds no private key: it is a JWK that cannot sign. Set the private JWK.' };
  const { kid, alg } = jwk;
  const flawOfId = kid === undefined ? undefined : flawOfText(kid);
  if (flawOfId !== undefined) return { flaw: `is a JWK whose kid ${flawOfId}` };
  // RFC 9864 calls EdDSA with this curve `Ed25519`, and so do newer exports.
  const named = alg === 'Ed25519' ? 'EdDSA' : alg;
  const algorithm = signingAlgorithms(key).find((one) => one === named);
  if (alg !== undefined && algorithm === undefined)
    return { flaw: 'is a JWK whose alg does not fit its key. Correct the alg, or remove it.' };
  return usableKey(key, { algorithm, kid: typeof kid === 'string' ? kid : undefined });
}

function usableKey(
  key: KeyObject,
  facts: Pick<ClientCredential, 'algorithm' | 'kid'> = {},
): CredentialReading {
  return signingAlgorithms(key).length === 0
    ? {
        flaw: 'contains a private key that cannot sign client assertions. Use an RSA key of 2048 bits or more, or a key for P-256, P-384, P-521 or Ed25519.',
      }
    : { credential: new ClientCredential(key.export({ format: 'pem', type: 'pkcs8' }).toString(), facts) };
}

type Member = 'clientKey' | 'clientCertificate';

/** Why the parts cannot be used together, and the setting that holds the wrong part. */
interface Misfit {
  readonly member: Member;
  readonly flaw: string;
}

interface Parts {
  readonly key: SecretSource;
  /** Undefined if no certificate is set. The source of the key may give one. */
  readonly certificate: SecretSource | undefined;
  readonly assertion: Pick<AssertionEntry, 'algorithm' | 'certificate'>;
  readonly keyId: string | undefined;
  readonly placeOf: (member: Member) => SecretPlace;
}

/** A private key with its id, its algorithm and its certificate. All of them are read for each token request. */
export function signingKeySource(parts: Parts) {
  const { key, certificate, placeOf } = parts;
  return {
    get atBoot() {
      return key.atBoot;
    },
    /** What does not fit at boot. Undefined if a part is known at the first token request only. */
    misfitAtBoot() {
      if (key.atBoot === undefined || (certificate && certificate.atBoot === undefined)) return undefined;
      const whole = wholeKey(parts, key.atBoot, certificate?.atBoot);
      return 'flaw' in whole ? whole : undefined;
    },
    async read() {
      const whole = wholeKey(parts, ...(await Promise.all([key.read(), certificate?.read()])));
      if ('flaw' in whole) throw new UnreadableSecretError(placeOf(whole.member), whole.flaw);
      return whole;
    },
  };
}

function wholeKey(
  { assertion, keyId, placeOf }: Parts,
  given: ClientCredential,
  own: ClientCredential | undefined,
): ClientCredential | Misfit {
  const fitting = signingAlgorithms(privateKeyIn(given.reveal()));
  const flaw = flawOfAlgorithm(given, assertion.algorithm, fitting);
  if (flaw !== undefined) return { member: 'clientKey', flaw };
  const certificate = given.certificate ?? own?.reveal();
  if (assertion.certificate !== undefined) {
    if (certificate === undefined)
      return {
        member: 'clientCertificate',
        flaw: 'is missing. Set it to the certificate of the client key.',
      };
    if (!belongTogether(certificate, given.reveal())) {
      const { path, env = path } = placeOf('clientKey');
      return given.certificate === undefined
        ? {
            member: 'clientCertificate',
            flaw: `does not belong to the key in ${env}. Set both to the same pair.`,
          }
        : { member: 'clientKey', flaw: 'has a certificate that does not belong to its key.' };
    }
  }
  return withFacts(given, {
    algorithm: assertion.algorithm ?? given.algorithm ?? fitting[0],
    keyId: given.keyId ?? keyId ?? given.kid,
    certificate,
  });
}

function flawOfAlgorithm(
  { algorithm }: ClientCredential,
  demanded: SigningAlgorithm | undefined,
  fitting: readonly SigningAlgorithm[],
): Flaw {
  if (demanded === undefined) return undefined;
  if (!fitting.includes(demanded))
    return `cannot sign with ${demanded}, the algorithm in the definition. Use a key that can, or change the algorithm.`;
  return algorithm === undefined || algorithm === demanded
    ? undefined
    : `is a JWK whose alg is not ${demanded}, the algorithm in the definition. Set both to the same.`;
}

/**
 * How each option with a credential is read.
 *
 * @param provider the provider that gave the credential. Undefined for the built-in provider.
 * @param remedy for a value that is missing.
 */
export const CREDENTIAL_KINDS = {
  clientSecret: (provider?: string, remedy = 'Set it to the client secret of this environment.') =>
    secretOf(provider, remedy),
  clientKey: (_provider?: string, remedy?: string) => (value) => readClientKey(value, remedy),
  // An assertion of another system has the rules of a secret.
  clientAssertion: (
    provider?: string,
    remedy = 'Set it to a function that gives the assertion, or to the file that holds it.',
  ) => secretOf(provider, remedy),
  clientCertificate: (_provider?: string, _remedy?: string) => readCertificate,
} as const satisfies Record<string, (provider?: string, remedy?: string) => ReadCredential>;

function secretOf(provider: string | undefined, remedy: string): ReadCredential {
  return (value) => readingOf(value, flawOfCredential(value, remedy, provider));
}
