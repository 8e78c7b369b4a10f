import type { Clock } from '../time/clock.js';
import { jitterFactor, type Random } from '../time/backoff.js';

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;
/** With a pause of a tenth, callers wait at most about a tenth longer than the outage itself lasted. */
const PART_OF_OUTAGE = 0.1;

/**
 * One outage, from its first failure to the next success: how long to pause after each failed renewal (B18). The comment of
 * `CooledSource` lists all pauses.
 *
 * Counts by the monotonic clock only. A corrected wall clock would make a short outage look long, or a long one new.
 */
export class Outage {
  readonly #clock: Clock;
  readonly #random: Random;
  #since: number | undefined;
  #isOn = false;
  #tokens = 0;
  /** The jitter of the last pause, if the next pause is to balance it. */
  #unbalanced: number | undefined;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether a renewal has failed since the last success. Each further try is then a single attempt. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** How many tokens this process has obtained so far, or read from the store of a fleet. */
  get tokens(): number {
    return this.#tokens;
  }

  /** An attempt of a renewal has failed. The outage begins here if the renewal's last attempt fails, too. */
  attemptFailed(attempt: number): void {
    if (!this.#isOn && attempt === 1) this.#since = this.#clock.monotonic();
  }

  /** A renewal has failed. Returns the whole milliseconds until the next try: a `Date` drops fractions. */
  failed(retryAfterMs = 0): number {
    this.#isOn = true;
    const now = this.#clock.monotonic();
    this.#since ??= now;
    const part = (now - this.#since) * PART_OF_OUTAGE;
    const pause = Math.min(Math.max(part, SHORTEST_MS), LONGEST_MS);
    return Math.ceil(Math.max(pause * this.#jitter(), retryAfterMs));
  }

  /** Another process has been failing for this long. The next try of this process is part of that outage (B10). */
  continueOutage(ageMs: number): void {
    this.#isOn = true;
    const since = this.#clock.monotonic() - ageMs;
    this.#since = Math.min(this.#since ?? since, since);
  }

  /** A token was obtained, by this process or by another. */
  ended(): void {
    this.#tokens += 1;
    this.#isOn = false;
    this.#since = undefined;
    this.#unbalanced = undefined;
  }

  /**
   * Each second pause balances the pause before it. The pauses stay random, but the number of requests in an outage does
   * not depend on chance.
   */
  #jitter(): number {
    const last = this.#unbalanced;
    if (last !== undefined) {
      this.#unbalanced = undefined;
      return 2 - last;
    }
    this.#unbalanced = jitterFactor(this.#random);
    return this.#unbalanced;
  }
}
