import { createPrivateKey, KeyObject, X509Certificate } from 'node:crypto';
import { signingAlgorithm } from '../../secrets/signing-key.js';
import { safely } from '../../values/safely.js';
import { type Flaw, kindOf } from './text-rules.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Of PKCS #8, and of the older form of OpenSSL. */
const ENCRYPTED_KEY = /^(-----BEGIN ENCRYPTED |Proc-Type: 4,ENCRYPTED)/m;

/** What is wrong with the PEM text of one or more authorities. */
export function flawOfAuthorities(text: string): Flaw {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    return 'holds no certificate in PEM form. A PEM certificate starts with -----BEGIN CERTIFICATE-----.';
  return certificates.every((one) => parsedCertificate(one) !== undefined)
    ? undefined
    : 'holds a certificate that cannot be read. Copy the certificate again.';
}

/** What is wrong with the PEM text of a client certificate. The authorities between it and the root may follow it. */
export function flawOfCertificate(text: string): Flaw {
  const flaw = flawOfAuthorities(text);
  const leaf = leafOf(text);
  if (flaw !== undefined || leaf === undefined) return flaw;
  return Date.parse(leaf.validTo) < Date.now()
    ? 'holds a client certificate that has expired. Replace it by a new one.'
    : undefined;
}

/** What is wrong with the PEM text of a private key. */
export function flawOfKey(text: string): Flaw {
  if (parsedKey(text) !== undefined) return undefined;
  return ENCRYPTED_KEY.test(text)
    ? 'holds a private key that needs a passphrase. Store the key without a passphrase.'
    : 'holds no private key in PEM form.';
}

/** What is wrong with the private key of a client, as a PEM text or as a `KeyObject`. */
export function flawOfClientKey(value: unknown): Flaw {
  if (value === undefined || value === '')
    return 'is missing. Set it to the private key of this environment, or to the file that holds it.';
  if (value instanceof KeyObject) {
    return value.type === 'private' ? flawOfAlgorithm(value) : `is a ${value.type} key. Set the private key.`;
  }
  if (typeof value !== 'string')
    return `must be a PEM text, a KeyObject or a function that gives one, not ${kindOf(value)}.`;
  const flaw = flawOfKey(value);
  if (flaw !== undefined) return flaw;
  const key = parsedKey(value);
  return key && flawOfAlgorithm(key);
}

function flawOfAlgorithm(key: KeyObject): Flaw {
  return signingAlgorithm(key) === undefined
    ? 'holds a private key that cannot sign client assertions. Use an RSA key of 2048 bits or more, or a key for P-256 or Ed25519.'
    : undefined;
}

/** Whether the private key is that of the first certificate. True if either cannot be read: its own flaw says so. */
export function belongTogether(certificate: string, key: string): boolean {
  const leaf = leafOf(certificate);
  const privateKey = parsedKey(key);
  return leaf === undefined || privateKey === undefined || leaf.checkPrivateKey(privateKey);
}

function leafOf(text: string): X509Certificate | undefined {
  const [first] = text.match(CERTIFICATE) ?? [];
  return first === undefined ? undefined : parsedCertificate(first);
}

function parsedKey(text: string): KeyObject | undefined {
  return safely<KeyObject | undefined>(() => createPrivateKey(text), undefined);
}

function parsedCertificate(text: string): X509Certificate | undefined {
  return safely<X509Certificate | undefined>(() => new X509Certificate(text), undefined);
}
