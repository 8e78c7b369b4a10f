import { type AxiosInstance, create } from 'axios';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import { BaseAddress } from '../net/base-address.js';
import { privateAgent, retirePrivateAgentFor } from '../net/private-agent.js';
import { TunnelledTls } from '../net/tunnelled-tls.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { traitsOf, traitsOfTransport } from './adapter/adapter-traits.js';
import { AuthorizationInterceptor, guardedAdapter } from './authorization.interceptor.js';
import { AuthorizedRequest } from './authorized-request.js';
import { isAuthorization } from './redaction/clean-request.js';

export interface ProviderHttpClientOptions {
  readonly profile: Pick<Profile, 'interface' | 'environment' | 'baseUrl' | 'tls'>;
  readonly http: HttpSettings;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
}

export interface ProviderHttpClient {
  readonly axios: AxiosInstance;
  /** Idle connections end at once. Connections in use end with their request. */
  close(): Promise<void>;
}

/** An axios instance for one interface and environment. It sends each request as an `AuthorizedRequest`. */
export function createProviderHttpClient(options: ProviderHttpClientOptions): ProviderHttpClient {
  const { profile, http, tokens, clock } = options;
  const { interface: name, environment, baseUrl, tls } = profile;
  const { retryUnauthorized, proxy } = http;
  const pair = { interface: name, environment };
  const agent = http.httpsAgent ?? privateAgent(tls && { secureContext: tls.secureContext() });
  const connection = http.transport?.open({ ...pair, baseUrl, ...(tls && { tls }) });
  const traits = connection ? traitsOfTransport(connection) : traitsOf('http');
  const base = new BaseAddress(baseUrl);
  const tunnelled = tls && new TunnelledTls(tls.secureContext(), baseUrl);
  const request = new AuthorizedRequest({
    profile,
    base,
    agent,
    tls,
    tunnelled,
    http: { retryUnauthorized, proxy },
    tokens,
    clock,
  });
  const guard = guardedAdapter(traits, pair, agent);

  const instance = create({
    baseURL: baseUrl,
    timeout: http.timeoutMs,
    maxRedirects: http.maxRedirects,
    headers: { ...http.headers },
    adapter: guard,
  });
  removeForeignCredentials(instance);
  new AuthorizationInterceptor(request, guard, traits).registerOn(instance);

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
 * The application may have set credentials on the global axios before. They are for another server. Without this function
 * they would be sent to the provider, and would replace the token.
 */
function removeForeignCredentials({ defaults }: AxiosInstance): void {
  delete defaults.auth;
  for (const headers of Object.values(defaults.headers)) {
    if (typeof headers !== 'object' || headers === null) continue;
    for (const header of Object.keys(headers)) {
      if (isAuthorization(header)) Reflect.deleteProperty(headers, header);
    }
  }
}
