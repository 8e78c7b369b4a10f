import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { errorCode } from '../errors/error-code.js';
import { safely } from '../values/safely.js';
import { revealed } from './secret.js';
import { type Flaw, kindOf, UnusableValue } from './text-rules.js';
import { unpooledText } from './unpooled-buffer.js';

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----';

/** As OpenSSL reads it: each mark has a line for itself. A byte order mark may be before the first. */
const PEM_CERTIFICATE = /(?<=^\u{feff}?)-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----[ \t]*$/gmu;

/** Of PKCS #8, and of the older form of OpenSSL. */
const ENCRYPTED_KEY = /^(-----BEGIN ENCRYPTED |Proc-Type: 4,ENCRYPTED)/m;

/** The PEM text in a value: a text, a `Secret` of one, or a Buffer. Any other value stays unchanged. */
export function pemIn(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return revealed(value);
  // Without a copy, which would be in memory that buffers share (S10).
  const { buffer, byteOffset, byteLength } = value;
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** The certificates of a PEM text, or an `UnusableValue`. The first one is the key's; the authorities above it may follow. */
export function certificatesIn(text: string): X509Certificate[] {
  const certificates = (text.match(PEM_CERTIFICATE) ?? []).flatMap((one) =>
    safely<X509Certificate[]>(() => [new X509Certificate(one)], []),
  );
  // OpenSSL silently ends at a certificate that is cut off, or whose marks are on one line with those of another one.
  const begun = text.split(BEGIN_CERTIFICATE).length - 1;
  if (begun === 0)
    throw new UnusableValue(
      `holds no certificate in PEM form. A PEM certificate starts with ${BEGIN_CERTIFICATE}.`,
    );
  if (certificates.length < begun)
    throw new UnusableValue('contains a certificate that cannot be read. Copy the certificate again.');
  return certificates;
}

/** The private key of a PEM text, or an `UnusableValue`. Node would copy a text into memory that buffers share (S10). */
export function privateKeyIn(text: string): KeyObject {
  const key = safely<KeyObject | undefined>(() => createPrivateKey(unpooledText(text)), undefined);
  if (key !== undefined) return key;
  throw new UnusableValue(
    needsPassphrase(text)
      ? 'contains a private key that needs a passphrase. Store the key without a passphrase.'
      : 'holds no private key in PEM form.',
  );
}

export function flawOfPem(value: unknown, read: (text: string) => unknown): Flaw {
  if (typeof value !== 'string') return `must be a PEM text or a Buffer, not ${kindOf(value)}.`;
  try {
    read(value);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableValue) return error.message;
    throw error;
  }
}

/** Reads the PEM text of a client certificate that has not expired. */
export function clientCertificateIn(text: string): X509Certificate | undefined {
  const [leaf] = certificatesIn(text);
  if (leaf && Date.parse(leaf.validTo) < Date.now())
    throw new UnusableValue('contains a client certificate that has expired. Replace it with a new one.');
  return leaf;
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

export function belongTogether(certificate: string, key: string): boolean {
  return certificatesIn(certificate)[0]?.checkPrivateKey(privateKeyIn(key)) === true;
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
    const code = errorCode(error);
    return `is refused by OpenSSL${code === undefined ? '' : ` (${code})`}. ${advice}`;
  }
}
