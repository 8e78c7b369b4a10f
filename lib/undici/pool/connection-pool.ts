import type { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import type { ProviderTls } from '../../config/options/provider-transport.js';
import { MadeOfTls } from '../../net/made-of-tls.js';
import { systemClock } from '../../time/clock.js';
import type { UndiciTransportOptions } from '../transport-options.js';
import { undici } from './undici.js';

const CLOSING_MS = 10_000;

/** The limit for opening a connection. Without it, a host that drops packets would gather connections for minutes. */
const CONNECT_MS = 10_000;

/** Load balancers keep idle connections for a minute or more. If `Keep-Alive` of the server says less, undici uses that value. */
const IDLE_CONNECTION_MS = 30_000;

/** It has one request at a time. If the request is paused, `drain` takes the rest of what has arrived, and pauses no more. */
interface Connection {
  paused: { drain(): void } | undefined;
}

/** A request, with the async context of its caller. */
export interface CallersRequest extends Dispatcher.DispatchOptions {
  readonly caller: AsyncResource;
}

let connectionBeingRead: Connection | undefined;

export class ConnectionPool {
  readonly #pools: MadeOfTls<Pool>;
  /** Pools with earlier certificates, until their requests have ended. */
  readonly #retired = new Map<Pool, Promise<void>>();
  #closing: Promise<void> | undefined;

  /** @param options gives the options of the moment. */
  constructor(origin: string, options: () => UndiciTransportOptions, tls?: ProviderTls) {
    this.#pools = new MadeOfTls(
      tls,
      () => createPool(origin, options()),
      (pool) =>
        this.#retired.set(
          pool,
          pool.close().finally(() => this.#retired.delete(pool)),
        ),
    );
  }

  /** Another object if the certificates have changed. */
  get current(): object {
    return this.#pools.current;
  }

  dispatch(request: CallersRequest, handler: Dispatcher.DispatchHandler): void {
    this.#pools.current.dispatch(request, handler);
  }

  /** The connection whose bytes undici parses at this moment. */
  get connectionBeingRead(): Connection | undefined {
    return connectionBeingRead;
  }

  /** Waits for calls under way and for open requests, but not for ever. */
  close(callsEnded?: Promise<void>): Promise<void> {
    return (this.#closing ??= this.#close(callsEnded));
  }

  async #close(callsEnded?: Promise<void>): Promise<void> {
    const all = (): Pool[] => [this.#pools.current, ...this.#retired.keys()];
    await new Promise<unknown>((resolve, reject) => {
      // Workaround: `close()` of undici's pool never resolves if the pool is destroyed while requests wait in it (observed
      // in undici 7.30.2, 8.0.0 and 8.12.4). So the end of `destroy()` counts too. `test/e2e/undici/transport.spec.ts`
      // ("do not wait for ever …") shows it. Remove this when `close()` resolves on all versions of the peer range.
      const giveUp = systemClock.after(
        CLOSING_MS,
        // From then on only this promise counts: `close()` of a destroyed pool rejects.
        () => resolve(Promise.all(all().map((pool) => pool.destroy()))),
      );
      Promise.resolve(callsEnded)
        .then(() => Promise.all([this.#pools.current.close(), ...this.#retired.values()]))
        .finally(giveUp)
        .then(resolve, reject);
    });
  }
}

/** undici 8 speaks HTTP/2 by default, so both places say that it is not offered. */
const HTTP_1 = { allowH2: false };

function createPool(origin: string, { connections, connect = {} }: UndiciTransportOptions): Pool {
  const connector = drainingConnector(
    undici.buildConnector({
      ...connect,
      timeout: connect.timeout ?? CONNECT_MS,
      rejectUnauthorized: true,
      ...HTTP_1,
    }),
  );
  return new undici.Pool(origin, {
    ...HTTP_1,
    connections: connections ?? null,
    connect: connector,
    factory: (to, given) => startingForCallers(new undici.Client(to, given)),
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // The pool closes an idle connection this long before the server does. Node's own agent uses the same value.
    keepAliveTimeoutThreshold: 1_000,
    // `timeout` limits the whole call. Only the caller knows whether a stream may stay silent for minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * undici's pool starts a request that waited in the context of the call whose connection has become free. Instrumentation would
 * give its span another caller's parent.
 */
function startingForCallers(client: Client): Client {
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) =>
    (request as CallersRequest).caller.runInAsyncScope(() => dispatch(request, handler));
  return client;
}

/**
 * Workaround: if a response without keep-alive waits for its reader when its connection ends or is reset, undici 7 throws an
 * AssertionError that no code can catch, and the process ends (nodejs/undici#5360, fixed by #5389 and #5474; observed in 7.29.1
 * and 7.30.2, not in 8.9.0 and 8.12.4). So the request takes the rest of what has arrived before undici gets the end or the
 * error. This is at most the buffer of one socket, so memory stays bounded. `test/hostile/api-closing.spec.ts` shows it. Remove
 * this function when the peer range begins with 8.9.0.
 */
function drainingConnector(connector: buildConnector.connector): buildConnector.connector {
  return (where, connected) => {
    connector(where, (...outcome) => {
      const [error, socket] = outcome;
      if (error === null) observe(socket);
      connected(...outcome);
    });
  };
}

function observe(socket: Socket): void {
  const connection: Connection = { paused: undefined };
  const emit: (event: string | symbol, ...args: unknown[]) => boolean = socket.emit.bind(socket);
  const destroy = socket.destroy.bind(socket);
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'end') connection.paused?.drain();
    if (event !== 'readable') return emit(event, ...args);
    connectionBeingRead = connection;
    try {
      return emit(event);
    } finally {
      connectionBeingRead = undefined;
    }
  };
  // A reset reaches undici as an error, when the socket can be read no more.
  socket.destroy = (error?: Error): Socket => {
    connection.paused?.drain();
    return destroy(error);
  };
}
