import type { AccessToken } from '../secrets/access-token.js';
import { backoffMs } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';

const PAUSE = { firstMs: 30_000, longestMs: 5 * 60_000 };

/**
 * Decides when renewals after a 401 must pause (B3). If the API also refuses a token that a renewal has just brought,
 * another token does not help. Renewals then pause, longer each time, until a request succeeds.
 */
export class RenewalPause {
  readonly #clock: Clock;
  /** A renewal after a 401 brought this token, and no request has succeeded with it yet. */
  #unproven: AccessToken | undefined;
  /** A renewal brought a token of another process. That token may have been revoked since, so its refusal did not count. */
  #storeTokenExcused = false;
  #until: Deadline | undefined;
  #consecutivePauses = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a successful request would change anything here. If not, `markWorking` need not be called. */
  get awaitsSuccess(): boolean {
    return this.#unproven !== undefined || this.#storeTokenExcused;
  }

  get isOn(): boolean {
    return this.#until?.hasCome(this.#clock) === false;
  }

  /** A renewal after a 401 brought this token. */
  renewed(token: AccessToken): void {
    // Only a token fresh from the endpoint proves that renewals are useless. But a store may hold many old tokens, and this
    // process must not try all of them: only the first one is excused.
    const isExcused = token.cameFromStore && !this.#storeTokenExcused;
    this.#storeTokenExcused ||= isExcused;
    this.#unproven = isExcused ? undefined : token;
  }

  /** A request succeeded with the current token. Ends the pause. Returns whether renewals had been paused until now. */
  markWorking(): boolean {
    const wasPaused = this.#consecutivePauses > 0;
    this.#unproven = undefined;
    this.#storeTokenExcused = false;
    this.#until = undefined;
    this.#consecutivePauses = 0;
    return wasPaused;
  }

  /**
   * The API refused the current token. Returns what to do, and may start a pause. `pausing` is returned for the first
   * pause only, so that a warning is logged once.
   */
  onRefused(current: AccessToken): 'renew' | 'pausing' | 'paused' {
    if (this.isOn) return 'paused';
    if (this.#until) {
      // The pause is over: renew once more. If that does not help either, the next pause is longer.
      this.#until = undefined;
      return 'renew';
    }
    if (!this.#unproven?.equals(current)) return 'renew';
    return this.#start() ? 'pausing' : 'paused';
  }

  /**
   * Starts a pause without a decision about a renewal, if the API refused a token that a renewal has just brought. Returns
   * whether this is the first pause.
   */
  startAfter(refused: AccessToken): boolean {
    return this.#until === undefined && this.#unproven?.equals(refused) === true && this.#start();
  }

  /** Returns whether this is the first pause. */
  #start(): boolean {
    this.#until = Deadline.after(this.#clock, backoffMs(PAUSE, this.#consecutivePauses));
    this.#consecutivePauses += 1;
    return this.#consecutivePauses === 1;
  }
}
