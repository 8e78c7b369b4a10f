import type { AccessToken } from '../secrets/access-token.js';
import { backoffMs } from '../time/backoff.js';
import { type Clock, Deadline } from '../time/clock.js';
import { USELESS_RENEWAL } from './pauses.js';

/** So many renewals in a row may help no call. */
const MOST_USELESS = 3;

/**
 * Decides when renewals after a 401 must pause. If the API also refuses a token that a renewal has just brought,
 * another token does not help. Renewals then pause, longer each time, until a request succeeds.
 *
 * One path of the API may refuse every token while the successes of other paths end the pause. So after three renewals in a row
 * that helped no call, the token that the last one brought is kept for 30 s. A renewal helps if a call that is sent again
 * gets another answer than a refusal, such as a 404. That is so after a revocation, so the next revoked token is renewed at once.
 */
export class RenewalPause {
  /** A renewal after a 401 brought this token, and no request has succeeded with it yet. */
  #unproven: AccessToken | undefined;
  /** A renewal brought a token of another process. That token may have been revoked since, so its refusal did not count. */
  #storeTokenExcused = false;
  #until: Deadline | undefined;
  #consecutivePauses = 0;
  /** The token of the last renewal after a 401, until when it is kept if renewals are useless, and whether its renewal is counted. */
  #last: { readonly token: AccessToken; readonly keptUntil: Deadline; isCounted: boolean } | undefined;
  #consecutiveUseless = 0;

  constructor(private readonly clock: Clock) {}

  get isOn(): boolean {
    return this.#until?.hasCome(this.clock) === false;
  }

  /** A renewal after a 401 brought this token. */
  renewed(token: AccessToken): void {
    // Only a token fresh from the endpoint proves that renewals are useless. But a store may hold many old tokens, and this
    // process must not try all of them: only the first one is excused.
    const isExcused = token.cameFromStore && !this.#storeTokenExcused;
    this.#storeTokenExcused ||= isExcused;
    this.#unproven = isExcused ? undefined : token;
    this.#last = { token, keptUntil: Deadline.after(this.clock, USELESS_RENEWAL.firstMs), isCounted: false };
  }

  /** Whether the last renewal brought this token, and it is not known yet whether that helped. */
  isUntested(token: AccessToken): boolean {
    return this.#last?.isCounted === false && this.#last.token.equals(token);
  }

  /** A call got a 401 with this token. */
  refused(token: AccessToken): void {
    if (this.#last === undefined || !this.isUntested(token)) return;
    this.#last.isCounted = true;
    this.#consecutiveUseless += 1;
  }

  /** A call that was sent again after a 401 was not refused, or one that cannot be sent again has succeeded with the new token. */
  helped(): void {
    this.#consecutiveUseless = 0;
    if (this.#last) this.#last.isCounted = true;
  }

  /** A request succeeded with the current token. Ends the pause. */
  markWorking(): void {
    this.#unproven = undefined;
    this.#storeTokenExcused = false;
    this.#until = undefined;
    this.#consecutivePauses = 0;
  }

  /**
   * The API refused the current token. Returns whether a renewal would keep it, and may start a pause.
   *
   * @param begins whether the renewal begins now. After a pause, one renewal goes through, whether that helps or not.
   */
  keeps(refused: AccessToken, begins: boolean): boolean {
    if (begins && this.#until?.hasCome(this.clock)) {
      this.#until = undefined;
      return false;
    }
    if (this.#until === undefined && this.#unproven?.equals(refused)) {
      this.#until = Deadline.after(this.clock, backoffMs(USELESS_RENEWAL, this.#consecutivePauses));
      this.#consecutivePauses += 1;
    }
    if (this.isOn) return true;
    if (this.#consecutiveUseless < MOST_USELESS || !this.#last?.token.equals(refused)) return false;
    return !this.#last.keptUntil.hasCome(this.clock);
  }
}
