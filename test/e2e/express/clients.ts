import type { AxiosInstance } from 'axios';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import type { PathCounts } from '../../../lib/http/express/path-counts.js';
import { pathCountsOf } from '../../../lib/http/express/path-counts.js';
import type { ProviderFetch } from '../../../lib/http/fetch/provider-fetch.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { systemClock } from '../../../lib/time/clock.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { HTTP_DEFAULTS } from '../../support/http/http-client.js';
import { PlannedTokens } from './planned-tokens.js';
import type { ScriptedServer } from './scripted-server.js';

export type PathName = 'general' | 'express';

/** What sends the requests of both paths. */
export type TransportName = 'axios' | 'undici';

/** One client of the library, on one of the two paths. It makes one call at a time. */
export interface PathClient {
  readonly path: PathName;
  /** The first segment of the path of every request. It differs between two clients. */
  readonly segment: string;
  readonly baseUrl: string;
  readonly axios: AxiosInstance;
  readonly service: ProviderHttpService;
  readonly fetch: ProviderFetch;
  readonly tokens: PlannedTokens;
  readonly counts: Readonly<PathCounts>;
  /** Of the requests of `fetch`. */
  readonly fetchCounts: Readonly<PathCounts>;
  close(): Promise<void>;
}

export interface ClientSettings {
  readonly server: ScriptedServer;
  readonly transport: TransportName;
  readonly path: PathName;
  /** Separates calls that are under way at the same time. */
  readonly slot: number;
  readonly http?: Partial<HttpSettings> | undefined;
}

/** Creates the client of one path. A spec replaces this function to plant a difference. */
export type CreateClient = (settings: ClientSettings) => PathClient;

const authorities = new Map<string, ClientTls>();

export const createClient: CreateClient = ({ server, transport, path, slot, http }) => {
  const tls = authorities.get(server.ca) ?? new ClientTls({ ca: server.ca });
  authorities.set(server.ca, tls);
  // Both segments have the same length, so the lengths of all texts stay comparable.
  const segment = `${path.slice(0, 1)}${String(slot).padStart(3, '0')}`;
  const baseUrl = `${server.url}/${segment}/v1`;
  const tokens = new PlannedTokens();
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl, tls },
    http: {
      ...HTTP_DEFAULTS,
      timeoutMs: 10_000,
      transport: transport === 'undici' ? undiciTransport() : undefined,
      ...http,
    },
    tokens,
    clock: systemClock,
    generalPathOnly: path === 'general',
  });
  return {
    path,
    segment,
    baseUrl,
    axios: client.axios,
    service: new ProviderHttpService(client.axios),
    tokens,
    fetch: client.fetch,
    counts: pathCountsOf(client.axios),
    fetchCounts: pathCountsOf(client.fetch),
    close: () => client.close(),
  };
};
