import type { AccessToken } from '../secrets/access-token.js';
import { TokenIdentity, type TokenTarget } from './token-identity.js';
import {
  type TokenCallOptions,
  TokenProvider,
  type TokenStatus,
  type TrackedTokenProvider,
} from './token-provider.js';

/** What `for` of a token provider gives. It keeps no token: a token that was not used for long is gone, and is requested again. */
export class IdentifiedTokens extends TokenProvider<string, string> {
  readonly interface: string;
  readonly environment: string;
  readonly active: boolean;
  readonly #pair: TrackedTokenProvider;
  readonly #identity: TokenIdentity;

  constructor(pair: TrackedTokenProvider, identity: TokenIdentity) {
    super();
    this.interface = pair.interface;
    this.environment = pair.environment;
    this.active = pair.active;
    this.#pair = pair;
    this.#identity = identity;
  }

  async getToken(options?: TokenCallOptions): Promise<AccessToken> {
    return this.#pair.of(this.#identity).getToken(options);
  }

  async renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken> {
    return this.#pair.of(this.#identity).renew(refused, options);
  }

  status(): TokenStatus<string, string> {
    return this.#pair.of(this.#identity, false).status();
  }

  for(target: TokenTarget): TokenProvider<string, string> {
    return new IdentifiedTokens(this.#pair, TokenIdentity.of(target, this.#identity) ?? this.#identity);
  }
}
