import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { errorCode } from '../errors/error-code.js';
import { PEM_CERTIFICATE, privateKeyIn } from './signing-key.js';
import { safely } from '../values/safely.js';
import { revealed } from './secret.js';
import { type Flaw, kindOf } from './text-rules.js';

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----';

/** Of PKCS #8, and of the older form of OpenSSL. */
const ENCRYPTED_KEY = /^(-----BEGIN ENCRYPTED |Proc-Type: 4,ENCRYPTED)/m;

/** The PEM text in a value: a text, a `Secret` of one, or a Buffer. Any other value stays unchanged. */
export function pemIn(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return revealed(value);
  // Without a copy, which would be in memory that buffers share (S10).
  const { buffer, byteOffset, byteLength } = value;
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

export function flawOfPem(value: unknown, flawOf: (text: string) => Flaw): Flaw {
  return typeof value === 'string' ? flawOf(value) : `must be a PEM text or a Buffer, not ${kindOf(value)}.`;
}

export function flawOfAuthorities(text: string): Flaw {
  const certificates = text.match(PEM_CERTIFICATE) ?? [];
  // OpenSSL silently ends at a certificate that is cut off, or whose marks are on one line with those of another one.
  const begun = text.split(BEGIN_CERTIFICATE).length - 1;
  if (begun === 0)
    return `holds no certificate in PEM form. A PEM certificate starts with ${BEGIN_CERTIFICATE}.`;
  return certificates.length === begun && certificates.every((one) => parsedCertificate(one) !== undefined)
    ? undefined
    : 'contains a certificate that cannot be read. Copy the certificate again.';
}

/** What is wrong with the PEM text of a client certificate. The authorities between it and the root may follow it. */
export function flawOfCertificate(text: string): Flaw {
  const flaw = flawOfAuthorities(text);
  const leaf = leafOf(text);
  if (flaw !== undefined || leaf === undefined) return flaw;
  return Date.parse(leaf.validTo) < Date.now()
    ? 'contains a client certificate that has expired. Replace it with a new one.'
    : undefined;
}

export function flawOfKey(text: string): Flaw {
  if (parsedKey(text) !== undefined) return undefined;
  return needsPassphrase(text)
    ? 'contains a private key that needs a passphrase. Store the key without a passphrase.'
    : 'holds no private key in PEM form.';
}

export function needsPassphrase(text: string): boolean {
  return ENCRYPTED_KEY.test(text);
}

/** The text of a key without its passphrase. Unchanged if the passphrase is wrong or missing. */
export function openedKey(text: string, passphrase: unknown): string {
  if (!needsPassphrase(text)) return text;
  const given = typeof passphrase === 'string' ? passphrase : '';
  return safely(
    () =>
      createPrivateKey({ key: text, passphrase: given }).export({ type: 'pkcs8', format: 'pem' }).toString(),
    text,
  );
}

/** Whether the private key is that of the first certificate. True if either cannot be read: its own flaw says so. */
export function belongTogether(certificate: string, key: string): boolean {
  const leaf = leafOf(certificate);
  const privateKey = parsedKey(key);
  return leaf === undefined || privateKey === undefined || leaf.checkPrivateKey(privateKey);
}

/** The first certificate of a PEM text is the key's. */
export function leafOf(text: string): X509Certificate | undefined {
  const [first] = text.match(PEM_CERTIFICATE) ?? [];
  return first === undefined ? undefined : parsedCertificate(first);
}

/**
 * OpenSSL refuses more than the rules do, such as a key that is too short for its security level.
 *
 * @param makeContext makes the context that connections would use.
 */
export function flawOfContext(makeContext: () => void, advice: string): Flaw {
  try {
    makeContext();
    return undefined;
  } catch (error) {
    const code = error instanceof Error ? errorCode(error) : undefined;
    return `is refused by OpenSSL${code === undefined ? '' : ` (${code})`}. ${advice}`;
  }
}

export function parsedKey(text: string): KeyObject | undefined {
  return safely<KeyObject | undefined>(() => privateKeyIn(text), undefined);
}

function parsedCertificate(text: string): X509Certificate | undefined {
  return safely<X509Certificate | undefined>(() => new X509Certificate(text), undefined);
}
