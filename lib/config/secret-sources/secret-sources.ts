import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { flawOfCredential } from '../rules/text-rules.js';

/** The setting of a source, for errors of a later read. */
export interface SecretPlace {
  readonly path: string;
  readonly env: string | undefined;
}

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

  constructor(ask: () => unknown, place: SecretPlace) {
    this.#ask = ask;
    this.#place = place;
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
    return checkedSecret(value, this.#place, 'its function gives a value which');
  }
}

/** Checks a secret after a read, with the rules of the boot. A line break at the end is removed, because files have one. */
export function checkedSecret(value: unknown, place: SecretPlace, subject: string): Secret {
  const text = typeof value === 'string' ? withoutFinalNewline(value) : value;
  const flaw = flawOfCredential(text);
  if (flaw !== undefined || typeof text !== 'string')
    throw unreadableSecret(place, `cannot be used: ${subject} ${flaw}`);
  return new Secret(text);
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
