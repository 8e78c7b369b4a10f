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

/** The credential in a value, or what is wrong with the value. */
export type CredentialReading = { readonly credential: ClientCredential } | { readonly flaw: string };

export interface SecretKind {
  /** Whether the value that was read at boot soon expires. Then no part of the module keeps it. */
  readonly expires?: boolean;
  /** Equal secrets have equal texts. */
  read(value: unknown): CredentialReading;
}

/** @param provider the provider that gave the secret. Undefined for the built-in provider. */
export function clientSecretOf(provider: string | undefined): SecretKind {
  return { read: (value) => readingOf(value, flawOfCredential(value, undefined, provider)) };
}

export function readingOf(value: unknown, flaw: Flaw): CredentialReading {
  return flaw === undefined ? { credential: new ClientCredential(String(value)) } : { flaw };
}

/** An assertion of another system has the rules of a secret. */
export function clientAssertionOf(provider: string | undefined): SecretKind {
  return { ...clientSecretOf(provider), expires: true };
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

/**
 * Checks a setting at boot. A function is called for token requests only, and a file is read when its source is made.
 *
 * @param flawOf checks a value that is given in code.
 */
export function flawOfSource(
  value: unknown,
  kind: SecretKind,
  flawOf: (given: unknown) => Flaw = (given) => flawIn(kind.read(given)),
): Flaw {
  return typeof value === 'function' || value instanceof MountedFile ? undefined : flawOf(value);
}

function flawIn(reading: CredentialReading): Flaw {
  return 'flaw' in reading ? reading.flaw : undefined;
}

/** The credential in what a file or a function gave. A line break at the end is removed, because files have one. */
function readGiven(kind: SecretKind, value: unknown): CredentialReading {
  return kind.read(typeof value === 'string' ? value.replace(/\r?\n$/, '') : value);
}

/** The source of a setting that was checked, or what is wrong with its file. */
export function sourceOf(value: unknown, place: SecretPlace, kind: SecretKind): SecretSource | string {
  if (typeof value === 'function') return functionSource(value as () => unknown, place, kind);
  if (value instanceof MountedFile) {
    const { source, flaw } = fileSource(value, place, kind);
    return flaw ?? source;
  }
  return fixedSource(checkedSecret(value, place, 'it is a value which', kind));
}

/** A function that is a member of options, as a method of them. Any other value stays unchanged. */
export function boundTo<Value>(holder: object, value: Value): Value {
  if (typeof value !== 'function') return value;
  return ((...given: unknown[]): unknown => Reflect.apply(value, holder, given)) as Value;
}

export function fixedSource(secret: ClientCredential) {
  return Object.freeze({ atBoot: secret, read: () => Promise.resolve(secret) });
}

/** A function of the application, called for each read. */
export function functionSource(ask: () => unknown, place: SecretPlace, kind: SecretKind): SecretSource {
  return Object.freeze({
    async read() {
      const value = await answerOf(async () => revealed(await ask()), place);
      return checkedSecret(value, place, 'its function gives a value which', kind);
    },
  });
}

/** The boot reads a file once: a second reading could be that of another content, which was not checked. */
export function fileSource(file: MountedFile, place: SecretPlace, kind: SecretKind) {
  const content = file.read();
  const first = 'flaw' in content ? content : readGiven(kind, content.text);
  const flaw = flawIn(first);
  let lastRead = 'flaw' in first || kind.expires ? undefined : first.credential;
  const source: SecretSource = Object.freeze({
    get atBoot() {
      return lastRead;
    },
    async read() {
      const changed = await file.readAgain();
      if ('flaw' in changed) throw new UnreadableSecretError(place, changed.flaw, changed.code);
      const credential = checkedSecret(changed.text, place, 'its file has content which', kind);
      // A secret that was replaced must not stay in memory.
      if (lastRead) lastRead = credential;
      return credential;
    },
  });
  return { source, flaw: flaw && 'text' in content ? `names a file whose content ${flaw}` : flaw };
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

/** Checks a secret after a read, with the rules of the boot. */
export function checkedSecret(
  value: unknown,
  place: SecretPlace,
  subject: string,
  kind: SecretKind,
): ClientCredential {
  const reading = readGiven(kind, value);
  if ('flaw' in reading) throw new UnreadableSecretError(place, `cannot be used: ${subject} ${reading.flaw}`);
  return reading.credential;
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
