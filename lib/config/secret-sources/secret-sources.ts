import { createPrivateKey, KeyObject } from 'node:crypto';
import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { flawOfClientKey } from '../rules/pem-rules.js';
import { type Flaw, flawOfCredential } from '../rules/text-rules.js';

/** The setting of a source, for errors of a later read. */
export interface SecretPlace {
  readonly path: string;
  readonly env: string | undefined;
}

/** What a source provides. */
export interface SecretKind {
  flawOf(value: unknown): Flaw;
  /** The text of a right value. Equal secrets have equal texts. */
  textOf(value: unknown): string;
}

/** @param provider the provider that gave the secret. Undefined for the built-in provider. */
export function clientSecretOf(provider: string | undefined): SecretKind {
  return { flawOf: (value) => flawOfCredential(value, undefined, provider), textOf: String };
}

/** A private key, as a PEM text or as a `KeyObject`. Its text is always PKCS #8. */
export const CLIENT_KEY: SecretKind = {
  flawOf: flawOfClientKey,
  textOf(value) {
    const key = value instanceof KeyObject ? value : createPrivateKey(String(value));
    return key.export({ format: 'pem', type: 'pkcs8' }).toString();
  },
};

/** A secret that is a text in the configuration. */
export class FixedSecret implements SecretSource {
  readonly #secret: Secret;

  constructor(value: string) {
    this.#secret = new Secret(value);
    Object.freeze(this);
  }

  get atBoot(): Secret {
    return this.#secret;
  }

  read(): Promise<Secret> {
    return Promise.resolve(this.#secret);
  }
}

/** A function of the application, called for each read (B8). Its error may contain a secret and is dropped. */
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

  async read(): Promise<Secret> {
    let value: unknown;
    try {
      value = revealed(await this.#ask());
    } catch {
      throw unreadableSecret(
        this.#place,
        'cannot be read: its function throws or rejects. See that it answers.',
      );
    }
    return checkedSecret(value, this.#place, 'its function gives a value which', this.#kind);
  }
}

/** Checks a secret after a read, with the rules of the boot. A line break at the end is removed, because files have one. */
export function checkedSecret(value: unknown, place: SecretPlace, subject: string, kind: SecretKind): Secret {
  const text = typeof value === 'string' ? withoutFinalNewline(value) : value;
  const flaw = kind.flawOf(text);
  if (flaw !== undefined) throw unreadableSecret(place, `cannot be used: ${subject} ${flaw}`);
  return new Secret(kind.textOf(text));
}

export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

export function unreadableSecret({ path, env }: SecretPlace, message: string): ProviderAuthConfigError {
  return new ProviderAuthConfigError('CONFIG_INVALID', [
    Object.freeze(env === undefined ? { path, message } : { path, env, message }),
  ]);
}

/** The text of a `Secret`, also of a `Secret` from another copy of this package. Any other value stays unchanged. */
export function revealed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reveal' in value)) return value;
  const { reveal } = value;
  return typeof reveal === 'function' ? (reveal.call(value) as unknown) : value;
}
