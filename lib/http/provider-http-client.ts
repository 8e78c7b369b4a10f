import { type AxiosInstance, create, getAdapter } from 'axios';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { isAuthorization } from './authorization-header.js';
import { AuthorizationInterceptor, guardedAdapter } from './authorization.interceptor.js';
import { AuthorizedRequest } from './authorized-request.js';
import { carrierOf, carrierOfTransport } from './adapter/adapter-traits.js';
import { BaseAddress } from '../net/base-address.js';
import { privateAgent, retirePrivateAgentFor } from '../net/private-agent.js';
import { TunnelledTls } from '../net/tunnelled-tls.js';

export interface ProviderHttpClientOptions {
  readonly profile: Pick<Profile, 'interface' | 'environment' | 'baseUrl' | 'tls'>;
  readonly http: HttpSettings;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
}

export interface ProviderHttpClient {
  readonly axios: AxiosInstance;
  /** Idle connections end at once, those in use when their request has ended. */
  close(): Promise<void>;
}

/** An axios instance for one interface and environment, whose requests all travel along the authorized road. */
export function createProviderHttpClient(options: ProviderHttpClientOptions): ProviderHttpClient {
  const { profile, http } = options;
  const { interface: name, environment, baseUrl, tls } = profile;
  const pair = { interface: name, environment };
  const agent = http.httpsAgent ?? privateAgent(tls && { secureContext: tls.secureContext() });
  const tunnelled = tls && new TunnelledTls(tls.secureContext(), baseUrl);
  const connection = http.transport?.open({ ...pair, baseUrl, ...(tls && { tls }) });
  const carrier = connection ? carrierOfTransport(connection) : carrierOf(getAdapter('http'));
  const road = new AuthorizedRequest({ ...options, base: new BaseAddress(baseUrl), agent, tls, tunnelled });
  const guard = guardedAdapter(carrier, pair, agent);

  const instance = create({
    baseURL: baseUrl,
    timeout: http.timeoutMs,
    maxRedirects: http.maxRedirects,
    headers: { ...http.headers },
    adapter: guard,
  });
  forgetForeignCredentials(instance);
  new AuthorizationInterceptor(road, guard, carrier).registerOn(instance);

  return {
    axios: instance,
    async close() {
      retirePrivateAgentFor(agent);
      tunnelled?.close();
      await connection?.close();
    },
  };
}

/**
 * What the application has put on the global axios before is meant for somebody else: it would go to the provider, and
 * win over the token.
 */
function forgetForeignCredentials({ defaults }: AxiosInstance): void {
  delete defaults.auth;
  for (const headers of Object.values(defaults.headers)) {
    if (typeof headers !== 'object' || headers === null) continue;
    for (const header of Object.keys(headers)) {
      if (isAuthorization(header)) Reflect.deleteProperty(headers, header);
    }
  }
}
