import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { ClientCredential } from './client-credential.js';
import { revealed } from './secret.js';
import { isPlaceholder } from './placeholder.js';
import { type Flaw, flawOfCredential, flawOfText } from './text-rules.js';
import { MountedFile } from './mounted-file.js';

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

export interface SecretKind {
  /** Whether the value that was read at boot soon expires. Then no part of the module keeps it. */
  readonly expires?: boolean;
  /** Equal secrets have equal texts. */
  read(value: unknown): CredentialReading;
}

/**
 * @param provider the provider that gave the secret. Undefined for the built-in provider.
 * @param remedy for a value that is missing.
 */
export function clientSecretOf(
  provider: string | undefined,
  remedy = 'Set it to the client secret of this environment.',
): SecretKind {
  return { read: (value) => readingOf(value, flawOfCredential(value, remedy, provider)) };
}

/** An assertion of another system has the rules of a secret. */
export function clientAssertionOf(
  provider: string | undefined,
  remedy = 'Set it to a function that gives the assertion, or to the file that holds it.',
): SecretKind {
  return { read: (value) => readingOf(value, flawOfCredential(value, remedy, provider)), expires: true };
}

export function readingOf(value: unknown, flaw: Flaw): CredentialReading {
  return flaw === undefined ? { credential: new ClientCredential(String(value)) } : { flaw };
}

/** A key for HKDF needs as many bytes as the key that it makes. */
const SHORTEST_SEAL_KEY_BYTES = 32;

/** What seals the entries of clients that have neither a secret nor a private key. */
export const SEAL_KEY: SecretKind = {
  read: (value) => readingOf(value, flawOfText(value) ?? flawOfSealKey(String(value))),
};

function flawOfSealKey(text: string): Flaw {
  return Buffer.byteLength(text) < SHORTEST_SEAL_KEY_BYTES || isPlaceholder(text)
    ? `is a placeholder, or shorter than ${SHORTEST_SEAL_KEY_BYTES} bytes. Use random text, such as the output of openssl rand -base64 32.`
    : undefined;
}

/** The source of a value in code, or what is wrong with the value. A function is called for token requests only. */
export function sourceOf(value: unknown, place: SecretPlace, kind: SecretKind): SecretSource | string {
  if (typeof value === 'function') return functionSource(value as () => unknown, place, kind);
  const reading = readGiven(kind, revealed(value));
  if ('flaw' in reading) return reading.flaw;
  const { credential } = reading;
  return Object.freeze({ atBoot: credential, read: () => Promise.resolve(credential) });
}

/** A function of the application, called for each read. */
function functionSource(ask: () => unknown, place: SecretPlace, kind: SecretKind): SecretSource {
  return Object.freeze({
    async read() {
      const reading = readGiven(kind, await answerOf(async () => revealed(await ask()), place));
      if ('credential' in reading) return reading.credential;
      const flaw = `cannot be used: its function gives a value which ${reading.flaw}`;
      throw new UnreadableSecretError(place, flaw);
    },
  });
}

/** The source of a file, or what is wrong with the file. What the boot reads is checked and kept as it is. */
export async function fileSource(
  file: MountedFile,
  place: SecretPlace,
  kind: SecretKind,
): Promise<SecretSource | string> {
  const readNow = async (): Promise<CredentialReading> => {
    const content = await file.read();
    const reading = 'flaw' in content ? content : readGiven(kind, content.text);
    return 'text' in content && 'flaw' in reading
      ? { flaw: `names a file whose content ${reading.flaw}` }
      : reading;
  };
  const first = await readNow();
  if ('flaw' in first) return first.flaw;
  let lastRead = kind.expires ? undefined : first.credential;
  return Object.freeze({
    get atBoot() {
      return lastRead;
    },
    async read() {
      const reading = await readNow();
      if ('flaw' in reading) throw new UnreadableSecretError(place, reading.flaw, reading.code);
      // A secret that was replaced must not stay in memory.
      if (lastRead) lastRead = reading.credential;
      return reading.credential;
    },
  });
}

/** A line break at the end is removed, because files have one. */
function readGiven(kind: SecretKind, value: unknown): CredentialReading {
  return kind.read(typeof value === 'string' ? value.replace(/\r?\n$/, '') : value);
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
