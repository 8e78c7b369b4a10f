import { Agent } from 'node:https';
import { Socket } from 'node:net';
import { Axios, type AxiosInstance, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import type { ProviderTransport } from '../../config/options/provider-transport.js';
import { safely } from '../../values/safely.js';

const http = getAdapter('http');
const addresses = new Axios();

/** Whoever puts another in its place, as mocks do, knows what becomes of requests by it. */
const fetchOfNode = globalThis.fetch;

/**
 * Lets requests come as far as `node:https`, where nock and msw take them, and opens no connection for the others: no
 * resolver and no proxy hears of them either, whatever agent or proxy a request brings.
 */
export const NO_NETWORK: ProviderTransport = {
  open: () => ({
    adapter(config) {
      const agent = new ClosedAgent(`${config.method?.toUpperCase()} ${addresses.getUri(config)}`);
      const { beforeRedirect } = config;
      config.httpsAgent = agent;
      // A mock may redirect to where no mock answers.
      config.beforeRedirect = (options, ...details) => {
        beforeRedirect?.(options, ...details);
        agent.request = `${options['method']} ${options['href']}`;
      };
      config.proxy = false;
      // HTTP/2 asks no agent.
      Object.assign(config, { httpVersion: 1 });
      return http(config);
    },
    actsAsHttp: true,
    close: () => Promise.resolve(),
  }),
};

/** Lets requests that name an adapter of axios' own, which would open connections, travel as the others do. */
export function keepOffTheNetwork({ defaults, interceptors }: AxiosInstance): void {
  const { adapter } = defaults;
  // The first after that of the client, so the last before it: it sees what all others have chosen.
  const closed = (config: InternalAxiosRequestConfig): InternalAxiosRequestConfig => {
    // One that cannot be found is told by the client.
    if (adapter !== undefined && safely(() => opensConnections(config), false)) config.adapter = adapter;
    return config;
  };
  interceptors.request.use(closed, undefined, { synchronous: true });
}

function opensConnections(config: InternalAxiosRequestConfig): boolean {
  const chosen = getAdapter(config.adapter, config);
  if (chosen === http) return true;
  const isFetch = chosen === getAdapter('fetch', config) || chosen === getAdapter('fetch');
  return isFetch && (config.env?.fetch ?? globalThis.fetch) === fetchOfNode;
}

class ClosedAgent extends Agent {
  constructor(public request: string) {
    super({ rejectUnauthorized: true });
  }

  /** Never connected; breaks as soon as somebody listens, so that the error is nobody's unhandled one. */
  override createConnection(): Socket {
    const socket = new Socket();
    socket.on('newListener', (event) => {
      if (event === 'error') socket.destroy(notMocked(this.request));
    });
    return socket;
  }
}

function notMocked(request: string): Error {
  const error = new Error(
    `No mock answers ${request}, and ProviderAuthTestingModule lets nothing onto the network. ` +
      'Set axiosRef.defaults.adapter, use axios-mock-adapter, nock or msw, spy on the client, or let ProviderSimulator play the provider.',
  );
  return Object.assign(error, { code: 'ERR_NO_MOCK' });
}
