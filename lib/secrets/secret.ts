import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

export const REDACTED = '[redacted]';

/**
 * A value that cannot be printed by accident: strings, templates, JSON, `util.inspect` and every logger on top of them
 * show `[redacted]` (S10). Only `reveal()` gives the value.
 *
 * @example
 * const secret = new Secret(value);
 * `${secret}`; // [redacted]
 *
 * @remarks
 * The value is a `#private` field because nothing else withstands `inspect` with `showHidden`.
 */
export class Secret {
  readonly #value: string;

  /** Closes a value away. */
  constructor(value: string) {
    this.#value = value;
    // A subclass freezes itself once its own fields stand.
    if (new.target === Secret) Object.freeze(this);
  }

  /** The value itself. */
  reveal(): string {
    return this.#value;
  }

  /**
   * Compares in constant time, so that the comparison tells nothing about either value. Asks the other one to reveal
   * itself: it may come from another copy of this package, whose private fields are not ours.
   */
  equals(other: Secret): boolean {
    return timingSafeEqual(digest(this.#value), digest(other.reveal()));
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
