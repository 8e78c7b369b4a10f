import { type AnyPair, pairName, providerOf } from '../catalogue/catalogue.js';
import type { OrOwnName, ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
import { nameErrors, ProviderAuthError } from './provider-auth.error.js';

/** Why no token is available. */
export type TokenRequestErrorCode =
  /** The endpoint refused the credentials or the request. */
  | 'TOKEN_REJECTED'
  /** Network, TLS, time, 408, 425, 429 or 5xx, after all attempts; or a secret that cannot be read, or an expired assertion. */
  | 'TOKEN_UNAVAILABLE'
  /** The answer does not match the provider's document. A redirect counts too. */
  | 'TOKEN_RESPONSE_INVALID'
  /** `accounts` of the options knows no credentials for this account. */
  | 'ACCOUNT_UNKNOWN';

/** All that is known about a failed token request. Holds no text of the server (S10). @internal */
export interface TokenFailure {
  readonly code: TokenRequestErrorCode;
  /** What happened, in our own words. */
  readonly reason: string;
  /** How to fix it. */
  readonly remedy: string;
  /** Whether the endpoint did not answer in time. */
  readonly timedOut?: boolean;
  /** Whether the same request may succeed a moment later. */
  readonly transient: boolean;
  /** The HTTP status, if there was an answer. */
  readonly status?: number | undefined;
  /** The `error` code of RFC 6749 section 5.2, if it was well-formed. */
  readonly oauthError?: string | undefined;
  readonly providerCode?: string | undefined;
  readonly traceId?: string | undefined;
  readonly correlationId?: string | undefined;
  /** How long the server asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the cause is in this process or its own network. Another process may still get a token. */
  readonly local?: boolean | undefined;
  /** Why no request was sent: the credential could not be read or has expired, or the agent is not safe. */
  readonly unsent?: 'secret' | 'agent' | undefined;
}

/** What the error shows of the answer, if there was one. */
const SHOWN = ['status', 'oauthError', 'providerCode', 'traceId', 'correlationId'] as const;

/**
 * No token is available. No request is sent without one.
 *
 * @example
 * if (error instanceof TokenRequestError) throw new ServiceUnavailableException();
 */
export class TokenRequestError extends ProviderAuthError {
  static {
    nameErrors(this, 'TokenRequestError');
  }

  /** Why no token is available. Codes are stable, so you can compare them. */
  readonly code: TokenRequestErrorCode;
  /** The interface of the token endpoint. */
  readonly interface: OrOwnName<ProviderInterface>;
  /** The environment whose credentials were used. */
  readonly environment: OrOwnName<ProviderEnvironment>;
  /** The account, if the token was for one. */
  declare readonly account?: string;
  /** The HTTP status of the token endpoint, if it answered. */
  declare readonly status?: number;
  /** The endpoint's `error` code (RFC 6749 section 5.2), if it sent a well-formed one. */
  declare readonly oauthError?: string;
  /** The provider's own number of the error, such as `AADSTS7000215`. */
  declare readonly providerCode?: string;
  /** The id under which the provider logged the refusal. */
  declare readonly traceId?: string;
  /** The id of the request in the provider's logs. */
  declare readonly correlationId?: string;
  /** The earliest time of the next attempt. Until then, callers get this error without a request. */
  declare readonly retryAt?: Date;
  readonly #failure: TokenFailure;
  readonly #provider: string;

  /** @internal */
  constructor(pair: AnyPair, failure: TokenFailure, retryAt?: Date) {
    super(`No access token for ${pairName(pair)}: ${failure.reason} ${failure.remedy}`);
    this.code = failure.code;
    this.interface = pair.interface;
    this.environment = pair.environment;
    this.#provider = providerOf(pair);
    if (pair.account !== undefined) this.account = pair.account;
    for (const name of SHOWN) if (failure[name] !== undefined) Object.assign(this, { [name]: failure[name] });
    if (retryAt !== undefined) this.retryAt = new Date(retryAt);
    this.#failure = Object.freeze(failure);
  }

  /** The name of the provider: `provider`, or the name in your own definition. */
  get provider(): string {
    return this.#provider;
  }

  /** @internal */
  get failure(): TokenFailure {
    return this.#failure;
  }

  /**
   * The same error as another object, for one caller. A caller may change its error, and axios appends a stack to it.
   * The stack is that of the one failure: a stack for each of many callers would stop the event loop.
   *
   * @param retryAt the moment until which callers get the error.
   * @internal
   */
  copy(retryAt = this.retryAt): TokenRequestError {
    const { stackTraceLimit } = Error;
    // `Reflect.set`, because a process may have frozen the intrinsics.
    Reflect.set(Error, 'stackTraceLimit', 0);
    const copy = new TokenRequestError(this, this.#failure, retryAt);
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    if (this.stack !== undefined) copy.stack = this.stack;
    return copy;
  }
}
