import type { TokenRequestError } from '../errors/token-request.error.js';
import { backoffMs, jitterFactor, type Random } from '../time/backoff.js';
import { type Clock, Deadline } from '../time/clock.js';
import { JITTER, OUTAGE, REFUSAL, UNKNOWN_ACCOUNT_MS } from './pauses.js';

/** The last failed renewal of this process. */
export interface Failure {
  /** What callers get until the end of the cool-down. */
  readonly error: TokenRequestError;
  readonly at: Deadline;
  /** The end of the cool-down. The wall clock may be set back while callers still get the error. */
  readonly until: Deadline;
}

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
  #failure: Failure | undefined;
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

  /** The last failure since the last token. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** During the cool-down: the error that callers get without a request. */
  get standingError(): TokenRequestError | undefined {
    return this.#failure?.until.hasCome(this.clock) === false ? this.#failure.error : undefined;
  }

  /** For how long renewals have failed, in this process or in another one. */
  get ageMs(): number {
    const now = this.clock.monotonic();
    return now - (this.#since ?? now);
  }

  /** How long ago a renewal of this process has failed, with a secret that has not changed since. */
  get failedAgoMs(): number {
    return this.clock.monotonic() - this.#failedAt;
  }

  /**
   * A renewal has failed. Starts the cool-down, and returns the error that callers get until its end.
   *
   * @param since when its first attempt failed, by the monotonic clock.
   */
  failed(error: TokenRequestError, since = this.clock.monotonic()): TokenRequestError {
    const at = Deadline.after(this.clock, 0);
    this.#failedAt = at.monotonic;
    return this.standFor(this.#coolDownMs(error, since), { error, at });
  }

  /**
   * Callers get the error of this failure without a request for so long.
   *
   * @param ageMs for how long renewals of the fleet have been failing, if another process says so.
   */
  standFor(ms: number, { error, at }: Pick<Failure, 'error' | 'at'>, ageMs = 0): TokenRequestError {
    this.#beganBefore(ageMs);
    const until = Deadline.after(this.clock, ms);
    this.#failure = { error: error.copy(until.date), at, until };
    return this.#failure.error;
  }

  /** Renewals of the fleet have been failing for this long. The next try of this process is part of that outage. */
  continueOutage(ageMs: number): void {
    this.#isOn = true;
    this.#beganBefore(ageMs);
  }

  /** The refused secret has changed. If the new one is refused, too, the next cool-down is longer. */
  endCoolDown(): void {
    if (this.#failure) this.#failure = { ...this.#failure, until: Deadline.after(this.clock, 0) };
    this.#failedAt = -Infinity;
  }

  /** A token was obtained, by this process or by another. */
  ended(): void {
    this.#failure = undefined;
    this.#failedAt = -Infinity;
    this.#consecutiveRefusals = 0;
    this.#isOn = false;
    this.#since = undefined;
    this.#unbalanced = undefined;
  }

  #beganBefore(ageMs: number): void {
    const since = this.clock.monotonic() - ageMs;
    this.#since = Math.min(this.#since ?? since, since);
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
