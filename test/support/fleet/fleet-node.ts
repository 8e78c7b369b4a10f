import type { ProviderPair } from '../../../lib/catalogue/provider-catalogue.js';
import type { TokenSettings } from '../../../lib/config/options/profile.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { TOKEN_SETTINGS } from './fleet-member.js';
import { NAMES } from '../token/token-fixtures.js';

export const EASY: ProviderPair = { interface: 'easy', environment: 'sandbox' };

interface NodePlan {
  readonly provider: ProviderSimulator;
  readonly store: TokenStore;
  readonly pair?: ProviderPair;
  readonly clock?: Clock;
  readonly token?: Partial<TokenSettings>;
  /** The proxy on loopback that this process reaches the token endpoint by. */
  readonly proxyPort?: number | undefined;
}

/** A token provider as one process has it. With its own store object it behaves like a separate process. */
export class FleetNode {
  readonly tokens: Tokens;

  constructor({ provider, store, pair = EASY, clock = systemClock, token = {}, proxyPort }: NodePlan) {
    const { clientId, clientSecret } = provider.credentials(pair.interface, pair.environment);
    this.tokens = createTokenProvider(
      {
        ...pair,
        active: true,
        names: NAMES,
        tokenUrl: provider.tokenUrl(pair.interface, pair.environment),
        baseUrl: provider.baseUrl(pair.interface, pair.environment),
        clientId: new Secret(clientId),
        clientSecret: { read: () => Promise.resolve(new Secret(clientSecret)) },
      },
      {
        token: { ...TOKEN_SETTINGS, ...token },
        http: {
          httpsAgent: proxyPort === undefined ? provider.agent() : undefined,
          proxy: proxyPort !== undefined && { protocol: 'http', host: '127.0.0.1', port: proxyPort },
        },
        store,
      },
      clock,
    );
  }

  get(): Promise<AccessToken> {
    return this.tokens.getToken();
  }

  /** As after a 401 for the current token, with which a request had succeeded before. */
  async renewed(): Promise<AccessToken> {
    const token = await this.get();
    this.tokens.reportSuccess(token);
    return this.tokens.renew(token);
  }
}
