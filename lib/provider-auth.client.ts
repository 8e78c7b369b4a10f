import { create } from 'axios';
import type { ProviderPair } from './catalogue/provider-catalogue.js';
import { notConfigured } from './config/process-env/not-configured.js';
import type { Profile, Settings } from './config/options/profile.js';
import type { ProviderAuthConfigError } from './errors/provider-auth-config.error.js';
import { createProviderHttpClient } from './http/provider-http-client.js';
import type { ProviderHttpService } from './http/provider-http.service.js';
import { PROVIDER_HTTP_SERVICES } from './http/provider-http-services.js';
import type { Clock } from './time/clock.js';
import { createTokenProvider } from './token/create-token-provider.js';
import type { TokenRequests } from './token/endpoint/token-endpoint.js';
import type { TokenProvider } from './token/token-provider.js';
import { UnconfiguredTokenProvider } from './token/unconfigured-token-provider.js';

/** The token provider and the HTTP client of one interface and environment. */
export interface ProviderClient extends ProviderPair {
  readonly active: boolean;
  readonly configured: boolean;
  readonly tokens: TokenProvider;
  readonly http: ProviderHttpService;
  /** Ends work that no caller waits for. Calls still work. */
  endBackgroundWork(): void;
  /** Ends everything. */
  close(): Promise<void>;
}

/** @param endpoint replaces the token endpoint of the provider, in tests. */
export function connect(
  profile: Profile,
  settings: Settings,
  clock: Clock,
  endpoint?: TokenRequests,
): ProviderClient {
  const { interface: name, environment, active } = profile;
  const tokens = createTokenProvider(profile, settings, clock, Math.random, endpoint);
  const client = createProviderHttpClient({ profile, http: settings.http, tokens, clock });
  return {
    interface: name,
    environment,
    active,
    configured: true,
    tokens,
    http: new PROVIDER_HTTP_SERVICES[name](client.axios),
    endBackgroundWork: () => tokens.close(),
    close: () => client.close(),
  };
}

export function unconfigured(pair: ProviderPair, { profiles }: Settings): ProviderClient {
  const explain = (): ProviderAuthConfigError => notConfigured(pair, profiles);
  const client = create({ adapter: () => Promise.reject(explain()) });
  return {
    ...pair,
    active: false,
    configured: false,
    tokens: new UnconfiguredTokenProvider(pair, explain),
    http: new PROVIDER_HTTP_SERVICES[pair.interface](client),
    endBackgroundWork: () => {},
    close: () => Promise.resolve(),
  };
}
