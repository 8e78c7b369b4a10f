import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { type Clock, pause } from '../time/clock.js';
import { backoffMs, type Random } from '../time/backoff.js';
import type { CredentialedAttempts } from './credentialed-attempts.js';
import type { Outage } from './outage.js';
import type { TroubleReport } from './trouble-report.js';
import { timerKind, type TokenNeed, type TokenSource } from './token-source.js';

const BACKOFF = { firstMs: 100 };
/** The sum of all pauses of one renewal. Callers wait for them (B6). */
export const LONGEST_WAIT_MS = 2_000;

interface Dependencies {
  readonly inner: Pick<CredentialedAttempts, 'attempt'>;
  readonly maxAttempts: number;
  readonly outage: Outage;
  readonly report: Pick<TroubleReport, 'attemptTimedOut'>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Tries again after a transient failure. The pause is a full-jitter back-off, so that the processes of a fleet do not
 * ask at the same moment, or the server's own `Retry-After`. If the pause is too long, callers get the failure, and the
 * cool-down above waits (B6). In an outage a renewal is a single attempt: callers get the error at once, and the next
 * try is soon (B18).
 */
export class RetryingSource implements TokenSource {
  readonly #deps: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
  }

  async obtain(need: TokenNeed): Promise<AccessToken> {
    const { inner, outage, report, clock, random } = this.#deps;
    const maxAttempts = outage.isOn ? 1 : this.#deps.maxAttempts;
    let waitLeft = LONGEST_WAIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await inner.attempt(need, attempt);
      } catch (error) {
        if (!(error instanceof TokenRequestError) || !error.transient || need.signal?.aborted) throw error;
        outage.attemptFailed(attempt);
        if (attempt >= maxAttempts) throw error;
        // Full jitter: a random part of the back-off.
        const wait = Math.max(random() * backoffMs(BACKOFF, attempt - 1), error.retryAfterMs ?? 0);
        if (wait > waitLeft) throw error;
        waitLeft -= wait;
        if (error.failure.timedOut) report.attemptTimedOut(error, need.reason);
        await pause(clock, wait, timerKind(need), need.signal);
        if (need.signal?.aborted) throw error;
      }
    }
  }
}
