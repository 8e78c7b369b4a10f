import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { TokenTarget } from './token-identity.js';

/** What this process knows about one token. Contains no secret, and reading it waits for no request. */
export interface TokenStatus<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends ProviderPair<Interface, Environment> {
  /** Whether injections that name no environment get this one. */
  active: boolean;
  /**
   * `valid`: there's a token that hasn't expired. Otherwise: `failing` after a failure, `renewing` during a token request, or
   * else `expired` or `empty`.
   */
  state: 'empty' | 'valid' | 'renewing' | 'expired' | 'failing';
  /** When the token expires, on the wall clock. */
  expiresAt?: Date;
  /** When this process got the token. */
  obtainedAt?: Date;
  /** Identifies the token in logs without revealing it. */
  fingerprint?: string;
  /** The last failure, until a token is obtained again. */
  lastError?: {
    /** As in `TokenRequestError.code`. */
    code: string;
    /** What happened, and how to fix it. */
    message: string;
    /** When it happened. */
    at: Date;
  };
  /** The earliest time of the next attempt. Until then, callers get the last error without a request. */
  retryAt?: Date;
  /** Whether the shared store works. Absent if no store is configured. */
  store?: 'ok' | 'failing';
  /** Accounts and other scopes that this process has used. Absent if none were used. */
  accounts?: {
    /** How many of them have a valid token. */
    tokens: number;
    /** How many have none, because of a failure. */
    failing: number;
  };
}

/** Options of one call for a token. */
export interface TokenCallOptions {
  /** Aborting rejects this call at once. Other calls, and the token request that they share, go on. */
  signal?: AbortSignal;
}

/**
 * Provides the tokens for one interface and environment. Use it for clients that need the token itself, such as gRPC or
 * WebSockets.
 *
 * @example
 * constructor(@InjectTokenProvider('easy') private readonly tokens: TokenProvider) {}
 */
export abstract class TokenProvider<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  // An abstract class can be both a type and an injection token.

  /** The interface of these tokens. */
  abstract readonly interface: Interface;
  /** The environment of these tokens. */
  abstract readonly environment: Environment;
  /** Whether injections that name no environment get this one. */
  abstract readonly active: boolean;

  /**
   * Returns the cached token until it expires, then requests a new one. Simultaneous callers share one request.
   *
   * @returns a token that you can use for any number of requests until it expires.
   * @throws TokenRequestError if no token is available.
   */
  abstract getToken(options?: TokenCallOptions): Promise<AccessToken>;

  /**
   * Returns another token after the API has refused a token with 401. There is at most one token request for each refused
   * token, no matter how many callers report it. If the API also refuses renewed tokens, renewals pause, and you get the
   * current token.
   *
   * @param refused the token that the API refused.
   * @returns a token to send the request again with.
   * @throws TokenRequestError if no token is available.
   *
   * @example
   * if (answer.status === 401) answer = await call(await tokens.renew(token));
   */
  abstract renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken>;

  /**
   * Returns a provider of tokens for an account, or for another scope, audience or resource. It shares no token with this one.
   * An empty target returns this provider itself.
   *
   * @throws TypeError if a member is empty, unknown, undefined or null.
   *
   * @example
   * const token = await tokens.for({ account: 'merchant-42' }).getToken();
   */
  abstract for(target: TokenTarget): TokenProvider<Interface, Environment>;

  /** @returns what this process knows about its token. Sends no request. */
  abstract status(): TokenStatus<Interface, Environment>;
}
