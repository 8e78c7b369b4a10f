import { type AxiosResponse, getAdapter, isAxiosError, type InternalAxiosRequestConfig } from 'axios';
import { MadeOfTls } from '../net/made-of-tls.js';
import { privateAgent, retire } from '../net/private-agent.js';
import type { ProviderTls } from '../config/options/provider-transport.js';
import type { ConnectOptions } from './transport-options.js';

/** Sends what undici's pool cannot send through axios' own http adapter, with the same certificates and the same result. */
export class AxiosFallback {
  readonly #http = getAdapter('http');
  readonly #agents: MadeOfTls<ReturnType<typeof privateAgent>>;

  /** @param connect gives the options of the moment. */
  constructor(connect: () => ConnectOptions, tls?: ProviderTls, maxSockets?: number) {
    this.#agents = new MadeOfTls(tls, () => privateAgent({ ...connect(), maxSockets }), retire);
  }

  async send(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
    if (config.httpsAgent) return this.#http(config);
    // The agent leads to every request under way on it. So the config that a caller can see does not have the agent (B12).
    const own = Object.assign(Object.create(null) as InternalAxiosRequestConfig, config, {
      httpsAgent: this.#agents.current,
    });
    try {
      const response = await this.#http(own);
      response.config = config;
      return response;
    } catch (error) {
      if (isAxiosError(error)) {
        // The reason with which a caller cancels arrives here too. It stays as it is.
        if (error.config === own) error.config = config;
        if (error.response) error.response.config = config;
      }
      throw error;
    }
  }

  close(): void {
    this.#agents.retire();
  }
}
