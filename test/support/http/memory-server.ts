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

  accept(): MemoryConnection {
    const connection = new MemoryConnection();
    this.#next()(null, connection.client as never);
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
