import { Agent } from 'node:https';
import type { AxiosInstance } from 'axios';
import type { HttpSettings, Profile } from '../../../lib/config/options/profile.js';
import { createProviderHttpClient, type ProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { FakeTokens, HTTP_DEFAULTS } from './http-client.js';
import { WireServer } from './wire-server.js';

export interface LoopbackClient {
  readonly server: WireServer;
  /** Of the module, on `node:https`. */
  readonly ours: AxiosInstance;
  readonly close: () => Promise<void>;
}

/** A client of the module for one server. */
export function clientOn(
  baseUrl: string,
  http: Partial<HttpSettings>,
  tls?: Profile['tls'],
): ProviderHttpClient {
  return createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl, tls },
    http: { ...HTTP_DEFAULTS, ...http },
    tokens: new FakeTokens(systemClock),
    clock: systemClock,
  });
}

/** A client of the module over real connections to one server. */
export async function openLoopbackClient(http: Partial<HttpSettings> = {}): Promise<LoopbackClient> {
  const server = await WireServer.start();
  const httpsAgent = new Agent({ ca: server.ca, keepAlive: true });
  const client = clientOn(`${server.url}/v1`, { httpsAgent, ...http });
  return {
    server,
    ours: client.axios,
    close: async () => {
      await client.close();
      httpsAgent.destroy();
      await server.close();
    },
  };
}
