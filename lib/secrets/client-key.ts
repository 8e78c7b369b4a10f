import { createPrivateKey, KeyObject } from 'node:crypto';
import type { AssertionEntry, SigningAlgorithm } from '../catalogue/catalogue.js';
import { ClientCredential, withFacts } from './client-credential.js';
import { revealed } from './secret.js';
import { signingAlgorithms } from './signing-key.js';
import { isRecord, memberOf, recordIn, withoutPrototype } from '../values/objects.js';
import { safely } from '../values/safely.js';
import { belongTogether, certificatesIn, flawOfPem, pemIn, privateKeyIn } from './pem-rules.js';
import {
  type Flaw,
  flawOfCredential,
  flawOfMissing,
  flawOfText,
  inWords,
  kindOf,
  refuse,
  UnusableValue,
} from './text-rules.js';
import {
  credentialOf,
  type SecretPlace,
  type SecretSource,
  sourceOf,
  UnreadableSecretError,
} from './secret-source.js';

/** The certificate of a private key, with or without the authorities between it and the root. */
function readCertificate(value: unknown): ClientCredential {
  const pem = pemIn(value);
  return credentialOf(pem, flawOfPem(pem, certificatesIn));
}

/** A private key: a PEM text, a `KeyObject`, a JWK, or an object with a key, its id and its certificate. Its text is always PKCS #8. */
function readClientKey(value: unknown): ClientCredential {
  const given = revealed(value);
  const parts = isRecord(given) && !(given instanceof KeyObject) ? given : {};
  const key = memberOf(parts, 'key');
  if (key === undefined) return readKey(given);
  const credential = readKey(revealed(key));
  const [keyId, certificate] = ['keyId', 'certificate'].map((member) => revealed(memberOf(parts, member)));
  return withFacts(credential, {
    keyId: idIn(keyId, 'has a keyId which'),
    certificate:
      certificate === undefined
        ? undefined
        : inWords('has a certificate which', () => readCertificate(certificate)).reveal(),
  });
}

function idIn(value: unknown, words: string): string | undefined {
  if (value === undefined) return undefined;
  return inWords(words, () => credentialOf(value, flawOfText(value))).reveal();
}

function readKey(given: unknown): ClientCredential {
  if (given instanceof KeyObject) {
    if (given.type !== 'private') throw new UnusableValue(`is a ${given.type} key. Set the private key.`);
    return usableKey(given);
  }
  const jwk = jwkIn(given);
  if (jwk !== undefined) return readJwk(jwk);
  if (typeof given !== 'string')
    throw new UnusableValue(`must be a PEM text, a JWK or a KeyObject, not ${kindOf(given)}.`);
  return usableKey(privateKeyIn(given));
}

/** The members of a JWK, read once and without those of a polluted `Object.prototype`. */
function jwkIn(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof given === 'string') return /^\s*\{/.test(given) ? (recordIn(given) ?? {}) : undefined;
  return isRecord(given) && memberOf(given, 'kty') !== undefined ? withoutPrototype(given) : undefined;
}

function readJwk(jwk: Readonly<Record<string, unknown>>): ClientCredential {
  const key = safely<KeyObject | undefined>(() => createPrivateKey({ key: jwk, format: 'jwk' }), undefined);
  if (key === undefined)
    throw new UnusableValue('holds no private key: it is a JWK that cannot sign. Set the private JWK.');
  const { alg } = jwk;
  const kid = idIn(jwk['kid'], 'is a JWK whose kid');
  // RFC 9864 calls EdDSA with this curve `Ed25519`, and so do newer exports.
  const named = alg === 'Ed25519' ? 'EdDSA' : alg;
  const algorithm = signingAlgorithms(key).find((one) => one === named);
  if (alg !== undefined && algorithm === undefined)
    throw new UnusableValue('is a JWK whose alg does not fit its key. Correct the alg, or remove it.');
  return usableKey(key, { algorithm, kid });
}

function usableKey(
  key: KeyObject,
  facts: Pick<ClientCredential, 'algorithm' | 'kid'> = {},
): ClientCredential {
  if (signingAlgorithms(key).length === 0)
    throw new UnusableValue(
      'contains a private key that cannot sign client assertions. Use an RSA key of 2048 bits or more, or a key for P-256, P-384, P-521 or Ed25519.',
    );
  return new ClientCredential(key.export({ format: 'pem', type: 'pkcs8' }).toString(), facts);
}

type Member = 'clientKey' | 'clientCertificate';

interface KeySettings {
  readonly assertion: Pick<AssertionEntry, 'algorithm' | 'certificate'>;
  readonly keyId: string | undefined;
  readonly placeOf: (member: Member) => SecretPlace;
}

/**
 * A private key with its id, its algorithm and its certificate. All of them are read for each token request.
 *
 * @param certificate undefined if no certificate is set. The source of the key may give one.
 */
export function signingKeySource(
  key: SecretSource,
  certificate: SecretSource | undefined,
  settings: KeySettings,
): SecretSource {
  return {
    async read() {
      return wholeKey(settings, ...(await Promise.all([key.read(), certificate?.read()])));
    },
  };
}

/** Throws if the parts cannot be used together. The error names the setting that holds the wrong part. */
export function wholeKey(
  { assertion, keyId, placeOf }: KeySettings,
  given: ClientCredential,
  own: ClientCredential | undefined,
): ClientCredential {
  const refuseAs = (member: Member, flaw: string): never => {
    throw new UnreadableSecretError(placeOf(member), flaw);
  };
  const fitting = signingAlgorithms(privateKeyIn(given.reveal()));
  const flaw = flawOfAlgorithm(given, assertion.algorithm, fitting);
  if (flaw !== undefined) return refuseAs('clientKey', flaw);
  const certificate = given.certificate ?? own?.reveal();
  if (assertion.certificate !== undefined) {
    if (certificate === undefined)
      return refuseAs('clientCertificate', 'is missing. Set it to the certificate of the client key.');
    if (!belongTogether(certificate, given.reveal())) {
      if (given.certificate !== undefined)
        return refuseAs('clientKey', 'has a certificate that does not belong to its key.');
      const { path, env = path } = placeOf('clientKey');
      return refuseAs(
        'clientCertificate',
        `does not belong to the key in ${env}. Set both to the same pair.`,
      );
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

/** What to do about a credential that is missing. */
export const CREDENTIAL_REMEDIES = {
  clientSecret: 'Set it to the client secret of this environment.',
  clientKey: 'Set it to the private key of this environment, or to the file that holds it.',
  clientAssertion: 'Set it to a function that gives the assertion, or to the file that holds it.',
  clientCertificate: 'Set it to the certificate of the client key.',
} as const;

export type CredentialOption = keyof typeof CREDENTIAL_REMEDIES;

/**
 * The source of a credential in an object of credentials.
 *
 * @param provider the provider that gave the credential. Undefined for the built-in provider.
 */
export function credentialSource(
  holder: object,
  option: CredentialOption,
  place: SecretPlace,
  provider: string | undefined,
  remedy: string = CREDENTIAL_REMEDIES[option],
): SecretSource {
  const read = (value: unknown): ClientCredential => {
    refuse(flawOfMissing(value, remedy));
    if (option === 'clientKey') return readClientKey(value);
    if (option === 'clientCertificate') return readCertificate(value);
    // An assertion of another system has the rules of a secret.
    return credentialOf(value, flawOfCredential(value, remedy, provider));
  };
  return sourceOf(memberOf(holder, option), place, read, holder);
}
