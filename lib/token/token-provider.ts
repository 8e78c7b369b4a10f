import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import type { AccessToken } from '../secrets/access-token.js';

export interface TokenStatus extends ProviderPair {
  /** Whether the plain injections of its interface mean this environment. */
  active: boolean;
  /** Failing wins over expired and empty; a valid token stays valid; a first fetch is renewing. */
  state: 'empty' | 'valid' | 'renewing' | 'expired' | 'failing';
  expiresAt?: Date;
  obtainedAt?: Date;
  fingerprint?: string;
  lastError?: { code: string; message: string; at: Date };
  /** Until then callers get the last error without a request. */
  retryAt?: Date;
}

export interface TokenCallOptions {
  /** Rejects this caller at once and nobody else; the shared token request goes on (B5). */
  signal?: AbortSignal;
}

/** Gives the tokens of one interface and environment. An abstract class, so that it is a type and an injection token at once. */
export abstract class TokenProvider {
  abstract readonly interface: ProviderInterface;
  abstract readonly environment: ProviderEnvironment;

  /** The cached token until it expires; concurrent callers share one request. Rejects with `TokenRequestError`. */
  abstract getToken(options?: TokenCallOptions): Promise<AccessToken>;

  /**
   * To be called after a 401: gives another token than the refused one, with at most one token request for each refused
   * token, however many callers report it. While renewals are paused because renewed tokens were refused too, it gives
   * the current token unchanged.
   */
  abstract renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken>;

  /** What is known without asking anybody; holds no secret. */
  abstract status(): TokenStatus;
}

/** What the HTTP clients need besides. @internal */
export abstract class TrackedTokenProvider extends TokenProvider {
  /** The valid token in memory, if there is one: the warm path without a promise. Counts as a use of the token. */
  abstract peek(): AccessToken | undefined;

  /** A request succeeded with this token: it is good, and a pause after refused renewals ends (B3). */
  abstract accepted(token: AccessToken): void;
}
