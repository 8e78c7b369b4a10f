import { AsyncResource } from 'node:async_hooks';
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
  /**
   * Where this was made, which is no call: a renewal is no part of the one that used the token last, and the timer holds
   * nothing of it for as long as the token lives.
   */
  readonly #outside = new AsyncResource('provider-auth:renew-ahead');
  #token: AccessToken | undefined;
  #wasUsed = false;
  /** The moment came while the token was unused: its next use starts the renewal. */
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
    // Its users notice nothing of a failure (B6): the token still serves, and another try is made when the source allows.
    const renewal = this.#outside.runInAsyncScope(() => this.#renew(token));
    renewal?.catch((error: unknown) => {
      if (this.#token !== token || !(error instanceof TokenRequestError) || error.retryAt === undefined)
        return;
      const pause = error.retryAt.getTime() - this.#clock.wall();
      if (pause < token.remainingMs(this.#clock)) this.#arm(token, Math.max(pause, 1));
    });
  }
}
