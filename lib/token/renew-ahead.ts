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
 * Renewals for which no caller waits. The timer keeps no process alive (B9).
 *
 * A token in use is renewed some time before it expires, so that no caller waits for a token. An idle application stops asking
 * after one lifetime.
 *
 * A failed renewal without a valid token is tried again at its time, as long as a health check or a gauge asks for the state
 * (B35): a process that is out of rotation because of its health check has no callers that would try.
 */
export class RenewAhead {
  /**
   * The async context outside of any call. Without it a renewal would run in the context of the call that used the token last,
   * and the timer would keep that context in memory for the life of the token.
   */
  readonly #outside = new AsyncResource('provider-auth:renew-ahead');
  #token: AccessToken | undefined;
  #wasUsed = false;
  /** This token became due before it was used. Its first use starts the renewal. */
  #overdue: AccessToken | undefined;
  #closed = false;
  /** For the renewal of a token, or for another try without a token. `due` is by the monotonic clock. */
  #timer: { readonly token: AccessToken | undefined; readonly due: number; cancel(): void } | undefined;
  #askedUntil: Deadline | undefined;

  constructor(
    private readonly aheadMs: number,
    private readonly clock: Clock,
    private readonly renew: Renew,
  ) {}

  /** @param leewayMs how long before its end the token counts as expired. The time ahead comes before that. */
  watch(token: AccessToken, leewayMs: number): void {
    this.forget();
    if (this.aheadMs <= 0 || this.#closed) return;
    this.#token = token;
    const aheadMs = Math.min(this.aheadMs, (token.lifetimeMs - leewayMs) / 2);
    this.#arm(token, token.remainingMs(this.clock) - leewayMs - aheadMs);
  }

  /** The token is used for the first time. */
  used(): void {
    this.#wasUsed = true;
    if (this.#overdue) this.#start(this.#overdue);
  }

  /** A health check or a gauge asks for the state, and the last renewal has failed. */
  asked(retryAt: Deadline | undefined): void {
    if (this.#closed) return;
    this.#askedUntil = Deadline.after(this.clock, ASKED_MS);
    const ms = retryAt?.remaining(this.clock) ?? SHORTEST_PAUSE_MS;
    // A timer stands still while the machine sleeps, but the time of the next try may have come by the wall clock.
    const armed = this.#timer?.token === undefined ? this.#timer : undefined;
    // A question hurries no try that comes within the shortest pause: a failing endpoint must not be hammered.
    const soon = this.clock.monotonic() + Math.max(ms, SHORTEST_PAUSE_MS);
    if (armed === undefined || armed.due > soon) this.#arm(undefined, ms);
  }

  forget(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#token = undefined;
    this.#wasUsed = false;
    this.#overdue = undefined;
  }

  close(): void {
    this.#closed = true;
    this.forget();
  }

  #arm(token: AccessToken | undefined, ms: number): void {
    this.#timer?.cancel();
    const cancel = this.#outside.runInAsyncScope(() =>
      this.clock.after(ms, () => this.#due(token), 'background'),
    );
    this.#timer = { token, due: this.clock.monotonic() + ms, cancel };
  }

  #due(token: AccessToken | undefined): void {
    this.#timer = undefined;
    if (token && !this.#wasUsed) this.#overdue = token;
    else if (token || this.#askedUntil?.hasCome(this.clock) === false) this.#start(token);
  }

  #start(token: AccessToken | undefined): void {
    this.#overdue = undefined;
    this.#outside
      .runInAsyncScope(() => this.renew(token))
      ?.catch((error: unknown) => {
        if (error instanceof TokenRequestError) this.#tryLater(token, error);
      });
  }

  #tryLater(token: AccessToken | undefined, { retryAt }: TokenRequestError): void {
    const pauseMs = retryAt && retryAt.getTime() - this.clock.wall();
    if (token === undefined) {
      if (!this.#closed && this.#timer === undefined)
        this.#arm(undefined, Math.max(pauseMs ?? 0, SHORTEST_PAUSE_MS));
      return;
    }
    // Callers do not notice the failure (B6): the token is still valid.
    if (this.#token === token && pauseMs !== undefined && pauseMs < token.remainingMs(this.clock))
      this.#arm(token, Math.max(pauseMs, 1));
  }
}
