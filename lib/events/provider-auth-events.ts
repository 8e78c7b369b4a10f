import { channel } from 'node:diagnostics_channel';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';

/** Why a token was asked for. */
export type RenewalReason = 'cold' | 'expired' | 'ahead' | 'unauthorized';

/** One HTTP attempt at a token endpoint has ended. */
export interface TokenRequestEvent extends ProviderPair {
  readonly reason: RenewalReason;
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
  readonly durationMs: number;
}

/**
 * A caller asked for a token: where it came from, told once that is known. `store` means that another process had
 * obtained it, `miss` that a token request was made or joined, be it in vain.
 */
export interface TokenCacheEvent extends ProviderPair {
  readonly result: 'memory' | 'store' | 'miss';
}

/** The API refused a token with 401: what became of the call. */
export interface HttpUnauthorizedEvent extends ProviderPair {
  readonly outcome: 'recovered' | 'refused' | 'not_replayable';
}

/** A token provider started to fail, or works again. */
export interface ProviderStateEvent extends ProviderPair {
  readonly state: 'failing' | 'recovered';
  /** The code of the error, while failing. */
  readonly code?: string | undefined;
  readonly retryAt?: Date | undefined;
}

/** The store where a fleet shares its tokens started to fail, or works again. */
export interface StoreStateEvent {
  readonly state: 'failing' | 'recovered';
  /** A code (`ECONNREFUSED`, `OOM`) or a few words of our own, while failing. */
  readonly why?: string | undefined;
  /** When the store is tried again, at the earliest. */
  readonly retryAt?: Date | undefined;
}

/** The names on `node:diagnostics_channel`, with what is published there. No payload holds a secret (S10). */
export interface ProviderAuthEvents {
  'provider-auth:token-request': TokenRequestEvent;
  'provider-auth:token-cache': TokenCacheEvent;
  'provider-auth:http-unauthorized': HttpUnauthorizedEvent;
  'provider-auth:provider-state': ProviderStateEvent;
  'provider-auth:store-state': StoreStateEvent;
}

/** A channel with a typed payload. Building a payload costs: ask `heard` first. */
function typed<Name extends keyof ProviderAuthEvents>(name: Name) {
  const inner = channel(name);
  return {
    name,
    get heard(): boolean {
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
