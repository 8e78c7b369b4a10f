import { AsyncResource } from 'node:async_hooks';
import { buildConnector, Client, type Dispatcher, type errors, Pool } from 'undici';
import { systemClock } from '../time/clock.js';
import type { UndiciTransportOptions } from './transport-options.js';

/** How long a closing application waits for open requests. */
const CLOSING_MS = 10_000;

/** How long a connection may take to be made; a blackhole must not gather them for the minutes that the kernel tries. */
const CONNECT_MS = 10_000;

/** Load balancers give idle connections a minute or more; a server that says less in `Keep-Alive` is believed. */
const IDLE_CONNECTION_MS = 30_000;

/** Requests under way at once on one HTTP/2 connection; a server may say less. */
const STREAMS = 100;

type Connected = Parameters<buildConnector.connector>[1];

/** The connections to one origin for one interface and environment. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #allowH2: boolean;
  /** Requests that wait until the first connection tells which protocol the server speaks. */
  #waiting: (() => boolean)[] | undefined;
  #isProbing = false;
  #closing: Promise<void> | undefined;

  constructor(origin: string, { connections, allowH2 = false, connect = {} }: UndiciTransportOptions) {
    const connector = buildConnector({ timeout: CONNECT_MS, ...connect, rejectUnauthorized: true, allowH2 });
    this.#pool = new Pool(origin, {
      ...(connections !== undefined && { connections }),
      allowH2,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      // Before the server does, by as much as Node's own agent.
      keepAliveTimeoutThreshold: 1_000,
      // `timeout` limits the whole call; a stream that stays silent for minutes is the caller's to judge.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connector,
      ...(allowH2 && { factory: (address, options) => this.#createClient(address, options, connector) }),
    });
    this.#allowH2 = allowH2;
    if (allowH2) this.#waiting = [];
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (!this.#allowH2) {
      this.#pool.dispatch(request, handler);
      return;
    }
    // Says to undici that a request may share a connection with others; it repeats none by itself.
    const shared = { ...request, idempotent: true };
    const send = (): boolean => this.#pool.dispatch(shared, handler);
    // Sent by whoever makes the connection, but in the context of its own caller: tracing goes by that.
    if (this.#waiting && this.#isProbing) this.#waiting.push(AsyncResource.bind(send));
    else send();
  }

  /** Open requests are given time to end, but not for ever. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#endProbe(true);
    const giveUp = systemClock.after(CLOSING_MS, () => void this.#pool.destroy(), 'awaited');
    await this.#pool.close();
    giveUp();
  }

  /** A client whose connection turns out to speak HTTP/2 takes many requests at once, one of HTTP/1.1 one after another. */
  #createClient(address: URL, options: object, connector: buildConnector.connector): Client {
    let speaksH2 = false;
    const connect: buildConnector.connector = (where, connected: Connected) => {
      this.#isProbing = true;
      connector(where, (...outcome) => {
        const isConnected = !outcome[0];
        speaksH2 = isConnected && isH2(outcome[1]);
        if (isConnected) client.pipelining = speaksH2 ? STREAMS : 1;
        connected(...outcome);
        this.#endProbe(isConnected);
      });
    };
    const client = new Client(address, { ...options, connect, maxConcurrentStreams: STREAMS });
    client.on('disconnect', (_, __, error) => {
      if (speaksH2 && !client.destroyed) this.#retire(client, address, error);
    });
    return client;
  }

  /**
   * When the server ends an HTTP/2 connection (`GOAWAY`), undici goes on with the same client and loses its count: later
   * requests are reset unsent or wait for ever. So they get a client of their own, and the first of them is a probe again.
   */
  #retire(client: Client, address: URL, error: errors.UndiciError): void {
    client.emit('connectionError', address, [client], error); // what takes it out of the pool
    client.destroy(error).catch(() => undefined);
    if (!this.#closing) this.#waiting ??= [];
  }

  #endProbe(isAnswered: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = isAnswered ? undefined : waiting && [];
    this.#isProbing = false;
    for (const send of waiting ?? []) send();
  }
}

function isH2(socket: object | null): boolean {
  return socket !== null && 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}
