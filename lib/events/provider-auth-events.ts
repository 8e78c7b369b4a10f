import { type Channel, channel } from 'node:diagnostics_channel';
import type {
  OrOwnName,
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';

/** Why a token was requested: there was no token, it had expired, it would expire soon, or the API refused it. */
export type RenewalReason = 'cold' | 'expired' | 'ahead' | 'unauthorized';

/** The members that all events about an interface and environment share. */
export interface ProviderEvent extends ProviderPair<
  OrOwnName<ProviderInterface>,
  OrOwnName<ProviderEnvironment>
> {
  /** The name of the provider: `provider`, or the name in your own definition. */
  readonly provider: string;
  /** The account, if the event is about the token of one. */
  readonly account?: string;
}

/** One HTTP attempt at a token endpoint has ended. */
export interface TokenRequestEvent extends ProviderEvent {
  /** Why the request was sent. */
  readonly reason: RenewalReason;
  /** `ok`, or the code of the error in one word. */
  readonly outcome: 'ok' | 'rejected' | 'unavailable' | 'invalid';
  /**
   * Counts from 1 within one renewal. If a changed secret is tried after a refusal, that request has the same number as the
   * refused one.
   */
  readonly attempt: number;
  /** The HTTP status, if there was an answer. */
  readonly status?: number | undefined;
  /** The endpoint's `error` code (RFC 6749 section 5.2), if it sent a well-formed one. */
  readonly oauthError?: string | undefined;
  /** The fingerprint of the token that was obtained. It does not reveal the token. */
  readonly fingerprint?: string | undefined;
  /** When the request was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds to the last byte of the answer. */
  readonly durationMs: number;
}

/**
 * A caller needed a token. Published as soon as the token's origin is known.
 *
 * `memory`: the token was cached. `store`: another process had obtained the token. `miss`: neither had one. The caller
 * waited for a token request, or got the error of the last one.
 */
export interface TokenCacheEvent extends ProviderEvent {
  /** Where the token came from. */
  readonly result: 'memory' | 'store' | 'miss';
}

/** The API refused a token with 401, or with a status that its definition names, and the call has ended. */
export interface HttpUnauthorizedEvent extends ProviderEvent {
  /**
   * `recovered`: the second request got an answer that refuses no token, such as 200 or 404. `refused`: it was refused too, or
   * there was no such answer. `not_replayable`: it was not sent again, because its body could be read only once, or the API had
   * answered it with a redirect.
   */
  readonly outcome: 'recovered' | 'refused' | 'not_replayable';
}

/** A token provider has started to fail, or works again. */
export interface ProviderStateEvent extends ProviderEvent {
  /** The new state. */
  readonly state: 'failing' | 'recovered';
  /** The code of the error, if the state is `failing`. */
  readonly code?: string | undefined;
  /** If the state is `failing`: the earliest time of the next attempt. Until then, callers get the same error without a request. */
  readonly retryAt?: Date | undefined;
}

/** The shared store has started to fail for this process, or works again. */
export interface StoreStateEvent {
  /** The new state. */
  readonly state: 'failing' | 'recovered';
  /** If the state is `failing`: a code (`ECONNREFUSED`, `OOM`) or a few words. */
  readonly why?: string | undefined;
  /** When the process tries the store again, at the earliest. */
  readonly retryAt?: Date | undefined;
}

/**
 * The channels on `node:diagnostics_channel`, and the types of their events. No event contains a secret.
 *
 * @example
 * subscribe('provider-auth:token-request', (event) => count((event as TokenRequestEvent).outcome));
 */
export interface ProviderAuthEvents {
  /** A token request has ended. */
  'provider-auth:token-request': TokenRequestEvent;
  /** A caller needed a token, and the token's origin is known. */
  'provider-auth:token-cache': TokenCacheEvent;
  /** An API refused a token, and the call has ended. */
  'provider-auth:http-unauthorized': HttpUnauthorizedEvent;
  /** A token provider has started to fail, or works again. */
  'provider-auth:provider-state': ProviderStateEvent;
  /** The shared store has started to fail, or works again. */
  'provider-auth:store-state': StoreStateEvent;
}

/** A channel with a typed payload. Check `hasSubscribers` before you build a payload: this saves time. */
type TypedChannel<Name extends keyof ProviderAuthEvents> = Pick<Channel, 'name' | 'hasSubscribers'> & {
  publish(event: ProviderAuthEvents[Name]): void;
};

function typed<Name extends keyof ProviderAuthEvents>(name: Name): TypedChannel<Name> {
  return channel(name);
}

export const tokenRequestChannel = typed('provider-auth:token-request');
export const tokenCacheChannel = typed('provider-auth:token-cache');
export const httpUnauthorizedChannel = typed('provider-auth:http-unauthorized');
export const providerStateChannel = typed('provider-auth:provider-state');
export const storeStateChannel = typed('provider-auth:store-state');
