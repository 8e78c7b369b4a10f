import {
  type ConfigProblem,
  ProviderAuthConfigError,
  type ProviderAuthConfigErrorCode,
} from '../../errors/provider-auth-config.error.js';
import { ClientCredential } from '../../secrets/client-credential.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { type Flaw, flawOfCredential } from '../rules/text-rules.js';

/** The setting of a source, for errors of a later read. */
export interface SecretPlace {
  readonly path: string;
  readonly env: string | undefined;
}

/** The credential in a value, or what is wrong with the value. */
export type CredentialReading = { readonly credential: ClientCredential } | { readonly flaw: string };

/** What a source provides. */
export interface SecretKind {
  /** Whether the value that was read at boot soon expires. Then no part of the module keeps it. */
  readonly expires?: boolean;
  /** Equal secrets have equal texts. */
  read(value: unknown): CredentialReading;
}

/** What is wrong with a value for this kind. */
export function flawOfKind(kind: SecretKind, value: unknown): Flaw {
  const reading = kind.read(value);
  return 'flaw' in reading ? reading.flaw : undefined;
}

/** @param provider the provider that gave the secret. Undefined for the built-in provider. */
export function clientSecretOf(provider: string | undefined): SecretKind {
  return {
    read(value) {
      const flaw = flawOfCredential(value, undefined, provider);
      return flaw === undefined ? { credential: new ClientCredential(String(value)) } : { flaw };
    },
  };
}

/** An assertion of another system has the rules of a secret. */
export function clientAssertionOf(provider: string | undefined): SecretKind {
  return { ...clientSecretOf(provider), expires: true };
}

/** A key for HKDF needs as many bytes as the key that it makes. */
const SHORTEST_SEAL_KEY_BYTES = 32;

/** What seals the entries of clients that have neither a secret nor a private key (B32). */
export const SEAL_KEY: SecretKind = {
  read(value) {
    const reading = clientSecretOf(undefined).read(value);
    if ('flaw' in reading || Buffer.byteLength(reading.credential.reveal()) >= SHORTEST_SEAL_KEY_BYTES)
      return reading;
    return {
      flaw: `is shorter than ${SHORTEST_SEAL_KEY_BYTES} bytes. Use a random text, such as openssl rand -base64 32 prints.`,
    };
  },
};

/** A secret that is a text in the configuration. */
export class FixedSecret implements SecretSource {
  readonly #secret: ClientCredential;

  constructor(secret: ClientCredential) {
    this.#secret = secret;
    Object.freeze(this);
  }

  get atBoot(): ClientCredential {
    return this.#secret;
  }

  read(): Promise<ClientCredential> {
    return Promise.resolve(this.#secret);
  }
}

/** A function of the application, called for each read (B8). */
export class SecretFunction implements SecretSource {
  readonly #ask: () => unknown;
  readonly #place: SecretPlace;
  readonly #kind: SecretKind;

  constructor(ask: () => unknown, place: SecretPlace, kind: SecretKind = clientSecretOf(undefined)) {
    this.#ask = ask;
    this.#place = place;
    this.#kind = kind;
    Object.freeze(this);
  }

  async read(): Promise<ClientCredential> {
    const value = await answerOf(async () => revealed(await this.#ask()), this.#place);
    return checkedSecret(value, this.#place, 'its function gives a value which', this.#kind);
  }
}

/** What a function of the application gives. Its error may contain a secret and is dropped. */
export async function answerOf(ask: () => unknown, place: SecretPlace): Promise<unknown> {
  try {
    return await ask();
  } catch {
    throw unreadableSecret(place, 'cannot be read: its function throws or rejects. See that it answers.');
  }
}

/** Checks a secret after a read, with the rules of the boot. A line break at the end is removed, because files have one. */
export function checkedSecret(
  value: unknown,
  place: SecretPlace,
  subject: string,
  kind: SecretKind,
): ClientCredential {
  const text = typeof value === 'string' ? withoutFinalNewline(value) : value;
  const reading = kind.read(text);
  if ('flaw' in reading) throw unreadableSecret(place, `cannot be used: ${subject} ${reading.flaw}`);
  return reading.credential;
}

export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** @param fileCode the code of Node, if a file could not be read. */
export function unreadableSecret(
  { path, env }: SecretPlace,
  message: string,
  fileCode?: string,
): ProviderAuthConfigError {
  const problem = Object.freeze(env === undefined ? { path, message } : { path, env, message });
  return new UnreadableSecretError('CONFIG_INVALID', [problem], fileCode);
}

/** A secret that cannot be read after the boot. Callers get a `TokenRequestError` instead. */
export class UnreadableSecretError extends ProviderAuthConfigError {
  constructor(
    code: ProviderAuthConfigErrorCode,
    problems: readonly ConfigProblem[],
    /** `ENOENT` or `EACCES`, for example. The code of an error of the application is not repeated: it may be anything. */
    readonly fileCode: string | undefined,
  ) {
    super(code, problems);
  }
}

/** The text of a `Secret`, also of a `Secret` from another copy of this package. Any other value stays unchanged. */
export function revealed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reveal' in value)) return value;
  const { reveal } = value;
  return typeof reveal === 'function' ? (reveal.call(value) as unknown) : value;
}
