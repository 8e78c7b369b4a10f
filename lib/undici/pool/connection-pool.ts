import type { Dispatcher, Pool } from 'undici';
import { systemClock } from '../../time/clock.js';
import { NegotiatingPool } from './negotiating-pool.js';
import type { UndiciTransportOptions } from '../transport-options.js';
import { undici } from './undici.js';

/** How long a closing application waits for open requests. */
const CLOSING_MS = 10_000;

/** How long a connection may take to be made; a blackhole must not gather them for the minutes that the kernel tries. */
const CONNECT_MS = 10_000;

/** Load balancers give idle connections a minute or more; a server that says less in `Keep-Alive` is believed. */
const IDLE_CONNECTION_MS = 30_000;

/** The connections to one origin for one interface and environment. */
export class ConnectionPool {
  readonly #pool: Pool | NegotiatingPool;
  #closing: Promise<void> | undefined;

  constructor(origin: string, { connections, allowH2 = false, connect = {} }: UndiciTransportOptions) {
    const connector = undici.buildConnector({
      timeout: CONNECT_MS,
      ...connect,
      rejectUnauthorized: true,
      allowH2,
    });
    const client = {
      allowH2,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      // Before the server does, by as much as Node's own agent.
      keepAliveTimeoutThreshold: 1_000,
      // `timeout` limits the whole call; a stream that stays silent for minutes is the caller's to judge.
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

  /** Open requests are given time to end, but not for ever. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const pool = this.#pool;
    await new Promise<void>((resolve, reject) => {
      // undici's pool never says that it is closed if it is destroyed while requests wait in it.
      const giveUp = systemClock.after(
        CLOSING_MS,
        () => void pool.destroy().then(resolve, reject),
        'awaited',
      );
      pool.close().finally(giveUp).then(resolve, reject);
    });
  }
}
