import { AsyncResource } from 'node:async_hooks';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';

/** Starts a renewal in the background. Returns `undefined` if this token is no longer the one to renew. */
type Renew = (token: AccessToken) => Promise<AccessToken> | undefined;

/**
 * Renews a token some time before it expires, so that no caller waits for a token. A token that was not used is not
 * renewed: an idle application stops asking after one lifetime. The timers keep no process alive (B9).
 */
export class RenewAhead {
  readonly #aheadMs: number;
  readonly #clock: Clock;
  readonly #renew: Renew;
  /**
   * The async context in which this object was made, outside of any call. Without it a renewal would run in the context of
   * the call that used the token last, and the timer would keep that context in memory for the life of the token.
   */
  readonly #outside = new AsyncResource('provider-auth:renew-ahead');
  #token: AccessToken | undefined;
  #wasUsed = false;
  /** This token became due before it was used. Its next use starts the renewal. */
  #overdue: AccessToken | undefined;
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
    this.#arm(token, token.remainingMs(this.#clock) - Math.min(this.#aheadMs, token.lifetimeMs / 2));
  }

  used(): void {
    this.#wasUsed = true;
    if (this.#overdue) this.#due(this.#overdue);
  }

  forget(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#token = undefined;
    this.#wasUsed = false;
    this.#overdue = undefined;
  }

  close(): void {
    this.#closed = true;
    this.forget();
  }

  #arm(token: AccessToken, ms: number): void {
    this.#cancel = this.#outside.runInAsyncScope(() =>
      this.#clock.after(ms, () => this.#due(token), 'background'),
    );
  }

  #due(token: AccessToken): void {
    this.#overdue = this.#wasUsed ? undefined : token;
    if (this.#overdue) return;
    // Callers do not notice a failure (B6): the token is still valid. The next try follows when the source allows it.
    const renewal = this.#outside.runInAsyncScope(() => this.#renew(token));
    renewal?.catch((error: unknown) => {
      if (this.#token !== token || !(error instanceof TokenRequestError) || error.retryAt === undefined)
        return;
      const pause = error.retryAt.getTime() - this.#clock.wall();
      if (pause < token.remainingMs(this.#clock)) this.#arm(token, Math.max(pause, 1));
    });
  }
}
