import type { AnyPair } from '../catalogue/catalogue.js';
import type { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { TokenIdentity, type TokenTarget } from './token-identity.js';
import { TokenProvider, type TokenStatus } from './token-provider.js';

/**
 * The token provider of a pair without configuration. It can be injected anywhere. Its use throws an error that names
 * the missing settings.
 */
export class UnconfiguredTokenProvider extends TokenProvider<string, string> {
  readonly interface: string;
  readonly environment: string;
  readonly active = false;

  constructor(
    pair: AnyPair,
    private readonly explain: () => ProviderAuthConfigError,
  ) {
    super();
    this.interface = pair.interface;
    this.environment = pair.environment;
  }

  getToken(): Promise<AccessToken> {
    return Promise.reject(this.explain());
  }

  renew(): Promise<AccessToken> {
    return this.getToken();
  }

  for(target: TokenTarget): TokenProvider<string, string> {
    TokenIdentity.of(target);
    return this;
  }

  status(): TokenStatus<string, string> {
    const { interface: name, environment, active } = this;
    return { interface: name, environment, active, state: 'empty' };
  }
}
