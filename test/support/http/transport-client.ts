import { type AxiosInstance, type AxiosRequestConfig, create } from 'axios';
import { onTestFinished } from 'vitest';
import type { ProviderConnection } from '../../../lib/config/options/provider-transport.js';
import { undiciTransport, type UndiciTransportOptions } from '../../../lib/undici/index.js';
import { WireServer } from './wire-server.js';

export interface TransportClient {
  readonly server: WireServer;
  readonly connection: ProviderConnection;
  readonly client: AxiosInstance;
}

type Settings = UndiciTransportOptions & {
  readonly server?: WireServer;
  readonly defaults?: AxiosRequestConfig;
};

/** A server, and a client on undici's pools that trusts the server. Both end with the test. */
export async function transportClient({
  server: given,
  defaults,
  ...options
}: Settings = {}): Promise<TransportClient> {
  const server = given ?? (await WireServer.start());
  const connection = undiciTransport({ ...options, connect: { ca: server.ca, ...options.connect } }).open({
    interface: 'easy',
    environment: 'sandbox',
    baseUrl: server.url,
  });
  onTestFinished(async () => {
    await server.close();
    await connection.close();
  });
  const client = create({ adapter: connection.adapter, baseURL: server.url, maxRedirects: 0, ...defaults });
  return { server, connection, client };
}
