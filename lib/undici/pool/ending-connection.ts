import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connected = Parameters<buildConnector.connector>[1];

/** A request whose response waits in a connection for its reader. */
export interface PausedRequest {
  /** Takes the rest of what has arrived, and pauses no more. */
  drain(): void;
}

/** An HTTP/1 connection. It has one request at a time. */
export interface Connection {
  paused: PausedRequest | undefined;
}

let read: Connection | undefined;

/** The connection whose bytes undici parses at this moment. Undefined for HTTP/2. */
export function connectionBeingRead(): Connection | undefined {
  return read;
}

/**
 * Workaround: if a response without keep-alive waits for its reader when its connection ends or is reset, undici 7 throws an
 * AssertionError that no code can catch, and the process ends (nodejs/undici#5360, fixed by #5389 and #5474; observed in 7.29.1
 * and 7.30.2, not in 8.9.0 and 8.12.4). So the request takes the rest of what has arrived before undici gets the end or the
 * error. This is at most the buffer of one socket, so memory stays bounded. `test/hostile/api-closing.spec.ts` shows it. Remove
 * this file when the peer range begins with 8.9.0.
 */
export function drainingConnector(connector: buildConnector.connector): buildConnector.connector {
  return (where, connected: Connected) => {
    connector(where, (...outcome) => {
      const [error, socket] = outcome;
      if (error === null && !isH2(socket)) observe(socket);
      connected(...outcome);
    });
  };
}

export function isH2(socket: object | null): boolean {
  return socket !== null && 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

function observe(socket: Socket): void {
  const connection: Connection = { paused: undefined };
  const emit: (event: string | symbol, ...args: unknown[]) => boolean = socket.emit.bind(socket);
  const destroy = socket.destroy.bind(socket);
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'end') connection.paused?.drain();
    if (event !== 'readable') return emit(event, ...args);
    read = connection;
    try {
      return emit(event);
    } finally {
      read = undefined;
    }
  };
  // A reset reaches undici as an error, when the socket can be read no more.
  socket.destroy = (error?: Error): Socket => {
    connection.paused?.drain();
    return destroy(error);
  };
}
