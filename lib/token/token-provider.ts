import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import type { AccessToken } from '../secrets/access-token.js';

/** What is known of one token, without asking anybody and without a secret. */
export interface TokenStatus extends ProviderPair {
  /** Whether the plain injections of its interface mean this environment. */
  active: boolean;
  /** Failing wins over expired and empty; a valid token stays valid; a first fetch is renewing. */
  state: 'empty' | 'valid' | 'renewing' | 'expired' | 'failing';
  /** When the token expires by the wall clock. */
  expiresAt?: Date;
  /** When this process got it. */
  obtainedAt?: Date;
  /** Of the token: tells two apart, and neither of them. */
  fingerprint?: string;
  /** The last failure, as long as no token has been obtained since. */
  lastError?: {
    /** As in `TokenRequestError.code`. */
    code: string;
    /** What happened, and what to do about it. */
    message: string;
    /** When it happened. */
    at: Date;
  };
  /** Until then callers get the last error without a request. */
  retryAt?: Date;
  /** Whether the shared store answers this process; absent without a store. */
  store?: 'ok' | 'failing';
}

/** What a caller may say about one call for a token. */
export interface TokenCallOptions {
  /** Rejects this caller at once and nobody else; the shared token request goes on (B5). */
  signal?: AbortSignal;
}

/**
 * Gives the tokens of one interface and environment. An abstract class, so that it is a type and an injection token at once.
 *
 * @example
 * constructor(@InjectTokenProvider('easy') private readonly tokens: TokenProvider) {}
 */
export abstract class TokenProvider {
  /** Whose tokens these are. */
  abstract readonly interface: ProviderInterface;
  /** In which environment. */
  abstract readonly environment: ProviderEnvironment;
  /** Whether the plain injections of its interface mean this environment. */
  abstract readonly active: boolean;

  /** The cached token until it expires; concurrent callers share one request. Rejects with `TokenRequestError`. */
  abstract getToken(options?: TokenCallOptions): Promise<AccessToken>;

  /**
   * To be called after a 401: gives another token than the refused one, with at most one token request for each refused
   * token, however many callers report it. While renewals are paused because renewed tokens were refused too, it gives
   * the current token unchanged.
   *
   * @example
   * if (answer.status === 401) answer = await call(await tokens.renew(token));
   */
  abstract renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken>;

  /** What is known without asking anybody; holds no secret. */
  abstract status(): TokenStatus;
}

/** What the HTTP clients need besides. @internal */
export abstract class TrackedTokenProvider extends TokenProvider {
  /** The valid token in memory, if there is one: the warm path without a promise. Counts as a use of the token. */
  abstract useIfValid(): AccessToken | undefined;

  /** A request succeeded with this token: it is good, and a pause after refused renewals ends (B3). */
  abstract reportSuccess(token: AccessToken): void;
}
