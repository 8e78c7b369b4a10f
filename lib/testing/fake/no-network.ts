import { Agent } from 'node:https';
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

  override createConnection(_: object, callback?: (error: Error, socket: never) => void): undefined {
    callback?.(notMocked(this.#request), undefined as never);
  }
}

function notMocked(request: string): Error {
  const error = new Error(
    `No mock answers ${request}, and ProviderAuthTestingModule lets nothing onto the network. ` +
      'Set axiosRef.defaults.adapter, use axios-mock-adapter, nock or msw, spy on the client, or let ProviderSimulator play the provider.',
  );
  return Object.assign(error, { code: 'ERR_NO_MOCK' });
}
