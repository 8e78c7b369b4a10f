import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

export const REDACTED = '[redacted]';

/**
 * A value that can't be printed by accident. Strings, templates, JSON, `util.inspect` and all loggers that use them show
 * `[redacted]`. Only `reveal()` returns the value.
 *
 * @example
 * const secret = new Secret(value);
 * `${secret}`; // [redacted]
 *
 * @remarks
 * The value is a `#private` field, because `inspect` with `showHidden` prints every other kind of field.
 */
export class Secret {
  readonly #value: string;

  /** @param value the text to protect. */
  constructor(value: string) {
    this.#value = value;
    // A subclass freezes itself after it has set its own fields.
    if (new.target === Secret) Object.freeze(this);
  }

  /** @returns the value itself. Don't log it. */
  reveal(): string {
    return this.#value;
  }

  /**
   * Compares two values in constant time, so the duration reveals nothing about them.
   *
   * @param other may come from another copy of this package. This copy cannot read its private field, so it calls
   * `reveal()`.
   */
  equals(other: Secret): boolean {
    return this === other || timingSafeEqual(digest(this.#value), digest(other.reveal()));
  }

  /** `[redacted]` */
  toString(): string {
    return REDACTED;
  }

  /** `[redacted]` */
  toJSON(): string {
    return REDACTED;
  }

  /** `[redacted]` */
  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  /** `[redacted]` */
  [inspect.custom](): string {
    return REDACTED;
  }
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** The text of a `Secret`, also of a `Secret` from another copy of this package. Any other value stays unchanged. */
export function revealed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reveal' in value)) return value;
  const { reveal } = value;
  return typeof reveal === 'function' ? (reveal.call(value) as unknown) : value;
}
