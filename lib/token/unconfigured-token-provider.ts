import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import type { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { TokenProvider, type TokenStatus } from './token-provider.js';

/** Stands in for a pair that has no configuration: it can be injected anywhere, and says what is missing once it is used. */
export class UnconfiguredTokenProvider extends TokenProvider {
  readonly interface: ProviderInterface;
  readonly environment: ProviderEnvironment;
  readonly active = false;

  constructor(
    pair: ProviderPair,
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

  status(): TokenStatus {
    const { interface: name, environment, active } = this;
    return { interface: name, environment, active, state: 'empty' };
  }
}
