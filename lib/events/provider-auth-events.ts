import { channel } from 'node:diagnostics_channel';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';

/** Why a token was asked for: there was none, it had expired, it was about to, or the API refused it. */
export type RenewalReason = 'cold' | 'expired' | 'ahead' | 'unauthorized';

/** One HTTP attempt at a token endpoint has ended. */
export interface TokenRequestEvent extends ProviderPair {
  /** Why it was made. */
  readonly reason: RenewalReason;
  /** `ok`, or the code of the error in one word. */
  readonly outcome: 'ok' | 'rejected' | 'unavailable' | 'invalid';
  /** Counts from 1 within one renewal; the one more with a changed secret (B8) has the number of the refused one. */
  readonly attempt: number;
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The error code of RFC 6749 section 5.2, where the endpoint gave a well-formed one. */
  readonly oauthError?: string | undefined;
  /** Of the token that was obtained. */
  readonly fingerprint?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds to the last byte of the answer. */
  readonly durationMs: number;
}

/**
 * A caller asked for a token: where it came from, told once that is known. `store` means that another process had
 * obtained it, `miss` that a token request was made or joined, be it in vain.
 */
export interface TokenCacheEvent extends ProviderPair {
  /** Where the token came from. */
  readonly result: 'memory' | 'store' | 'miss';
}

/** The API refused a token with 401: what became of the call. */
export interface HttpUnauthorizedEvent extends ProviderPair {
  /** `recovered` by the resend, `refused` once more, or `not_replayable`: its body could be read only once. */
  readonly outcome: 'recovered' | 'refused' | 'not_replayable';
}

/** A token provider started to fail, or works again. */
export interface ProviderStateEvent extends ProviderPair {
  /** What it does from now on. */
  readonly state: 'failing' | 'recovered';
  /** The code of the error, while failing. */
  readonly code?: string | undefined;
  /** Until then callers get the same error without a request, while failing. */
  readonly retryAt?: Date | undefined;
}

/** The store where a fleet shares its tokens started to fail, or works again. */
export interface StoreStateEvent {
  /** What it does from now on. */
  readonly state: 'failing' | 'recovered';
  /** A code (`ECONNREFUSED`, `OOM`) or a few words of our own, while failing. */
  readonly why?: string | undefined;
  /** When the store is tried again, at the earliest. */
  readonly retryAt?: Date | undefined;
}

/**
 * The names on `node:diagnostics_channel`, with what is published there. No payload holds a secret (S10).
 *
 * @example
 * subscribe('provider-auth:token-request', (event) => count((event as TokenRequestEvent).outcome));
 */
export interface ProviderAuthEvents {
  /** A token request has ended. */
  'provider-auth:token-request': TokenRequestEvent;
  /** A token was needed, and it is known where it came from. */
  'provider-auth:token-cache': TokenCacheEvent;
  /** An API answered 401, and the call has ended. */
  'provider-auth:http-unauthorized': HttpUnauthorizedEvent;
  /** A token provider starts to fail, or works again. */
  'provider-auth:provider-state': ProviderStateEvent;
  /** The shared store starts to fail, or works again. */
  'provider-auth:store-state': StoreStateEvent;
}

/** A channel with a typed payload. Building a payload costs: ask `heard` first. */
function typed<Name extends keyof ProviderAuthEvents>(name: Name) {
  const inner = channel(name);
  return {
    name,
    get hasSubscribers(): boolean {
      return inner.hasSubscribers;
    },
    publish(event: ProviderAuthEvents[Name]): void {
      inner.publish(event);
    },
  };
}

export const tokenRequestChannel = typed('provider-auth:token-request');
export const tokenCacheChannel = typed('provider-auth:token-cache');
export const httpUnauthorizedChannel = typed('provider-auth:http-unauthorized');
export const providerStateChannel = typed('provider-auth:provider-state');
export const storeStateChannel = typed('provider-auth:store-state');
