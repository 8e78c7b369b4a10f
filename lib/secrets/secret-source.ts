import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { ClientCredential } from './client-credential.js';
import { revealed } from './secret.js';
import { isPlaceholder } from './placeholder.js';
import { type Flaw, flawOfText } from './text-rules.js';
import type { MountedFile } from './mounted-file.js';

/**
 * Where a client secret comes from. The secret is read again for each token request, so that a rotated secret needs no
 * restart. If the secret cannot be read, `read` rejects.
 */
export interface SecretSource {
  /** The secret that was read last, if the module read one at boot. It may have been rotated since. */
  readonly atBoot?: ClientCredential | undefined;
  /** @param isAgain after a refusal: what a source has in memory may be old. */
  read(isAgain?: boolean): Promise<ClientCredential>;
}

/** The setting of a source, for errors of a later read. */
export interface SecretPlace {
  readonly path: string;
  readonly env: string | undefined;
}

/** The credential in a value, or what is wrong with the value. @param code of Node, if its file could not be read. */
export type CredentialReading =
  { readonly credential: ClientCredential } | { readonly flaw: string; readonly code?: string | undefined };

/** Reads a value of one kind. Equal secrets have equal texts. */
export type ReadCredential = (value: unknown) => CredentialReading;

export function readingOf(value: unknown, flaw: Flaw): CredentialReading {
  return flaw === undefined ? { credential: new ClientCredential(String(value)) } : { flaw };
}

/** A key for HKDF needs as many bytes as the key that it makes. */
const SHORTEST_SEAL_KEY_BYTES = 32;

/** Reads what seals the entries of clients that have neither a secret nor a private key. */
export function readSealKey(value: unknown): CredentialReading {
  const isWeak = Buffer.byteLength(String(value)) < SHORTEST_SEAL_KEY_BYTES || isPlaceholder(String(value));
  const flaw = `is a placeholder, or shorter than ${SHORTEST_SEAL_KEY_BYTES} bytes. Use random text, such as the output of openssl rand -base64 32.`;
  return readingOf(value, flawOfText(value) ?? (isWeak ? flaw : undefined));
}

/** The source of a value in code, or what is wrong with the value. A function is called for token requests only. */
export function sourceOf(value: unknown, place: SecretPlace, read: ReadCredential): SecretSource | string {
  if (typeof value === 'function') {
    const ask = value as () => unknown;
    return sourceThatAsks(place, async () => {
      const reading = readGiven(read, await answerOf(async () => revealed(await ask()), place));
      return 'flaw' in reading
        ? { flaw: `cannot be used: its function gives a value which ${reading.flaw}` }
        : reading;
    });
  }
  const reading = readGiven(read, revealed(value));
  if ('flaw' in reading) return reading.flaw;
  const { credential } = reading;
  return { atBoot: credential, read: () => Promise.resolve(credential) };
}

/**
 * The source of a file, or what is wrong with the file.
 *
 * @param isKept whether the secret that was read last stays in memory, for the comparisons of the boot. An assertion soon expires.
 */
export async function fileSource(
  file: MountedFile,
  place: SecretPlace,
  read: ReadCredential,
  isKept = true,
): Promise<SecretSource | string> {
  const readNow = async (): Promise<CredentialReading> => {
    const content = await file.read();
    if ('flaw' in content) return content;
    const reading = readGiven(read, content.text);
    return 'flaw' in reading ? { flaw: `names a file whose content ${reading.flaw}` } : reading;
  };
  const first = await readNow();
  if ('flaw' in first) return first.flaw;
  const source = sourceThatAsks(place, readNow);
  let newest = isKept ? first.credential : undefined;
  return {
    get atBoot() {
      return newest;
    },
    async read() {
      const credential = await source.read();
      // A secret that was replaced must not stay in memory.
      if (newest) newest = credential;
      return credential;
    },
  };
}

function sourceThatAsks(place: SecretPlace, ask: () => Promise<CredentialReading>): SecretSource {
  return {
    async read() {
      const reading = await ask();
      if ('flaw' in reading) throw new UnreadableSecretError(place, reading.flaw, reading.code);
      return reading.credential;
    },
  };
}

/** A line break at the end is removed, because files have one. */
function readGiven(read: ReadCredential, value: unknown): CredentialReading {
  return read(typeof value === 'string' ? value.replace(/\r?\n$/, '') : value);
}

/** A function that is a member of options, as a method of them. Any other value stays unchanged. */
export function boundTo<Value>(holder: object, value: Value): Value {
  if (typeof value !== 'function') return value;
  return ((...given: unknown[]): unknown => Reflect.apply(value, holder, given)) as Value;
}

/** What a function of the application gives. Its error may contain a secret and is dropped. */
export async function answerOf(ask: () => unknown, place: SecretPlace): Promise<unknown> {
  try {
    return await ask();
  } catch {
    const flaw =
      'gives nothing: your function throws or rejects. Log the error inside your function: this package never repeats it.';
    throw new UnreadableSecretError(place, flaw);
  }
}

/** A secret that cannot be read after the boot. Callers get a `TokenRequestError` instead. */
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
