import { AsyncResource } from 'node:async_hooks';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';

/** Starts a renewal in the background. Returns `undefined` if this token, or no token, is no longer what is to be renewed. */
type Renew = (token: AccessToken | undefined) => Promise<AccessToken> | undefined;

/** How long after the last question about its state a process goes on trying by itself. */
const ASKED_MS = 2 * 60_000;
/** A failure without a time for the next try, and a try that fails at once. */
const SHORTEST_PAUSE_MS = 1_000;

/**
 * Renewals for which no caller waits. The timers keep no process alive (B9).
 *
 * A token is renewed some time before it expires, so that no caller waits for a token. A token that was not used is not
 * renewed: an idle application stops asking after one lifetime.
 *
 * A failed renewal is tried again at its time, as long as a health check or a gauge asks for the state (B35). A process that is out of
 * rotation because of its health check has no callers. Its failure would be the last thing known for ever.
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
  #askedUntil: Deadline | undefined;
  #cancelTrial: (() => void) | undefined;

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

  /** A health check or a gauge asks for the state, and the last renewal has failed. */
  asked(retryAt: Deadline | undefined): void {
    if (this.#closed) return;
    this.#askedUntil = Deadline.after(this.#clock, ASKED_MS);
    if (this.#cancelTrial === undefined) this.#armTrial(retryAt?.remaining(this.#clock));
  }

  forget(): void {
    this.#cancel?.();
    this.#cancelTrial?.();
    this.#cancel = this.#cancelTrial = undefined;
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

  #armTrial(ms = SHORTEST_PAUSE_MS): void {
    this.#cancelTrial = this.#outside.runInAsyncScope(() =>
      this.#clock.after(ms, () => this.#try(), 'background'),
    );
  }

  #try(): void {
    this.#cancelTrial = undefined;
    if (this.#askedUntil?.hasCome(this.#clock) !== false) return;
    this.#outside
      .runInAsyncScope(() => this.#renew(undefined))
      ?.catch((error: unknown) => {
        if (this.#closed || this.#cancelTrial !== undefined || !(error instanceof TokenRequestError)) return;
        const pause = error.retryAt && error.retryAt.getTime() - this.#clock.wall();
        this.#armTrial(Math.max(pause ?? 0, SHORTEST_PAUSE_MS));
      });
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
