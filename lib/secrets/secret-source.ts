import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { ClientCredential } from './client-credential.js';
import { MountedFile } from './mounted-file.js';
import { isPlaceholder } from './placeholder.js';
import { revealed } from './secret.js';
import { type Flaw, flawOfText, inWords, refuse, UnusableValue } from './text-rules.js';

/** Where a client secret comes from. The secret is read again for each token request, so that a rotated secret needs no restart. */
export interface SecretSource {
  /**
   * Rejects with an `UnreadableSecretError` if the secret cannot be read.
   *
   * @param isAgain after a refusal: what a source has in memory may be old.
   */
  read(isAgain?: boolean): Promise<ClientCredential>;
}

/** The setting of a source, for errors. */
export interface SecretPlace {
  readonly path: string;
  readonly env: string | undefined;
}

/** Reads a value of one kind, or throws an `UnusableValue`. Equal secrets have equal texts. */
export type ReadCredential = (value: unknown) => ClientCredential;

export function credentialOf(value: unknown, flaw: Flaw): ClientCredential {
  refuse(flaw);
  return new ClientCredential(String(value));
}

/** A key for HKDF needs as many bytes as the key that it makes. */
const SHORTEST_SEAL_KEY_BYTES = 32;

/** Reads what seals the entries of clients that have neither a secret nor a private key. */
export function readSealKey(value: unknown): ClientCredential {
  const isWeak = Buffer.byteLength(String(value)) < SHORTEST_SEAL_KEY_BYTES || isPlaceholder(String(value));
  const flaw = `is a placeholder, or shorter than ${SHORTEST_SEAL_KEY_BYTES} bytes. Use random text, such as the output of openssl rand -base64 32.`;
  return credentialOf(value, flawOfText(value) ?? (isWeak ? flaw : undefined));
}

/**
 * The source of a setting. A function and a file are read for token requests only. Any other value is read at once: this throws if
 * the value is wrong.
 *
 * @param holder a function is called as a method of this object.
 */
export function sourceOf(
  value: unknown,
  place: SecretPlace,
  read: ReadCredential,
  holder: object,
): SecretSource {
  if (value instanceof MountedFile)
    return asking(place, async () => {
      const text = await value.read();
      return inWords('names a file whose content', () => withoutLineBreak(read, text));
    });
  if (typeof value === 'function')
    return asking(place, async () => {
      const given = await answerOf(async () => revealed(await Reflect.apply(value, holder, [])));
      return inWords('cannot be used: its function gives a value which', () => withoutLineBreak(read, given));
    });
  try {
    const credential = withoutLineBreak(read, revealed(value));
    return { read: () => Promise.resolve(credential) };
  } catch (error) {
    throw placed(error, place);
  }
}

/** What is wrong with a value is a problem of its setting. */
export function asking(place: SecretPlace, read: SecretSource['read']): SecretSource {
  return Object.freeze({
    read: (isAgain?: boolean) =>
      read(isAgain).catch((error: unknown) => {
        throw placed(error, place);
      }),
  });
}

function placed(error: unknown, place: SecretPlace): unknown {
  return error instanceof UnusableValue ? new UnreadableSecretError(place, error.message, error.code) : error;
}

/** A line break at the end is removed, because files have one. */
function withoutLineBreak(read: ReadCredential, value: unknown): ClientCredential {
  return read(typeof value === 'string' ? value.replace(/\r?\n$/, '') : value);
}

/** A function that is a member of options, as a method of them. Any other value stays unchanged. */
export function boundTo<Value>(holder: object, value: Value): Value {
  if (typeof value !== 'function') return value;
  return ((...given: unknown[]): unknown => Reflect.apply(value, holder, given)) as Value;
}

/** What a function of the application gives. Its error may contain a secret and is dropped. */
export async function answerOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch {
    throw new UnusableValue(
      'gives nothing: your function throws or rejects. Log the error inside your function: this package never repeats it.',
    );
  }
}

/** A secret that cannot be read. After the boot, callers get a `TokenRequestError` instead. */
export class UnreadableSecretError extends ProviderAuthConfigError {
  constructor(
    { path, env }: SecretPlace,
    message: string,
    /** `ENOENT` or `EACCES`, for example. The code of an error of the application is not repeated: it may be anything. */
    readonly fileCode?: string,
  ) {
    super('CONFIG_INVALID', [Object.freeze(env === undefined ? { path, message } : { path, env, message })]);
  }
}
