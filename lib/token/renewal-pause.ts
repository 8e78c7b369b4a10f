import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';

const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/**
 * Knows when another renewal is pointless: a token that was just obtained because of a 401 is refused as well, so the
 * fault is not the token's (B3). Renewals because of 401 then pause, longer each time, until a request succeeds.
 */
export class RenewalPause {
  readonly #clock: Clock;
  /** Brought by a renewal after a 401, and no request has succeeded with it yet. */
  #unproven: AccessToken | undefined;
  /** A renewal brought a token of another process, which may have been revoked since, and that was forgiven. */
  #forgiven = false;
  #until: Deadline | undefined;
  #pauses = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether anything here would change if a request succeeded; keeps the road of a good request short. */
  get waitsForProof(): boolean {
    return this.#unproven !== undefined || this.#forgiven;
  }

  get isOn(): boolean {
    return this.#until?.hasCome(this.#clock) === false;
  }

  /** A renewal because of a 401 brought this token. */
  renewed(token: AccessToken): void {
    // Only a token that was fetched just now proves that renewing is in vain; but a fleet is not to try one by one.
    const forgiven = token.cameFromStore && !this.#forgiven;
    this.#forgiven ||= forgiven;
    this.#unproven = forgiven ? undefined : token;
  }

  /** A request succeeded with the current token: says whether renewals had been in vain until then. */
  proven(): boolean {
    const hadPaused = this.#pauses > 0;
    this.#unproven = undefined;
    this.#forgiven = false;
    this.#until = undefined;
    this.#pauses = 0;
    return hadPaused;
  }

  /**
   * The current token was refused: says what to do about it. `pausing` is said once, when renewals turn out to be in
   * vain; the longer pauses after it are no news.
   */
  onRefused(current: AccessToken): 'renew' | 'pausing' | 'paused' {
    if (this.isOn) return 'paused';
    if (this.#until) {
      // The pause is over: one more try, and a longer pause if that is in vain too.
      this.#until = undefined;
      return 'renew';
    }
    if (!this.#unproven?.equals(current)) return 'renew';
    this.#until = Deadline.after(this.#clock, Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses, LONGEST_PAUSE_MS));
    this.#pauses += 1;
    return this.#pauses === 1 ? 'pausing' : 'paused';
  }
}
