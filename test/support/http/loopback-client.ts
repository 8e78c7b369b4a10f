import { Agent } from 'node:https';
import { type AxiosInstance, create } from 'axios';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { FakeTokens, HTTP_DEFAULTS } from './http-client.js';
import { WireServer } from './wire-server.js';

export interface LoopbackClient {
  readonly server: WireServer;
  /** Of the module, on `node:https`. */
  readonly ours: AxiosInstance;
  /** Plain axios with the same token, for comparisons. */
  readonly plain: AxiosInstance;
  readonly tokens: FakeTokens;
  readonly close: () => Promise<void>;
}

/** A client of the module and a plain axios, both over real connections to one server. */
export async function openLoopbackClient(http: Partial<HttpSettings> = {}): Promise<LoopbackClient> {
  const server = await WireServer.start();
  const httpsAgent = new Agent({ ca: server.ca, keepAlive: true });
  const baseURL = `${server.url}/v1`;
  const tokens = new FakeTokens(systemClock);
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: baseURL },
    http: { ...HTTP_DEFAULTS, httpsAgent, ...http },
    tokens,
    clock: systemClock,
  });
  const headers = { Authorization: 'Bearer canary-token-1' };
  const plain = create({ baseURL, httpsAgent, maxRedirects: 0, proxy: false, headers });
  return {
    server,
    ours: client.axios,
    plain,
    tokens,
    close: async () => {
      await client.close();
      httpsAgent.destroy();
      await server.close();
    },
  };
}
