import type { Agent } from 'node:https';
import { type AxiosResponse, getAdapter, isAxiosError, type InternalAxiosRequestConfig } from 'axios';
import { privateAgent, retire } from '../http/private-agent.js';
import type { ConnectOptions } from './transport-options.js';

/**
 * Carries what undici's pools do not offer through axios' own http adapter, with the same certificates, so that the
 * result is the same but for the speed.
 */
export class AxiosCarrier {
  readonly #connect: ConnectOptions;
  readonly #http = getAdapter('http');
  #agent: Agent | undefined;

  constructor(connect: ConnectOptions) {
    this.#connect = connect;
  }

  async carry(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
    if (config.httpsAgent) return this.#http(config);
    // The agent leads to every request under way on it, so it is in no config that anybody sees (B12).
    const own = Object.assign(Object.create(null) as InternalAxiosRequestConfig, config, {
      httpsAgent: (this.#agent ??= this.#createAgent()),
    });
    try {
      const response = await this.#http(own);
      response.config = config;
      return response;
    } catch (error) {
      if (isAxiosError(error)) {
        // Only what shows ours: a caller's own reason to cancel comes through here as well.
        if (error.config === own) error.config = config;
        if (error.response) error.response.config = config;
      }
      throw error;
    }
  }

  /** Idle connections end at once, those in use when their request has ended. */
  close(): void {
    if (this.#agent) retire(this.#agent);
  }

  #createAgent(): Agent {
    const { timeout: _, ...tls } = this.#connect;
    return privateAgent(tls);
  }
}
