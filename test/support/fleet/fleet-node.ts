import { Agent } from 'node:https';
import type { ProviderPair } from '../../../lib/catalogue/provider-catalogue.js';
import type { AccountCredentials } from '../../../lib/config/options/environment-options.js';
import type { TokenSettings } from '../../../lib/config/options/profile.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { NAMES, TOKEN_SETTINGS } from '../token/token-fixtures.js';

/** What one process of a fleet knows. It can be sent to another process. */
export interface NodeSettings extends ProviderPair {
  readonly ca: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How far its wall clock is off. */
  readonly clockOffsetMs?: number | undefined;
  /** The proxy on loopback that it reaches the token endpoint by, if it has one. */
  readonly proxyPort?: number | undefined;
  readonly token?: Partial<TokenSettings> | undefined;
  /** What `accounts` of the options returns for each name. */
  readonly accounts?: Readonly<Record<string, AccountCredentials>> | undefined;
}

export function settingsFor(
  provider: ProviderSimulator,
  pair: ProviderPair = { interface: 'easy', environment: 'sandbox' },
): NodeSettings {
  const { ca } = provider;
  const tokenUrl = provider.tokenUrl(pair.interface, pair.environment);
  return { ...pair, ...provider.credentials(pair.interface, pair.environment), ca, tokenUrl };
}

/** A token provider as one process has it. With its own store object it behaves like a separate process. */
export class FleetNode {
  readonly clock: Clock;
  readonly tokens: Tokens;

  constructor(store: TokenStore, settings: NodeSettings) {
    const { clientId, clientSecret, proxyPort, clockOffsetMs = 0, accounts = {}, ...pair } = settings;
    this.clock = { ...systemClock, wall: () => Date.now() + clockOffsetMs };
    this.tokens = createTokenProvider(
      {
        ...pair,
        active: true,
        names: NAMES,
        baseUrl: new URL('/v1', pair.tokenUrl).href,
        clientId: new Secret(clientId),
        clientSecret: { read: () => Promise.resolve(new Secret(clientSecret)) },
      },
      {
        token: { ...TOKEN_SETTINGS, ...pair.token },
        http: {
          httpsAgent: new Agent({ ca: pair.ca }),
          proxy: proxyPort !== undefined && { protocol: 'http', host: '127.0.0.1', port: proxyPort },
        },
        store,
        accounts: (account) => accounts[account],
      },
      this.clock,
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
