import type { AxiosInstance } from 'axios';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import type { ProviderFetch } from '../../../lib/http/fetch/provider-fetch.js';
import type { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import type { ClientTls } from '../../../lib/net/client-tls.js';
import { countingTransport } from '../../support/http/call-paths.js';
import { HTTP_DEFAULTS } from '../../support/http/http-client.js';
import type { Build, Side } from './builds.js';
import { PlannedTokens } from './planned-tokens.js';
import type { ScriptedServer } from './scripted-server.js';

/** What sends the requests of both sides. */
export type TransportName = 'axios' | 'undici';

/** One client of the library, on one side of a comparison. It makes one call at a time. */
export interface PathClient {
  readonly side: Side;
  /** The first segment of the path of every request. It differs between two clients. */
  readonly segment: string;
  readonly baseUrl: string;
  readonly axios: AxiosInstance;
  readonly service: ProviderHttpService;
  readonly fetch: ProviderFetch;
  readonly tokens: PlannedTokens;
  close(): Promise<void>;
}

export interface ClientSettings {
  readonly server: ScriptedServer;
  readonly transport: TransportName;
  readonly side: Side;
  /** Separates calls that are under way at the same time. */
  readonly slot: number;
  readonly http?: Partial<HttpSettings> | undefined;
}

/** Creates the client of one side. A spec replaces this function to plant a difference. */
export type CreateClient = (settings: ClientSettings) => PathClient;

/** The authorities of a build, by their certificate. */
const authorities = new WeakMap<Build, Map<string, ClientTls>>();

export const createClient: CreateClient = ({ server, transport, side, slot, http }) => {
  const { build, name, generalPathOnly } = side;
  // Both segments have the same length, so the lengths of all texts stay comparable. The letter is none of a digest.
  const segment = `${String.fromCharCode(name.charCodeAt(0) + 16)}${String(slot).padStart(3, '0')}`;
  const baseUrl = `${server.url}/${segment}/v1`;
  const tokens = new PlannedTokens(build);
  const client = build.createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl, tls: tlsOf(build, server.ca) },
    http: {
      ...HTTP_DEFAULTS,
      timeoutMs: 10_000,
      transport: transport === 'undici' ? countingTransport(build.undiciTransport()) : undefined,
      ...http,
    },
    tokens,
    clock: build.systemClock,
    generalPathOnly,
  });
  return {
    side,
    segment,
    baseUrl,
    axios: client.axios,
    service: new build.ProviderHttpService(client.axios),
    tokens,
    fetch: client.fetch,
    close: () => client.close(),
  };
};

function tlsOf(build: Build, ca: string): ClientTls {
  const ofBuild = authorities.get(build) ?? new Map<string, ClientTls>();
  const tls = ofBuild.get(ca) ?? new build.ClientTls({ ca });
  authorities.set(build, ofBuild.set(ca, tls));
  return tls;
}
