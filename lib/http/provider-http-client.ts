import { Agent } from 'node:https';
import { type AxiosInstance, create, getAdapter } from 'axios';
import type { HttpSettings, Profile } from '../config/profile.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { authorizationInterceptor, guardedAdapter } from './authorization.interceptor.js';
import { AuthorizedRoad } from './authorized-road.js';
import { carrierOf, carrierOfTransport } from './carriers.js';
import { BaseAddress } from './final-address.js';

export interface ProviderHttpClientOptions {
  readonly profile: Pick<Profile, 'interface' | 'environment' | 'baseUrl'>;
  readonly http: HttpSettings;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
}

export interface ProviderHttpClient {
  readonly axios: AxiosInstance;
  /** Idle connections end at once, those in use when their request has ended. */
  close(): Promise<void>;
}

/** As Node's own global agent: longer, and servers close the connection just when it is used again. */
const IDLE_CONNECTION_MS = 5_000;

/** An axios instance for one interface and environment, whose requests all travel along the authorized road. */
export function createProviderHttpClient(options: ProviderHttpClientOptions): ProviderHttpClient {
  const { profile, http } = options;
  const { interface: name, environment, baseUrl } = profile;
  const pair = { interface: name, environment };
  // Ours alone: whoever reaches an agent reaches the headers of every request under way on it (B12).
  const agent = http.httpsAgent ?? new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS });
  const connection = http.transport?.open({ ...pair, baseUrl });
  const carrier = connection ? carrierOfTransport(connection) : carrierOf(getAdapter('http'));
  const road = new AuthorizedRoad({ ...options, base: new BaseAddress(baseUrl), agent });
  const guard = guardedAdapter(carrier, pair);

  const instance = create({
    baseURL: baseUrl,
    timeout: http.timeoutMs,
    maxRedirects: http.maxRedirects,
    headers: { ...http.headers },
    adapter: guard,
  });
  forgetForeignCredentials(instance);
  instance.interceptors.request.use(authorizationInterceptor(road, guard, carrier), undefined, {
    synchronous: true,
  });

  return {
    axios: instance,
    async close() {
      if (agent !== http.httpsAgent) retire(agent);
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
      if (header.toLowerCase() === 'authorization') Reflect.deleteProperty(headers, header);
    }
  }
}

function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
