import type { RequestOptions } from 'node:http';
import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { type AxiosAdapter, getAdapter, type InternalAxiosRequestConfig, isAxiosError } from 'axios';
import type { ProviderTransport } from '../../config/options/provider-transport.js';
import { isFetchOfAxios } from '../../http/axios/others.js';
import { sendByHttps } from '../../wire/https-source.js';
import type { Source } from '../../wire/outgoing.js';

const http = getAdapter('http');

/** A mock that replaces `fetch` decides itself what happens to requests. */
const fetchOfNode = globalThis.fetch;

/**
 * Sends requests to `node:https`, where nock and msw answer them. Other requests open no connection, even if a request has
 * its own agent or proxy: no name is resolved, and no proxy is called.
 */
const offline: Source = {
  check: () => undefined,
  send(outgoing, end) {
    const { method, url, path } = outgoing;
    const agent = new ClosedAgent(`${method} ${url.origin}${path}`);
    sendByHttps(outgoing, ({ error, ...outcome }) => end({ ...outcome, error: withoutConfig(error) }), agent);
  },
  close: () => Promise.resolve(),
};

/** It opens no connection, so it needs no certificates. */
export const NO_NETWORK: ProviderTransport = { open: () => offline };

/** Whether an adapter opens no connection. An adapter of axios does, unless a mock has replaced `fetch`. */
export function isMock(adapter: AxiosAdapter, config: InternalAxiosRequestConfig): boolean {
  if (adapter === http) return false;
  return !isFetchOfAxios(adapter, config) || (config.env?.fetch ?? globalThis.fetch) !== fetchOfNode;
}

/** Another attempt finds the same mocks. */
const NOT_ANSWERED: ReadonlySet<unknown> = new Set(['ERR_NO_MOCK', 'ERR_NOCK_NO_MATCH']);

/**
 * The error that axios put into its own. The error of axios has a config and no response, as after a lost connection, so
 * `axios-retry` would repeat the request, with its pauses.
 */
function withoutConfig(error: unknown): unknown {
  return isAxiosError(error) && error.cause && NOT_ANSWERED.has(error.code) ? error.cause : error;
}

class ClosedAgent extends Agent {
  constructor(private readonly request: string) {
    super({ rejectUnauthorized: true });
  }

  /**
   * Mocks of sockets, as in nock 15, see this connection. Without a mock it ends at the look-up of its host, so it asks no
   * resolver. An IP address would need no look-up, so a name replaces it.
   */
  override createConnection(options: RequestOptions): Socket {
    const host = isIP(options.host ?? '') === 0 ? options.host : 'ip-address.invalid';
    // At once, because a test may have replaced timers and `process.nextTick`. Node itself defers the error.
    const lookup = (_host: string, _options: unknown, done: (error: Error) => void): void =>
      done(notMocked(this.request));
    return tls.connect({ ...options, host, lookup } as ConnectionOptions);
  }
}

function notMocked(request: string): Error {
  const error = new Error(
    `No mock answers ${request}, and ProviderAuthTestingModule lets nothing onto the network. ` +
      'Set axiosRef.defaults.adapter, use axios-mock-adapter, nock or msw, spy on the client, or let ProviderSimulator play the provider.',
  );
  return Object.assign(error, { code: 'ERR_NO_MOCK' });
}
