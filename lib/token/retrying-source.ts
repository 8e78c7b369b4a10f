import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { type Clock, pause } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { timerKind, type TokenAttempts, type TokenNeed, type TokenSource } from './token-source.js';

const FIRST_BACKOFF_MS = 100;
/** All pauses of one renewal together: its callers wait for them (B6). */
export const LONGEST_WAIT_MS = 2_000;

/**
 * Tries again after a transient failure: full-jitter backoff, so that a fleet does not knock in step, or the server's own
 * `Retry-After`. A pause that would not fit is not made: the failure surfaces, and becomes the cool-down's business (B6).
 */
export class RetryingSource implements TokenSource {
  readonly #inner: TokenAttempts;
  readonly #maxAttempts: number;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(inner: TokenAttempts, maxAttempts: number, clock: Clock, random: Random) {
    this.#inner = inner;
    this.#maxAttempts = maxAttempts;
    this.#clock = clock;
    this.#random = random;
  }

  async obtain(need: TokenNeed): Promise<AccessToken> {
    let waitLeft = LONGEST_WAIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#inner.attempt(need, attempt);
      } catch (error) {
        const transient = error instanceof TokenRequestError && error.transient;
        if (!transient || attempt >= this.#maxAttempts || need.signal?.aborted) throw error;
        const backoff = this.#random() * FIRST_BACKOFF_MS * 2 ** (attempt - 1);
        const wait = Math.max(backoff, error.retryAfterMs ?? 0);
        if (wait > waitLeft) throw error;
        waitLeft -= wait;
        await pause(this.#clock, wait, timerKind(need), need.signal);
        if (need.signal?.aborted) throw error;
      }
    }
  }
}
