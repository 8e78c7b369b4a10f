import { Agent } from 'node:https';
import { Socket } from 'node:net';
import { Axios, type AxiosRequestConfig, getAdapter } from 'axios';
import type { ProviderTransport } from '../../config/provider-transport.js';

const http = getAdapter('http');
const addresses = new Axios();

/**
 * Lets requests come as far as `node:https`, where nock and msw take them, and opens no connection for the others: no
 * resolver and no proxy hears of them either, whatever agent or proxy a request brings.
 */
export const NO_NETWORK: ProviderTransport = {
  open: () => ({
    adapter(config) {
      config.httpsAgent = new ClosedAgent(config);
      config.proxy = false;
      // HTTP/2 asks no agent.
      Object.assign(config, { httpVersion: 1 });
      return http(config);
    },
    actsAsHttp: true,
    close: () => Promise.resolve(),
  }),
};

class ClosedAgent extends Agent {
  readonly #request: string;

  constructor(config: AxiosRequestConfig) {
    super();
    this.#request = `${config.method?.toUpperCase()} ${addresses.getUri(config)}`;
  }

  /** Never connected; breaks as soon as somebody listens, so that the error is nobody's unhandled one. */
  override createConnection(): Socket {
    const socket = new Socket();
    socket.on('newListener', (event) => {
      if (event === 'error') socket.destroy(notMocked(this.#request));
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
