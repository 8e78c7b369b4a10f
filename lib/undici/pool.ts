import type { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
// Keep this import first of those of undici: it saves the dispatcher that undici 8 replaces.
import { hostFetchIsOnUndici8, restoreDispatcherOfHost } from './host-dispatcher.js';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { Openings } from '../net/openings.js';

/** Whether undici 8 runs on a Node whose own `fetch` it breaks. */
export const isBesideOldFetch = restoreDispatcherOfHost() || hostFetchIsOnUndici8();

/** Load balancers keep idle connections for a minute or more. If `Keep-Alive` of the server says less, undici uses that value. */
const IDLE_CONNECTION_MS = 30_000;

const CLIENT_OPTIONS: Client.Options = {
  keepAliveTimeout: IDLE_CONNECTION_MS,
  // An idle connection ends this long before the server ends it. Node's own agent uses the same value.
  keepAliveTimeoutThreshold: 1_000,
  // `timeout` limits the whole call. Only the caller knows whether a stream may stay silent for minutes.
  headersTimeout: 0,
  bodyTimeout: 0,
};

const immediateOfNode = setImmediate;

/**
 * Workaround: undici 7.30 and 8.12 wait for a `setImmediate` before they use an idle connection again (nodejs/undici#5493). With
 * the fake timers of a test it never comes, so a connection then has one request only. `test/rules/testing/fake-timers.spec.ts`
 * shows it. Remove this when undici keeps its own reference to the function.
 */
function isImmediateFaked(): boolean {
  return setImmediate !== immediateOfNode;
}

/** One request, in the async context of its caller. */
export interface PooledRequest extends AsyncResource, Dispatcher.DispatchHandler {
  /** Sends the request on this connection, which has no other request. */
  sendOn(connection: Connection): void;
  /** Looks for a connection of another pool: the certificates of this one are old. */
  moveOn(): void;
  /** Takes what has arrived, and pauses no more. The connection is about to end. */
  drain(): void;
}

/** The connections to one origin with the same certificates, by the same proxy. Each has one request at a time. */
export class ConnectionPool {
  /** Whether the certificates have changed. */
  isRetired = false;
  readonly #connections = new Set<Connection>();
  /** The one used last comes first: those that are not needed end. */
  readonly #idle: Connection[] = [];
  readonly #openings: Openings<PooledRequest>;
  #onEnd: (() => void) | undefined;

  constructor(
    readonly origin: string,
    readonly connector: buildConnector.connector,
    most = Infinity,
  ) {
    this.#openings = new Openings<PooledRequest>(
      (request) => this.#open(request),
      () => this.#connections.size < most,
    );
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0;
  }

  send(request: PooledRequest): void {
    const connection = this.#idle.pop();
    if (connection) request.sendOn(connection);
    else this.#openings.add(request);
  }

  /** The call of a waiting request has ended. */
  leave(request: PooledRequest): void {
    this.#openings.remove(request);
  }

  opened(request: PooledRequest): void {
    this.#openings.opened(request);
  }

  free(connection: Connection): void {
    if (this.isRetired || isImmediateFaked()) return connection.end();
    const request = this.#openings.next();
    if (request) request.runInAsyncScope(() => request.sendOn(connection));
    else this.#idle.push(connection);
  }

  /** It gets no more requests. */
  leaveOut(connection: Connection): void {
    const index = this.#idle.lastIndexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#openings.proceed();
    if (this.isEmpty) this.#onEnd?.();
  }

  /** Resolves when the requests under way have ended. Those that wait go to another pool. */
  retire(): Promise<void> {
    this.isRetired = true;
    for (const connection of this.#idle.splice(0)) connection.end();
    for (let request = this.#openings.next(); request; request = this.#openings.next()) request.moveOn();
    return new Promise((resolve) => {
      this.#onEnd = resolve;
      if (this.isEmpty) resolve();
    });
  }

  /** Ends all requests, too. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #open(request: PooledRequest): void {
    const connection = new Connection(this, request);
    this.#connections.add(connection);
    request.runInAsyncScope(() => request.sendOn(connection));
  }
}

/** One connection, and the request that uses it. */
export class Connection {
  readonly #pool: ConnectionPool;
  readonly #client: Client;
  /** The request for which the connection is being opened. */
  #opener: PooledRequest | undefined;
  #request: PooledRequest | undefined;
  #isConnected = false;
  #isFree = false;

  constructor(pool: ConnectionPool, opener: PooledRequest) {
    this.#pool = pool;
    this.#opener = opener;
    const connect: buildConnector.connector = (where, connected) =>
      pool.connector(where, (...outcome) => {
        if (outcome[1]) this.#watch(outcome[1]);
        this.#opened();
        connected(...outcome);
      });
    this.#client = new Client(pool.origin, { ...CLIENT_OPTIONS, connect })
      .on('connect', () => (this.#isConnected = true))
      .on('drain', () => this.#isConnected && !this.#request && this.free())
      .on('disconnect', () => this.#disconnected())
      .on('connectionError', () => this.#disconnected());
  }

  dispatch(options: Dispatcher.DispatchOptions, request: PooledRequest): void {
    this.#request = request;
    this.#isFree = false;
    this.#client.dispatch(options, request);
  }

  /** The request has ended. undici says with `drain` or `disconnect` what becomes of the connection. */
  leave(): void {
    this.#request = undefined;
  }

  /** The next request can come at once: undici sends it when it has finished with this one. */
  free(): void {
    this.#request = undefined;
    if (this.#isFree) return;
    this.#isFree = true;
    this.#pool.free(this);
  }

  end(): void {
    this.#opened();
    this.#pool.leaveOut(this);
    // A client whose connection failed the check of the name never closes: undici keeps its request in the queue.
    const ended = this.#isConnected ? this.#client.close() : this.#client.destroy();
    void ended.then(
      () => this.#pool.closed(this),
      () => undefined,
    );
  }

  destroy(): void {
    void this.#client.destroy();
    this.#pool.closed(this);
  }

  #opened(): void {
    const opener = this.#opener;
    this.#opener = undefined;
    if (opener) this.#pool.opened(opener);
  }

  /** undici connects again for a request that it has not begun to send. */
  #disconnected(): void {
    this.#isConnected = false;
    if (!this.#request) this.end();
  }

  /**
   * Workaround: if a response without keep-alive waits for its reader when its connection ends or is reset, undici 7 throws an
   * AssertionError that no code can catch, and the process ends (nodejs/undici#5360, fixed by #5389 and #5474; observed in
   * 7.29.1 and 7.30.2, not in 8.9.0 and 8.12.4). So the request takes the rest of what has arrived before undici gets the end or
   * the error: at most the buffer of one socket. `test/rules/hostile/api-closing.spec.ts` shows it. Remove this method and `drain`
   * when the peer range begins with 8.9.0.
   */
  #watch(socket: Socket): void {
    socket.on('end', () => this.#request?.drain());
    // A reset reaches undici as an error, when the socket can be read no more.
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error?: Error): Socket => {
      if (!socket.destroyed) this.#request?.drain();
      return destroy(error);
    };
  }
}
