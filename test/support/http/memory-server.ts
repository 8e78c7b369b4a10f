import type { buildConnector } from 'undici';
import { MemoryConnection } from './memory-connection.js';

type Connected = Parameters<buildConnector.connector>[1];

/** A server without a network, for undici. undici asks for connections, and the test decides about each, in their order. */
export class MemoryServer {
  /** How many connections undici has asked for. */
  asked = 0;
  readonly #undecided: Connected[] = [];

  readonly connector: buildConnector.connector = (_, connected) => {
    this.asked += 1;
    this.#undecided.push(connected);
  };

  /** @param protocol what the TLS handshake has settled. */
  accept(protocol?: 'h2'): MemoryConnection {
    const connection = new MemoryConnection();
    const socket = Object.assign(connection.client, protocol && { alpnProtocol: protocol });
    this.#next()(null, socket as never);
    return connection;
  }

  refuse(error: Error): void {
    this.#next()(error, null);
  }

  #next(): Connected {
    const connected = this.#undecided.shift();
    if (connected === undefined) throw new TypeError('undici asks for no connection.');
    return connected;
  }
}
