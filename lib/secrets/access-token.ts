import type { Clock } from '../time/clock.js';
import type { Deadline } from '../time/deadline.js';
import { fingerprintOf } from './fingerprint.js';
import { Secret } from './secret.js';

/** What a token endpoint or a store told about a token, besides the token itself. */
export interface TokenLife {
  /** The end of its life: counted from before the request left (S11). */
  readonly deadline: Deadline;
  /** Its whole life in milliseconds; leeway and renewing ahead are capped at half of it. */
  readonly lifetimeMs: number;
  /** Who told it. */
  readonly origin?: 'endpoint' | 'store';
}

/**
 * A bearer token. Prints as `[redacted]` everywhere; `fingerprint` tells two tokens apart in logs without telling either.
 *
 * @example
 * const token = await tokens.getToken();
 * headers.set('Authorization', `Bearer ${token.reveal()}`);
 */
export class AccessToken extends Secret {
  readonly #life: TokenLife;
  #fingerprint: string | undefined;

  /** @hidden */
  constructor(value: string, life: TokenLife) {
    super(value);
    this.#life = life;
    Object.freeze(this);
  }

  /** When the token expires by the wall clock. */
  get expiresAt(): Date {
    return this.#life.deadline.date;
  }

  /** @internal */
  get lifetimeMs(): number {
    return this.#life.lifetimeMs;
  }

  /** @internal Whether another process had obtained it, and a store told it to this one. */
  get cameFromStore(): boolean {
    return this.#life.origin === 'store';
  }

  /** The first 16 hexadecimal digits of the token's SHA-256. */
  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.reveal()));
  }

  /** @internal Whether fewer than `leewayMs` of its life are left, by either clock. */
  endsWithin(leewayMs: number, clock: Clock): boolean {
    const { wall, monotonic } = this.#life.deadline;
    return clock.wall() >= wall - leewayMs || clock.monotonic() >= monotonic - leewayMs;
  }

  /** @internal Milliseconds of life left, by the clock that is nearer to the end. */
  remainingMs(clock: Clock): number {
    return this.#life.deadline.remaining(clock);
  }
}
