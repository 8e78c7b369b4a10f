import type { Dispatcher, Pool } from 'undici';
import { systemClock } from '../../time/clock.js';
import { type Connection, connectionBeingRead, drainingConnector } from './ending-connection.js';
import { NegotiatingPool } from './negotiating-pool.js';
import type { UndiciTransportOptions } from '../transport-options.js';
import { undici } from './undici.js';

/** How long an application that closes waits for open requests. */
const CLOSING_MS = 10_000;

/** The limit for opening a connection. Without it, a host that drops packets would gather connections for minutes. */
const CONNECT_MS = 10_000;

/** Load balancers keep idle connections for a minute or more. If `Keep-Alive` of the server says less, undici uses that value. */
const IDLE_CONNECTION_MS = 30_000;

/** The connections to one origin for one interface and environment. */
export class ConnectionPool {
  readonly #pool: Pool | NegotiatingPool;
  #closing: Promise<void> | undefined;

  constructor(origin: string, { connections, allowH2 = false, connect = {} }: UndiciTransportOptions) {
    const connector = drainingConnector(
      undici.buildConnector({ timeout: CONNECT_MS, ...connect, rejectUnauthorized: true, allowH2 }),
    );
    const client = {
      allowH2,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      // The pool closes an idle connection this long before the server does. Node's own agent uses the same value.
      keepAliveTimeoutThreshold: 1_000,
      // `timeout` limits the whole call. Only the caller knows whether a stream may stay silent for minutes.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#pool = allowH2
      ? new NegotiatingPool(origin, { connections: connections ?? Infinity, connector, client })
      : new undici.Pool(origin, {
          ...client,
          ...(connections !== undefined && { connections }),
          connect: connector,
        });
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(request, handler);
  }

  get connectionBeingRead(): Connection | undefined {
    return connectionBeingRead();
  }

  /** Waits for open requests, but not for ever. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const pool = this.#pool;
    await new Promise<void>((resolve, reject) => {
      // Workaround: `close()` of undici's pool never resolves if the pool is destroyed while requests wait in it (observed
      // in undici 7.30.2, 8.0.0 and 8.12.4). So the end of `destroy()` counts too. `test/e2e/undici/transport.spec.ts`
      // ("do not wait for ever …") shows it. Remove this when `close()` resolves on all versions of the peer range.
      const giveUp = systemClock.after(
        CLOSING_MS,
        () => void pool.destroy().then(resolve, reject),
        'awaited',
      );
      pool.close().finally(giveUp).then(resolve, reject);
    });
  }
}
