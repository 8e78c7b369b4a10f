import type { TokenRequestError } from '../errors/token-request.error.js';
import { backoffMs, jitterFactor, type Random } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;
/** With a pause of a tenth, callers wait at most about a tenth longer than the outage itself lasted. */
const PART_OF_OUTAGE = 0.1;
/** How long callers get the error of refused credentials. Only a person or a changed secret can fix them (B7). */
const REFUSAL = { firstMs: 5_000, longestMs: 60_000 };
/** The application may add an account at any time (B33). */
const UNKNOWN_ACCOUNT_MS = 1_000;

/**
 * What this process knows about failures of the token endpoint: since when it fails, and how long callers get the error of the
 * last failed renewal (B18). A token ends both, also one that another process has obtained.
 *
 * This library has five times in which it does not ask. They are about different questions, so one does not start another:
 *
 * 1. The cool-down, in this class: no token request. A failed renewal starts it. After a refusal, a changed secret ends it, too.
 * 2. The failure in `FleetOutage`, only with a store. It is as long as the cool-down, and the note of another process can
 *    prolong it, but never start it: one process must not stop another that has not tried itself (B10). At most once a second,
 *    and more rarely if its secret keeps changing, this process looks for a token of another process. A changed secret has another
 *    entry and ends it.
 * 3. The pause in `RenewalPause`: no renewal after a 401 (B3). Expired tokens are renewed all the same. The API starts it, by
 *    refusing renewed tokens, and a successful request ends it.
 * 4. The pause in `GuardedStore`: no message to the store (B10). A failed or late answer of the store starts it. It ends by
 *    itself, and a failure of the next message starts a longer one. Token requests go on.
 * 5. The lease of another process, in `FleetRenewal`: that process asks, and this one waits for its token. It ends with the
 *    lease, with a note, or when this process needs the rest of the time of a renewal for an attempt.
 *
 * The outage counts by the monotonic clock only: a corrected wall clock would make it look longer, or new.
 */
export class Outage {
  #since: number | undefined;
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

  /** An attempt of a renewal has failed. The outage begins here if the renewal's last attempt fails, too. */
  attemptFailed(attempt: number): void {
    if (!this.#isOn && attempt === 1) this.#since = this.clock.monotonic();
  }

  /** A renewal has failed. Starts the cool-down, and returns the error that callers get until its end. */
  failed(error: TokenRequestError): TokenRequestError {
    const until = Deadline.after(this.clock, this.#coolDownMs(error));
    this.#coolDown = { error: error.copy(until.date), until };
    // The first attempt failed, but the last one was refused, for example: no outage has begun.
    if (!this.#isOn) this.#since = undefined;
    return this.#coolDown.error;
  }

  /** Another process has been failing for this long. The next try of this process is part of that outage (B10). */
  continueOutage(ageMs: number): void {
    this.#isOn = true;
    const since = this.clock.monotonic() - ageMs;
    this.#since = Math.min(this.#since ?? since, since);
  }

  /** Also if the refused secret has changed: its failures no longer count. */
  endCoolDown(): void {
    this.#coolDown = undefined;
    this.#consecutiveRefusals = 0;
  }

  /** A token was obtained, by this process or by another. */
  ended(): void {
    this.endCoolDown();
    this.#isOn = false;
    this.#since = undefined;
    this.#unbalanced = undefined;
  }

  #coolDownMs({ code, failure }: TokenRequestError): number {
    const earlierRefusals = this.#consecutiveRefusals;
    this.#consecutiveRefusals = code === 'TOKEN_REJECTED' ? earlierRefusals + 1 : 0;
    if (code === 'ACCOUNT_UNKNOWN') return UNKNOWN_ACCOUNT_MS;
    // Whole milliseconds, because a `Date` drops fractions.
    if (code === 'TOKEN_REJECTED')
      return Math.ceil(backoffMs(REFUSAL, earlierRefusals) * jitterFactor(this.random));
    this.#isOn = true;
    const now = this.clock.monotonic();
    this.#since ??= now;
    const part = (now - this.#since) * PART_OF_OUTAGE;
    const pause = Math.min(Math.max(part, SHORTEST_MS), LONGEST_MS);
    return Math.ceil(Math.max(pause * this.#jitter(), failure.retryAfterMs ?? 0));
  }

  /** Each second pause balances the pause before it, so that the number of requests in an outage does not depend on chance. */
  #jitter(): number {
    const last = this.#unbalanced;
    if (last === undefined) return (this.#unbalanced = jitterFactor(this.random));
    this.#unbalanced = undefined;
    return 2 - last;
  }
}
