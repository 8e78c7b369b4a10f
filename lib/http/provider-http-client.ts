import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import type { ProviderConnection } from '../config/options/provider-transport.js';
import type { DirectConnection, DirectSender } from '../wire/wire-request.js';
import { BaseAddress } from '../net/base-address.js';
import { MadeOfTls } from '../net/made-of-tls.js';
import { privateAgent, retirePrivateAgentFor } from '../net/private-agent.js';
import { TunnelledTls } from '../net/tunnelled-tls.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { type AdapterTraits, traitsOf, traitsOfTransport } from './adapter/adapter-traits.js';
import { httpsSender } from './adapter/https-sender.js';
import type { AttemptSettings } from './adapter-plan.js';
import type { ApiReport } from './api-report.js';
import { guardedAdapter, registerAuthorization } from './authorization.interceptor.js';
import { AuthorizedRequest } from './authorized-request.js';
import { isComparedAxios } from './direct/compared-axios.js';
import { DirectPath, withDirectPath } from './direct/direct-path.js';
import { createProviderFetch, type FetchAdapter, type ProviderFetch } from './fetch/provider-fetch.js';
import { isAuthorization } from './redaction/clean-request.js';

export interface ProviderHttpClientOptions {
  readonly profile: Pick<Profile, 'provider' | 'interface' | 'environment' | 'baseUrl' | 'terms' | 'tls'>;
  readonly http: HttpSettings;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /** Gives its defaults to the instance. @default the global axios */
  readonly parent?: Pick<AxiosInstance, 'create'> | undefined;
  /**
   * Sends direct calls on the general path too. Only tests set this: they compare the results of both paths (B17).
   *
   * @default whether the direct path was never compared with the installed axios
   */
  readonly generalPathOnly?: boolean;
  readonly api?: ApiReport | undefined;
  /** In tests: the adapter of `fetch`, so that a mock of the axios instance answers `fetch` too. */
  readonly fetchAdapter?: FetchAdapter | undefined;
}

export interface ProviderHttpClient {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
  close(): Promise<void>;
}

/** An axios instance for one interface and environment. It sends each request as an `AuthorizedRequest`. */
export function createProviderHttpClient(options: ProviderHttpClientOptions): ProviderHttpClient {
  const { profile, http, tokens, clock, api, fetchAdapter, parent = axios } = options;
  const { generalPathOnly = !isComparedAxios() } = options;
  const { interface: name, environment, baseUrl, tls } = profile;
  const pair = { provider: profile.provider, interface: name, environment };
  const agents = new MadeOfTls(
    tls,
    () => http.httpsAgent ?? privateAgent(tls && { secureContext: tls.secureContext() }),
    retirePrivateAgentFor,
  );
  const connection = http.transport?.open({ interface: name, environment, baseUrl, ...(tls && { tls }) });
  const traits = connection ? traitsOfTransport(connection) : traitsOf('http');
  const base = new BaseAddress(baseUrl);
  const tunnelled = tls && new TunnelledTls(tls, baseUrl);
  const request = new AuthorizedRequest({ profile, base, agents, tls, tunnelled, http, tokens, clock, api });
  const directSender = generalPathOnly ? undefined : directSenderFor(http, connection, { base, agents });
  const ownTraits = { ...traits, directSender };
  const guard = guardedAdapter(traits, pair, base, agents);

  const general = parent.create({
    baseURL: baseUrl,
    timeout: http.timeoutMs,
    maxRedirects: http.maxRedirects,
    headers: { ...http.headers },
    adapter: guard,
  });
  removeForeignCredentials(general);
  const path = new DirectPath({
    instance: general,
    baseURL: baseUrl,
    adapter: guard,
    interceptors: registerAuthorization(general, pair, request, guard, ownTraits),
    send: request.directly(ownTraits),
    checkAndSend: (config) => request.send(config, ownTraits),
    isOffered: !generalPathOnly && traits.kind === 'http',
  });
  const instance = withDirectPath(general, path);
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
      agents.retire();
      tunnelled?.close();
      await connection?.close(request.ended());
    },
  };
}

/** What sends direct requests. Undefined if each request needs an adapter. */
function directSenderFor(
  { proxy }: HttpSettings,
  connection: (ProviderConnection & DirectConnection) | undefined,
  { base, agents }: Pick<AttemptSettings, 'base' | 'agents'>,
): DirectSender | undefined {
  // axios reaches a proxy.
  if (proxy || (proxy === undefined && connection?.hasProxy)) return undefined;
  if (connection !== undefined) return connection.directSender;
  return httpsSender({ base, agents, traits: traitsOf('http'), withoutProxy: proxy === false });
}

/** Credentials that the application has set on the global axios are for another server, and would replace the token. */
function removeForeignCredentials({ defaults }: AxiosInstance): void {
  delete defaults.auth;
  for (const headers of Object.values(defaults.headers))
    for (const header of Object.keys(headers ?? {}))
      if (isAuthorization(header)) Reflect.deleteProperty(headers as object, header);
}
