import type { Agent } from 'node:https';
import axios, { type AxiosInstance, getAdapter } from 'axios';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import { Agents } from '../net/agents.js';
import { BaseAddress } from '../net/base-address.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/tokens.js';
import { isAuthorization } from '../wire/axios-headers.js';
import { HttpsSource } from '../wire/https-source.js';
import type { Config, Source } from '../wire/outgoing.js';
import type { ApiReport } from './api-report.js';
import { isComparedAxios } from './axios/compared-axios.js';
import { type IsMock, TokenInterceptor } from './axios/interceptor.js';
import { ShortWay, withShortWay } from './axios/short-way.js';
import { Engine } from './engine.js';
import { createProviderFetch, type ProviderFetch } from './fetch/provider-fetch.js';

export interface ProviderHttpClientOptions {
  readonly profile: Pick<Profile, 'provider' | 'interface' | 'environment' | 'baseUrl' | 'terms' | 'tls'>;
  readonly http: HttpSettings;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /** Gives its defaults to the instance. @default the global axios */
  readonly parent?: Pick<AxiosInstance, 'create'> | undefined;
  /**
   * Whether ordinary calls take the short way. Only tests set this.
   *
   * @default whether the short way was compared with the installed axios
   */
  readonly hasShortWay?: boolean;
  readonly api?: ApiReport | undefined;
  /** Set in tests: then a mock of the axios instance answers `fetch`, too. */
  readonly isMock?: IsMock | undefined;
}

export interface ProviderHttpClient {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
  close(): Promise<void>;
}

/** An axios instance and a `fetch` for one interface and environment. The engine is the adapter of both. */
export function createProviderHttpClient(options: ProviderHttpClientOptions): ProviderHttpClient {
  const { profile, http, tokens, clock, api, isMock, parent = axios } = options;
  const { hasShortWay = isComparedAxios() } = options;
  const { baseUrl, tls } = profile;
  const base = new BaseAddress(baseUrl);
  const agents = new Agents({
    tls,
    servername: tls?.servername,
    httpsAgent: http.httpsAgent,
    proxy: http.proxy,
  });
  const { provider, interface: name, environment } = profile;
  const pair = { provider, interface: name, environment };
  const opened = http.transport?.open({ ...pair, tls, proxy: http.proxy });
  const source = (opened as Source | undefined) ?? new HttpsSource(agents);
  const agent = (): Agent => agents.agentFor(base.url, { proxy: false }, true);
  const engine = new Engine({ profile, base, source, agent, http, tls, tokens, clock, api });
  const byEngine = (config: Config) => engine.send(config);
  const interceptor = new TokenInterceptor(engine, byEngine, isMock);
  const general = interceptor.register(
    parent.create({
      baseURL: baseUrl,
      timeout: http.timeoutMs,
      maxRedirects: http.maxRedirects,
      headers: { ...http.headers },
      adapter: byEngine,
    }),
  );
  removeForeignCredentials(general);
  const instance = hasShortWay ? withShortWay(general, new ShortWay(general, interceptor)) : general;
  const fetch = createProviderFetch({
    base,
    baseUrl,
    http,
    clock,
    send(config, fetched) {
      const chosen = isMock && getAdapter(instance.defaults.adapter, config);
      const isChosen = chosen && chosen !== byEngine && isMock(chosen, config);
      return engine.send(config, isChosen ? chosen : undefined, fetched);
    },
  });
  return { axios: instance, fetch, close: () => source.close(engine.ended()) };
}

/** Credentials that the application has set on the global axios are for another server, and would replace the token. */
function removeForeignCredentials({ defaults }: AxiosInstance): void {
  delete defaults.auth;
  for (const headers of Object.values(defaults.headers))
    for (const header of Object.keys(headers ?? {}))
      if (isAuthorization(header)) Reflect.deleteProperty(headers as object, header);
}
