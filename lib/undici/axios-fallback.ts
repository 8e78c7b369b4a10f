import type { Agent } from 'node:https';
import { type AxiosResponse, getAdapter, isAxiosError, type InternalAxiosRequestConfig } from 'axios';
import { privateAgent, retire } from '../net/private-agent.js';
import type { ConnectOptions } from './transport-options.js';

/**
 * Sends a request through axios' own http adapter, if undici's pool cannot send it. The certificates and the result are the
 * same.
 */
export class AxiosFallback {
  readonly #connect: ConnectOptions;
  readonly #http = getAdapter('http');
  #agent: Agent | undefined;

  constructor(connect: ConnectOptions) {
    this.#connect = connect;
  }

  async send(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
    if (config.httpsAgent) return this.#http(config);
    // The agent leads to every request under way on it. So the config that a caller can see does not have the agent (B12).
    const own = Object.assign(Object.create(null) as InternalAxiosRequestConfig, config, {
      httpsAgent: (this.#agent ??= this.#createAgent()),
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

  /** Idle connections end at once. Connections in use end with their request. */
  close(): void {
    if (this.#agent) retire(this.#agent);
  }

  #createAgent(): Agent {
    const { timeout: _, ...tls } = this.#connect;
    return privateAgent(tls);
  }
}
