import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import { ProviderAuthError } from './provider-auth.error.js';

/** Why no token could be had. */
export type TokenRequestErrorCode =
  /** The endpoint refused the credentials or the request. */
  | 'TOKEN_REJECTED'
  /** Network, TLS, time, 408, 425, 429, 5xx: after the attempts. */
  | 'TOKEN_UNAVAILABLE'
  /** The answer is not what the provider's document promises; a redirect counts. */
  | 'TOKEN_RESPONSE_INVALID';

/** What is told about a failed token request; never more (S10). @internal */
export interface TokenFailure {
  readonly code: TokenRequestErrorCode;
  /** What happened, in our own words: no text of the server. */
  readonly reason: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Whether the same request may succeed a moment later (B6). */
  readonly transient: boolean;
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The `error` code of RFC 6749 section 5.2, where it was well-formed. */
  readonly oauthError?: string | undefined;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** Until then callers get this error without a request. */
  readonly retryAt?: Date | undefined;
  /** Whether the cause lies in this process or its own network. Another process may well get a token (B10). */
  readonly local?: boolean | undefined;
}

/**
 * No token could be had: the call that needed it was not sent (S7).
 *
 * @example
 * if (error instanceof TokenRequestError) throw new ServiceUnavailableException();
 */
export class TokenRequestError extends ProviderAuthError {
  readonly code: TokenRequestErrorCode;
  /** Whose token endpoint was asked. */
  readonly interface: ProviderInterface;
  /** The environment whose credentials were used. */
  readonly environment: ProviderEnvironment;
  /** The HTTP status of the token endpoint, where it answered. */
  declare readonly status?: number;
  /** The `error` code of RFC 6749 section 5.2, where the endpoint gave a well-formed one. */
  declare readonly oauthError?: string;
  /** Until then callers get this error without a request. */
  declare readonly retryAt?: Date;
  readonly #failure: TokenFailure;

  /** @internal */
  constructor(pair: ProviderPair, failure: TokenFailure) {
    super(`No access token for ${pair.interface} ${pair.environment}: ${failure.reason} ${failure.remedy}`);
    this.code = failure.code;
    this.interface = pair.interface;
    this.environment = pair.environment;
    if (failure.status !== undefined) this.status = failure.status;
    if (failure.oauthError !== undefined) this.oauthError = failure.oauthError;
    if (failure.retryAt !== undefined) this.retryAt = failure.retryAt;
    this.#failure = failure;
  }

  /** @internal All that is told about it: for another process of the fleet. */
  get failure(): TokenFailure {
    return this.#failure;
  }

  /** @internal */
  get transient(): boolean {
    return this.#failure.transient;
  }

  /** @internal */
  get retryAfterMs(): number | undefined {
    return this.#failure.retryAfterMs;
  }

  /** @internal The same error, which now tells until when it stands. */
  until(retryAt: Date): TokenRequestError {
    return new TokenRequestError(this, { ...this.#failure, retryAt });
  }
}
