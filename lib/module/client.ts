import { type AxiosInstance, create } from 'axios';
import { type AnyPair, providerOf } from '../catalogue/catalogue.js';
import type { ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
import { notConfigured } from '../config/process-env/variable-names.js';
import type { Profile, Settings } from '../config/options/profile.js';
import type { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { type ApiError, ApiReport } from '../http/api-report.js';
import type { IsMock } from '../http/axios/interceptor.js';
import { createLazyFetch, createRefusingFetch } from '../http/fetch/provider-fetch.js';
import { createProviderHttpClient, type ProviderHttpClient } from '../http/provider-http-client.js';
import { createLazyService, ProviderHttpService } from '../http/provider-http.service.js';
import type { Clock } from '../time/clock.js';
import { createTokenProvider } from '../token/create-token-provider.js';
import type { TokenRequests } from '../token/endpoint/token-endpoint.js';
import type { TokenOrigins } from '../token/token-origins.js';
import type { TokenProvider, TokenStatus } from '../token/token-provider.js';
import { oncePer } from '../values/once-per.js';
import { UnconfiguredTokenProvider } from '../token/unconfigured-token-provider.js';

/** What this process knows about one interface and environment. Contains no secret, and reading it waits for no request. */
export interface ProviderStatus<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends TokenStatus<Interface, Environment> {
  /** Why no request to the API succeeds. Absent as soon as one does. */
  apiError?: ApiError;
  /** When the client certificate expires, if there is one. */
  certificateEndsAt?: Date;
}

/** What is injected for one interface and environment. */
export interface InjectedClient extends AnyPair {
  readonly tokens: TokenProvider<string, string>;
  readonly http: ProviderHttpService;
}

/** A pair, as health and metrics ask about it. */
export interface AskedPair {
  readonly provider: string;
  isInUse(): boolean;
  /** What this process knows about the token and the API. */
  status(): ProviderStatus<string, string>;
}

/** The client of a configured pair. */
export interface ProviderClient extends InjectedClient, AskedPair {
  readonly provider: string;
  readonly active: boolean;
  /** Ends work that no caller waits for. Calls still work. */
  endBackgroundWork(): void;
  close(): Promise<void>;
}

/** What clients are made with, apart from their settings. */
export interface ClientParts {
  /** The classes of the HTTP clients that are injected by class, by interface. */
  readonly httpServices?: Readonly<Record<string, typeof ProviderHttpService>>;
  readonly origins?: TokenOrigins | undefined;
  /** In tests: replaces the token endpoint of the provider. */
  readonly endpointOf?: (profile: Profile) => TokenRequests;
  /** In tests: which adapters answer requests. */
  readonly isMock?: IsMock;
}

/** Reading the status of a pair without calls rereads its certificates at most this often. */
const IDLE_LOOK_MS = 3_600_000;

/** Keeps the defaults that the global axios has at boot. Clients that are made later get no later defaults. */
const axiosAtBoot = oncePer((_settings: object): AxiosInstance => create());

export function connect(
  profile: Profile,
  settings: Omit<Settings, 'catalogue'>,
  clock: Clock,
  { httpServices = {}, origins, endpointOf, isMock }: ClientParts = {},
): ProviderClient {
  const { interface: name, environment, active } = profile;
  const HttpServiceOfInterface = httpServices[name] ?? ProviderHttpService;
  const tokens = createTokenProvider(profile, { ...settings, origins }, clock, Math.random, endpointOf);
  const { http } = settings;
  const api = new ApiReport(profile, http, clock);
  const parent = axiosAtBoot(http);
  let client: ProviderHttpClient | undefined;
  const used = (): ProviderHttpClient =>
    (client ??= createProviderHttpClient({ profile, http, tokens, clock, api, isMock, parent }));
  // A transport learns at boot which connections it will make.
  if (http.transport) used();
  return {
    provider: providerOf(profile),
    interface: name,
    environment,
    active,
    tokens,
    http: createLazyService(
      HttpServiceOfInterface,
      () => used().axios,
      createLazyFetch(profile.baseUrl, () => used().fetch),
    ),
    isInUse: () => tokens.isInUse,
    status() {
      // Without calls, a metric would show the end of a certificate that was replaced long ago.
      if (tokens.isInUse) profile.tls?.look(IDLE_LOOK_MS);
      const certificateEndsAt = profile.tls?.endsAt;
      return {
        ...tokens.status(),
        ...(api.error && { apiError: api.error }),
        ...(certificateEndsAt && { certificateEndsAt }),
      };
    },
    endBackgroundWork: () => tokens.close(),
    close: async () => client?.close(),
  };
}

export function unconfigured(
  pair: AnyPair,
  { catalogue, profiles }: Settings,
  { httpServices = {} }: ClientParts = {},
): InjectedClient {
  const HttpServiceOfInterface = httpServices[pair.interface] ?? ProviderHttpService;
  const explain = (): ProviderAuthConfigError => notConfigured(catalogue, pair, profiles);
  const refuse = (): Promise<never> => Promise.reject(explain());
  const createRefusing = (): AxiosInstance => {
    const client = create({ adapter: refuse });
    // A request may have another adapter, and would be sent without a token (S7).
    client.interceptors.request.use(refuse);
    return client;
  };
  return {
    ...pair,
    tokens: new UnconfiguredTokenProvider(pair, explain),
    http: createLazyService(HttpServiceOfInterface, createRefusing, createRefusingFetch(explain)),
  };
}
