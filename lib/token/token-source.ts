import type { RenewalReason } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Secret } from '../secrets/secret.js';
import type { TimerKind } from '../time/clock.js';

/** Why a token is needed, and until when. */
export interface TokenNeed {
  readonly reason: RenewalReason;
  /** The token that the API refused, where that is the reason. */
  readonly refused?: AccessToken | undefined;
  /**
   * The client secret, if a source on the way has read it already. The first attempt uses this reading, also a failed one,
   * so the source of the secret is read once for each token request (B8). Each later attempt reads it again.
   */
  readonly secret?: Promise<Secret> | undefined;
  /** Ends work that nobody waits for any more; a caller's own signal never gets here (B5). */
  readonly signal?: AbortSignal | undefined;
}

/** Nobody waits for a renewal ahead: its timers and its connection keep no process alive (B9). */
export function timerKind({ reason }: Pick<TokenNeed, 'reason'>): TimerKind {
  return reason === 'ahead' ? 'background' : 'awaited';
}

/**
 * Gives tokens. Each implementation wraps another and adds one idea; it knows nothing but this interface.
 *
 * Rejects with `TokenRequestError` only. Is asked for one token at a time: `CachedTokenProvider` on top sees to that.
 */
export interface TokenSource {
  obtain(need: TokenNeed): Promise<AccessToken>;
}

/** One try to get a token; `attempt` counts from 1 within one renewal. */
export interface TokenAttempts {
  attempt(need: TokenNeed, attempt: number): Promise<AccessToken>;
}
