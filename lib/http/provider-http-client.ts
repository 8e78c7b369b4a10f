import type { Agent } from 'node:https';
import { type AxiosInstance, create, type InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import type { ProviderConnection } from '../config/options/provider-transport.js';
import type { DirectConnection, DirectSender } from '../wire/wire-request.js';
import { BaseAddress } from '../net/base-address.js';
import { privateAgent, retirePrivateAgentFor } from '../net/private-agent.js';
import { TunnelledTls } from '../net/tunnelled-tls.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { type AdapterTraits, traitsOf, traitsOfTransport } from './adapter/adapter-traits.js';
import { httpsSender } from './adapter/https-sender.js';
import type { ApiReport } from './api-report.js';
import { AuthorizationInterceptor, guardedAdapter } from './authorization.interceptor.js';
import { AuthorizedRequest } from './authorized-request.js';
import { isComparedAxios } from './express/compared-axios.js';
import { ExpressPath, withExpressPath } from './express/express-path.js';
import { createProviderFetch, type FetchAdapter, type ProviderFetch } from './fetch/provider-fetch.js';
import { isAuthorization } from './redaction/clean-request.js';

export interface ProviderHttpClientOptions {
  readonly profile: Pick<Profile, 'provider' | 'interface' | 'environment' | 'baseUrl' | 'tls'>;
  readonly http: HttpSettings;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /**
   * Sends ordinary calls on the general path too. Only tests set this: they compare the results of both paths (B17).
   *
   * @default whether the express path was never compared with the installed axios
   */
  readonly generalPathOnly?: boolean;
  readonly api?: ApiReport | undefined;
  /**
   * In tests: the adapter that `fetch` uses, so that a mock of the axios instance answers `fetch` too. Undefined for the
   * adapter of the client.
   */
  readonly fetchAdapter?: FetchAdapter | undefined;
}

export interface ProviderHttpClient {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
  /** Idle connections end at once. Connections in use end with their request. */
  close(): Promise<void>;
}

/** An axios instance for one interface and environment. It sends each request as an `AuthorizedRequest`. */
export function createProviderHttpClient(options: ProviderHttpClientOptions): ProviderHttpClient {
  const { profile, http, tokens, clock, api, fetchAdapter } = options;
  const { generalPathOnly = !isComparedAxios() } = options;
  const { interface: name, environment, baseUrl, tls } = profile;
  const { retryUnauthorized, proxy } = http;
  const pair = { provider: profile.provider, interface: name, environment };
  const agent = http.httpsAgent ?? privateAgent(tls && { secureContext: tls.secureContext() });
  const connection = http.transport?.open({ interface: name, environment, baseUrl, ...(tls && { tls }) });
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
    api,
  });
  const directSender = generalPathOnly ? undefined : directSenderFor(http, connection, { base, agent });
  const ownTraits = { ...traits, directSender };
  const guard = guardedAdapter(traits, pair, base, agent);

  const general = create({
    baseURL: baseUrl,
    timeout: http.timeoutMs,
    maxRedirects: http.maxRedirects,
    headers: { ...http.headers },
    adapter: guard,
  });
  removeForeignCredentials(general);
  const interceptor = new AuthorizationInterceptor(request, guard, ownTraits);
  const express = new ExpressPath({
    instance: general,
    baseURL: baseUrl,
    adapter: guard,
    interceptors: interceptor.registerOn(general),
    send: (config) => interceptor.sendOrdinary(config),
    checkAndSend: (config) => interceptor.checkAndSend(config),
    isOffered: !generalPathOnly && traits.isHttp,
  });
  const instance = withExpressPath(general, express);
  const traitsOfFetch = (config: InternalAxiosRequestConfig): AdapterTraits => {
    const adapter = fetchAdapter?.(instance);
    return adapter === undefined || adapter === guard ? ownTraits : traitsOf(adapter, config);
  };
  const fetch = createProviderFetch({
    base,
    baseUrl,
    http,
    clock,
    send: (config, style) => request.send(config, traitsOfFetch(config), undefined, style),
  });

  return {
    axios: instance,
    fetch,
    async close() {
      retirePrivateAgentFor(agent);
      tunnelled?.close();
      await connection?.close(request.ended());
    },
  };
}

/** What sends ordinary requests. Undefined if each request needs an adapter. */
function directSenderFor(
  { proxy }: HttpSettings,
  connection: (ProviderConnection & DirectConnection) | undefined,
  { base, agent }: { readonly base: BaseAddress; readonly agent: Agent },
): DirectSender | undefined {
  // axios reaches a proxy.
  if (proxy) return undefined;
  if (connection !== undefined) return connection.directSender;
  return httpsSender({ base, agent, traits: traitsOf('http'), isDirect: proxy === false });
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
