import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';

/** Starts a renewal in the background; `undefined` where there is nothing to renew any more. */
type Renew = (token: AccessToken) => Promise<AccessToken> | undefined;

/**
 * Renews a token some time before it expires, so that nobody waits for it. Only a token that was used is worth another:
 * an idle application stops asking after one lifetime. Its timers keep no process alive (B9).
 */
export class RenewAhead {
  readonly #aheadMs: number;
  readonly #clock: Clock;
  readonly #renew: Renew;
  #token: AccessToken | undefined;
  #wasUsed = false;
  /** The moment came while the token was unused: its next use starts the renewal. */
  #overdue = false;
  #closed = false;
  #cancel: (() => void) | undefined;

  constructor(aheadMs: number, clock: Clock, renew: Renew) {
    this.#aheadMs = aheadMs;
    this.#clock = clock;
    this.#renew = renew;
  }

  watch(token: AccessToken): void {
    this.forget();
    if (this.#aheadMs <= 0 || this.#closed) return;
    this.#token = token;
    this.#arm(token.remainingMs(this.#clock) - Math.min(this.#aheadMs, token.lifetimeMs / 2));
  }

  used(): void {
    this.#wasUsed = true;
    if (this.#overdue) this.#due();
  }

  forget(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#token = undefined;
    this.#wasUsed = false;
    this.#overdue = false;
  }

  close(): void {
    this.#closed = true;
    this.forget();
  }

  #arm(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => this.#due(), 'background');
  }

  #due(): void {
    const token = this.#token;
    this.#overdue = token !== undefined && !this.#wasUsed;
    if (token === undefined || this.#overdue) return;
    // Its users notice nothing of a failure (B6): the token still serves, and another try is made when the source allows.
    this.#renew(token)?.catch((error: unknown) => {
      if (this.#token !== token || !(error instanceof TokenRequestError) || error.retryAt === undefined)
        return;
      const pause = error.retryAt.getTime() - this.#clock.wall();
      if (pause < token.remainingMs(this.#clock)) this.#arm(Math.max(pause, 1));
    });
  }
}
