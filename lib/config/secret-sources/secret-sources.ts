import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { flawOfCredential } from '../rules/text-rules.js';

/** Where a source stands in the configuration, for the errors of a read that fails later. */
export interface SecretPlace {
  readonly path: string;
  readonly env: string | undefined;
}

/** The secret as it was configured. */
export class FixedSecret implements SecretSource {
  readonly #secret: Secret;

  constructor(value: string) {
    this.#secret = new Secret(value);
    Object.freeze(this);
  }

  get lengthAtBoot(): number {
    return this.#secret.reveal().length;
  }

  read(): Promise<Secret> {
    return Promise.resolve(this.#secret);
  }
}

/** The application's own function, called for each read (B8). What it throws may hold anything and is dropped. */
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

/** A secret that was read just now, judged as at boot. A file ends in a line break: one is trimmed, nothing else. */
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

/** The text of a `Secret`, also of one that another copy of this package made; anything else stays what it is. */
export function revealed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reveal' in value)) return value;
  const { reveal } = value;
  return typeof reveal === 'function' ? (reveal.call(value) as unknown) : value;
}
