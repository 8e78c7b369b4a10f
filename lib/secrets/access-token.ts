import { createHash } from 'node:crypto';
import type { Clock, Deadline } from '../time/clock.js';
import { Secret } from './secret.js';

/** The life of a token, as a token endpoint or a store reports it. */
export interface TokenLife {
  /** The end of its life, counted from the moment before the request was sent (S11). */
  readonly deadline: Deadline;
  /** Its whole life in milliseconds. Leeway and renewal ahead use at most half of this. */
  readonly lifetimeMs: number;
  /** Where the token came from. */
  readonly origin?: 'endpoint' | 'store';
  /** The version of the certificates that its request was sent with. */
  readonly tlsVersion?: symbol | undefined;
}

/**
 * A bearer token. Prints as `[redacted]` everywhere. Use `fingerprint` to identify a token in logs without revealing it.
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

  /** When the token expires, on the wall clock. */
  get expiresAt(): Date {
    return this.#life.deadline.date;
  }

  /** @internal The same by the present wall clock, which may have been set back since. */
  expiresBy(clock: Clock): Date {
    return this.#life.deadline.dateBy(clock);
  }

  /** @internal */
  get lifetimeMs(): number {
    return this.#life.lifetimeMs;
  }

  /** @internal A leeway takes at most half of the lifetime: a longer one would make each token useless. */
  leewayOf(wantedMs: number): number {
    return Math.min(wantedMs, this.#life.lifetimeMs / 2);
  }

  /** @internal Whether another process obtained the token, and this process read it from a store. */
  get cameFromStore(): boolean {
    return this.#life.origin === 'store';
  }

  /** @internal */
  get tlsVersion(): symbol | undefined {
    return this.#life.tlsVersion;
  }

  /** The first 16 hexadecimal digits of the token's SHA-256. Identifies the token in logs without revealing it. */
  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.reveal()));
  }

  /** @internal Whether fewer than `leewayMs` of its life are left, by either clock. */
  endsWithin(leewayMs: number, clock: Clock): boolean {
    return this.remainingMs(clock) <= leewayMs;
  }

  /** @internal Milliseconds of life left, by the clock that is nearer to the end. */
  remainingMs(clock: Clock): number {
    return this.#life.deadline.remaining(clock);
  }
}

/** Identifies a token in logs and metrics without revealing it: the first 16 hexadecimal digits of its SHA-256. */
export function fingerprintOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}
