import type { TokenRequestError } from '../errors/token-request.error.js';
import { backoffMs, jitterFactor, type Random } from '../time/backoff.js';
import { type Clock, Deadline } from '../time/clock.js';
import { JITTER, OUTAGE, REFUSAL, UNKNOWN_ACCOUNT_MS } from './pauses.js';

/**
 * What this process knows about failures of the token endpoint: since when it fails, and how long callers get the error of the
 * last failed renewal. A token ends both, even if another process has obtained it.
 *
 * The outage counts by the monotonic clock only: a corrected wall clock would make it look longer, or new.
 */
export class Outage {
  /** The first failure of the outage, or the first refusal. */
  #since: number | undefined;
  #failedAt = -Infinity;
  #isOn = false;
  #coolDown: { readonly error: TokenRequestError; readonly until: Deadline } | undefined;
  #consecutiveRefusals = 0;
  /** The jitter of the last pause, if the next pause is to balance it. */
  #unbalanced: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Whether a renewal has failed since the last success. Each further try is then a single attempt. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** During the cool-down: the error that callers get without a request. */
  get standingError(): TokenRequestError | undefined {
    return this.#coolDown?.until.hasCome(this.clock) === false ? this.#coolDown.error : undefined;
  }

  /** The error of the last failed renewal, until there is a token or the refused secret has changed. */
  get lastError(): TokenRequestError | undefined {
    return this.#coolDown?.error;
  }

  /** Since when renewals fail, in this process or in another one. */
  get ageMs(): number {
    const now = this.clock.monotonic();
    return now - (this.#since ?? now);
  }

  /** How long ago the last renewal of this process failed. */
  get failedAgoMs(): number {
    return this.clock.monotonic() - this.#failedAt;
  }

  /**
   * A renewal has failed. Starts the cool-down, and returns the error that callers get until its end.
   *
   * @param since when its first attempt failed, by the monotonic clock.
   */
  failed(error: TokenRequestError, since = this.clock.monotonic()): TokenRequestError {
    this.#failedAt = this.clock.monotonic();
    return this.standFor(this.#coolDownMs(error, since), error);
  }

  /** Callers get this error without a request for so long. */
  standFor(ms: number, error: TokenRequestError): TokenRequestError {
    const until = Deadline.after(this.clock, ms);
    this.#coolDown = { error: error.copy(until.date), until };
    return this.#coolDown.error;
  }

  /** Renewals of the fleet have been failing for this long. The next try of this process is part of that outage. */
  continueOutage(ageMs: number): void {
    this.#isOn = true;
    const since = this.clock.monotonic() - ageMs;
    this.#since = Math.min(this.#since ?? since, since);
  }

  /** The refused secret has changed. If the new one is refused, too, the next cool-down is longer. */
  endCoolDown(): void {
    this.#coolDown = undefined;
  }

  /** A token was obtained, by this process or by another. */
  ended(): void {
    this.endCoolDown();
    this.#consecutiveRefusals = 0;
    this.#isOn = false;
    this.#since = undefined;
    this.#failedAt = -Infinity;
    this.#unbalanced = undefined;
  }

  #coolDownMs({ code, failure }: TokenRequestError, since: number): number {
    const earlierRefusals = this.#consecutiveRefusals;
    this.#consecutiveRefusals = code === 'TOKEN_REJECTED' ? earlierRefusals + 1 : 0;
    if (code === 'ACCOUNT_UNKNOWN') return UNKNOWN_ACCOUNT_MS;
    const isRefusal = code === 'TOKEN_REJECTED';
    // Earlier refusals are no part of an outage.
    if (!isRefusal && !this.#isOn) this.#since = undefined;
    this.#since ??= since;
    // Whole milliseconds, because a `Date` drops fractions.
    if (isRefusal) return Math.ceil(backoffMs(REFUSAL, earlierRefusals) * jitterFactor(this.random, JITTER));
    this.#isOn = true;
    const pause = Math.min(Math.max(this.ageMs * OUTAGE.part, OUTAGE.shortestMs), OUTAGE.longestMs);
    return Math.ceil(Math.max(pause * this.#jitter(), failure.retryAfterMs ?? 0));
  }

  /** Each second pause balances the pause before it, so that the number of requests in an outage does not depend on chance. */
  #jitter(): number {
    const last = this.#unbalanced;
    if (last === undefined) return (this.#unbalanced = jitterFactor(this.random, JITTER));
    this.#unbalanced = undefined;
    return 2 - last;
  }
}
