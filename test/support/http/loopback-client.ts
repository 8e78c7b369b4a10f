import { Agent } from 'node:https';
import type { AxiosInstance } from 'axios';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { FakeTokens, HTTP_DEFAULTS } from './http-client.js';
import { WireServer } from './wire-server.js';

export interface LoopbackClient {
  readonly server: WireServer;
  /** Of the module, on `node:https`. */
  readonly ours: AxiosInstance;
  readonly close: () => Promise<void>;
}

/** A client of the module over real connections to one server. */
export async function openLoopbackClient(http: Partial<HttpSettings> = {}): Promise<LoopbackClient> {
  const server = await WireServer.start();
  const httpsAgent = new Agent({ ca: server.ca, keepAlive: true });
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: `${server.url}/v1` },
    http: { ...HTTP_DEFAULTS, httpsAgent, ...http },
    tokens: new FakeTokens(systemClock),
    clock: systemClock,
  });
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
