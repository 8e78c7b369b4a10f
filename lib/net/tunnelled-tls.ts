import type { InternalAxiosRequestConfig } from 'axios';
import { mayHaveEnvironmentTlsProxy } from './proxy.js';
import type { ClientTls } from './client-tls.js';
import { MadeOfTls } from './made-of-tls.js';
import { ownTransport, type Transport } from './pollution.js';
import { privateAgent, retire } from './private-agent.js';

/**
 * Requests through a proxy that is itself reached by TLS. axios gives the TLS settings of an agent to both connections: to
 * the proxy and, through the tunnel, to the server (`getTunnelingAgent` of axios 1.20.0 to 1.21.1). Here the agent has
 * none, and each request brings its settings for the server only. So the proxy sees no client certificate, and it is not
 * trusted because of the authority of a provider.
 *
 * axios follows no redirect on a transport that it is given: a redirect is the answer.
 */
export class TunnelledTls {
  readonly #tls: ClientTls;
  readonly #baseUrl: string;
  readonly #agents: MadeOfTls<ReturnType<typeof privateAgent>>;

  constructor(tls: ClientTls, baseUrl: string) {
    this.#tls = tls;
    this.#baseUrl = baseUrl;
    this.#agents = new MadeOfTls(tls, privateAgent, retire);
  }

  /** @param config the copy of a config that only axios' http adapter gets. */
  applyTo(
    config: Pick<InternalAxiosRequestConfig, 'httpsAgent' | 'transport' | 'proxy' | 'maxRedirects'>,
  ): void {
    const { proxy } = config;
    const address = config.maxRedirects === 0 ? this.#baseUrl : undefined;
    const isNeeded = proxy
      ? /^https/i.test(proxy.protocol ?? '')
      : proxy !== false && mayHaveEnvironmentTlsProxy(address, process.env);
    if (!isNeeded) return;
    const settings = { secureContext: this.#tls.secureContext() };
    // A transport of the caller gets the settings, too.
    const transport = (config.transport as Transport | undefined) ?? ownTransport;
    config.httpsAgent = this.#agents.current;
    config.transport = {
      request: (options, onResponse) => transport.request({ ...options, ...settings }, onResponse),
    } satisfies Transport;
  }

  /** Ends idle connections at once, and those in use when their request has ended. */
  close(): void {
    this.#agents.retire();
  }
}
