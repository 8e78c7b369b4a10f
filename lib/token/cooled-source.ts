import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import { backoffMs, jitterFactor, type Random } from '../time/backoff.js';
import type { CurrentSecret } from './current-secret.js';
import type { Outage } from './outage.js';
import { timerKind, type TokenNeed, type TokenSource } from './token-source.js';

/** How long callers get the error of refused credentials. Only a person or a changed secret can fix them (B7). */
const REFUSAL = { firstMs: 5_000, longestMs: 60_000 };
/** The application may add an account at any time (B33). */
const UNKNOWN_ACCOUNT_MS = 1_000;

interface CoolDown {
  readonly error: TokenRequestError;
  readonly until: Deadline;
  /** How many renewals in a row were refused. 0 if the last renewal failed for another reason. */
  readonly consecutiveRefusals: number;
  /** `Outage.tokens` when the renewal failed. */
  readonly tokensBefore: number;
}

interface Dependencies {
  readonly inner: TokenSource;
  readonly secret: Pick<CurrentSecret, 'readAndCompare'>;
  readonly outage: Outage;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Remembers a failure for a while and rejects callers with the same error meanwhile. So an outage or wrong credentials
 * cost a few token requests, not one for each caller. `Outage` decides how long a failure of the endpoint counts (B18). A
 * refusal counts longer each time, and a changed secret ends it at once (B7).
 *
 * This library has four times in which it does not ask. They are about different questions, so one does not start another:
 *
 * 1. The cool-down, in this class: no token request. A failed renewal starts it. A fault of this library or a call that was
 *    given up does not. It ends with its time, and with a token that another process has obtained. After a refusal, a changed
 *    secret ends it, too. `Retry-After` decides its length if it is longer.
 * 2. The failure in `FleetOutage`, only with a store: callers get the error of this process, also without the cool-down. A
 *    failed renewal of this process starts it, with the length of its cool-down. Only then, the note of another process can
 *    prolong it: one process must not stop another that has not tried itself (B10). It ends with its time, with a token of
 *    any process, and for a changed secret, because that secret has another entry. Once a second, this process looks for a
 *    token of another process.
 * 3. The pause in `RenewalPause`: no renewal after a 401 (B3). Expired tokens are renewed all the same. The API starts it: it
 *    refuses a token that a renewal has just brought, or three renewals in a row have helped no call. It ends with its time: one
 *    renewal follows, and the next pause is longer. A successful request ends it, too. After useless renewals, only a call that
 *    succeeds when it is sent again does.
 * 4. The pause in `GuardedStore`: no message to the store (B10). A failed or late answer of the store starts it. It ends with its
 *    time. It grows until the store answers. Token requests go on, and no other pause changes.
 *
 * `Outage` is no such time. It knows since when the token endpoint has failed. The first failed renewal starts it, or the
 * note of another process. A token ends it. It decides the length of the cool-down, and that a renewal is a single attempt.
 */
export class CooledSource implements TokenSource {
  readonly #deps: Dependencies;
  #coolDown: CoolDown | undefined;

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
  }

  async obtain(need: TokenNeed): Promise<AccessToken> {
    const { inner, secret, outage, clock } = this.#deps;
    // Another process has obtained a token since, so the failure is over, even if its `Retry-After` is not (B10).
    if (this.#coolDown?.tokensBefore !== outage.tokens) this.#coolDown = undefined;
    const coolDown = this.#coolDown;
    if (coolDown && !coolDown.until.hasCome(clock)) {
      const isRefused = coolDown.consecutiveRefusals > 0;
      if (!isRefused || !(await secret.readAndCompare(timerKind(need), need.secret))) throw coolDown.error;
      this.#coolDown = undefined;
    }
    try {
      const token = await inner.obtain(need);
      this.#coolDown = undefined;
      outage.ended();
      return token;
    } catch (error) {
      if (!(error instanceof TokenRequestError) || need.signal?.aborted) throw error;
      this.#coolDown = this.#begin(error);
      throw this.#coolDown.error;
    }
  }

  #begin(error: TokenRequestError): CoolDown {
    const { outage, clock } = this.#deps;
    const isRefused = error.code === 'TOKEN_REJECTED';
    const consecutiveRefusals = isRefused ? (this.#coolDown?.consecutiveRefusals ?? 0) + 1 : 0;
    const ms = this.#lengthOf(error, consecutiveRefusals);
    const until = Deadline.after(clock, ms);
    return { error: error.until(until.date), until, consecutiveRefusals, tokensBefore: outage.tokens };
  }

  #lengthOf({ code, retryAfterMs }: TokenRequestError, consecutiveRefusals: number): number {
    if (code === 'ACCOUNT_UNKNOWN') return UNKNOWN_ACCOUNT_MS;
    return code === 'TOKEN_REJECTED'
      ? this.#refusalMs(consecutiveRefusals)
      : this.#deps.outage.failed(retryAfterMs);
  }

  #refusalMs(consecutiveRefusals: number): number {
    return Math.ceil(backoffMs(REFUSAL, consecutiveRefusals - 1) * jitterFactor(this.#deps.random));
  }
}
