import { AsyncResource } from 'node:async_hooks';
import type { AxiosProxyConfig } from 'axios';
import { buildConnector, type Dispatcher } from 'undici';
import type { AnyPair } from '../catalogue/catalogue.js';
import { notSupported } from '../errors/refused-options.js';
import type { ConnectionChoice } from '../net/agents.js';
import { type ClientTls, MadeOfTls } from '../net/client-tls.js';
import { withoutInherited } from '../values/objects.js';
import { type Proxy, proxyFor } from '../net/proxy.js';
import { openTunnel } from '../net/tunnel.js';
import { systemClock } from '../time/clock.js';
import { AnswerReader, type AnswerSource, headersOf } from '../wire/answer-reader.js';
import { type Config, type OnOutcome, type Outgoing, snapshotOf, type Source } from '../wire/outgoing.js';
import type { Chunks } from '../wire/chunks.js';
import { bodyFailure, isSentAtOnce, uploadOf } from '../wire/upload.js';
import { CLOSED, failureOf, invalidStatus, isCompleteWithoutBody, isCutOff, isRefusal } from './failures.js';
import { type Connection, ConnectionPool, type PooledRequest } from './pool.js';

export interface UndiciSettings {
  readonly tls?: ClientTls | undefined;
  /** `http.proxy` of the options. */
  readonly proxy?: AxiosProxyConfig | false | undefined;
  readonly connections?: number | undefined;
}

/** The limit for opening a connection. Without it, a host that drops packets would gather connections for minutes. */
const CONNECT_MS = 10_000;

/** How long open requests may go on when the application closes. */
const CLOSING_MS = 10_000;

/** Sends requests over undici's connections, HTTP/1.1. */
export class UndiciSource implements Source {
  readonly #settings: UndiciSettings;
  readonly #ofPair: MadeOfTls<Pools>;
  /** For redirects to other addresses: without the certificates of the pair. */
  readonly #ofStrangers: Pools;
  /** Pools with earlier certificates, until their requests have ended. */
  readonly #retired = new Set<Pools>();
  #isClosed = false;

  constructor(settings: UndiciSettings) {
    const { tls, connections } = settings;
    this.#settings = settings;
    this.#ofStrangers = new Pools(connections);
    this.#ofPair = new MadeOfTls(
      tls,
      () => new Pools(connections, tls),
      (pools) => {
        this.#retired.add(pools);
        void pools.retire().then(() => this.#retired.delete(pools));
      },
    );
  }

  check(config: Config, pair: AnyPair): void {
    const { httpsAgent, proxy } = config as ConnectionChoice;
    if (httpsAgent ?? undefined) throw notSupported(pair, 'httpsAgent', 'set tls for the environment');
    if ((proxy ?? undefined) !== undefined && proxy !== this.#settings.proxy)
      throw notSupported(pair, 'proxy', 'set http.proxy in the options');
  }

  send(outgoing: Outgoing, end: OnOutcome): void {
    new UndiciExchange(this, outgoing, end).start();
  }

  /** Undefined after the end of the application. */
  poolFor({ url, isUnderBase }: Outgoing): ConnectionPool | undefined {
    if (this.#isClosed) return undefined;
    const proxy = proxyFor(url, { options: this.#settings.proxy });
    return (isUnderBase ? this.#ofPair.current : this.#ofStrangers).poolFor(url.origin, proxy);
  }

  /** Waits for calls under way and for open requests, but not for ever. */
  async close(callsEnded: Promise<void>): Promise<void> {
    const all = (): Pools[] => [this.#ofPair.current, this.#ofStrangers, ...this.#retired];
    await new Promise<void>((resolve) => {
      const giveUp = systemClock.after(CLOSING_MS, resolve);
      void callsEnded
        .then(() => {
          this.#isClosed = true;
          return Promise.all(all().map((pools) => pools.retire()));
        })
        .finally(giveUp)
        .then(() => resolve(), resolve);
    });
    this.#isClosed = true;
    for (const pools of all()) pools.destroy();
  }
}

/** A pool for each origin and proxy, with the same certificates. */
class Pools {
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #tls: buildConnector.BuildOptions;

  constructor(
    private readonly connections?: number,
    tls?: ClientTls,
  ) {
    const servername = tls?.servername;
    this.#tls = {
      ...(tls && { secureContext: tls.secureContext() }),
      ...(servername !== undefined && { servername }),
    };
  }

  poolFor(origin: string, proxy?: Proxy): ConnectionPool {
    const key = proxy ? `${origin} ${proxy.url.href} ${proxy.authorization ?? ''}` : origin;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      this.#removeEmpty();
      pool = new ConnectionPool(origin, this.#connector(proxy), this.connections);
      this.#pools.set(key, pool);
    }
    return pool;
  }

  async retire(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.retire()));
  }

  destroy(): void {
    for (const pool of this.#pools.values()) pool.destroy();
  }

  /** Redirects may lead to any number of origins. */
  #removeEmpty(): void {
    for (const [key, pool] of this.#pools) if (pool.isEmpty) this.#pools.delete(key);
  }

  #connector(proxy: Proxy | undefined): buildConnector.connector {
    // undici 8 offers HTTP/2 by default.
    const options = { timeout: CONNECT_MS, rejectUnauthorized: true, allowH2: false, ...this.#tls };
    const toApi = buildConnector(withoutInherited(options));
    if (proxy === undefined) return toApi;
    return (where, connected) => {
      openTunnel(proxy, { host: where.hostname, port: where.port || 443 }, (error, httpSocket) => {
        if (error || !httpSocket) connected(error ?? new Error('The proxy gave no connection.'), null);
        else toApi({ ...where, httpSocket }, connected);
      });
    };
  }
}

const CALL_ENDED = new Error('The call has ended.');
const OLD_CONNECTION = new Error('The certificates have changed.');

type Controller = Dispatcher.DispatchController;
type Received = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * Sends one request, and brings its answer in the async context of the request's caller, as with `node:https`. undici reports it
 * in the context of whichever caller opened the connection. No object that a caller gets leads here.
 */
class UndiciExchange extends AsyncResource implements AnswerSource, PooledRequest {
  readonly #source: UndiciSource;
  readonly #sent: Outgoing;
  readonly #reader: AnswerReader;
  readonly #upload: Chunks | undefined;
  #isUploading = false;
  #bodyError: { readonly error: unknown } | undefined;
  #pool: ConnectionPool | undefined;
  #connection: Connection | undefined;
  #controller: Controller | undefined;
  #isDraining = false;
  /** Whether the connection ends with this request. */
  #isLast = false;

  constructor(source: UndiciSource, sent: Outgoing, end: OnOutcome) {
    super('ProviderRequest');
    this.#source = source;
    this.#sent = sent;
    this.#reader = new AnswerReader(sent, end, this);
    this.#upload = isSentAtOnce(sent) ? undefined : uploadOf(sent);
  }

  get shown(): object {
    return snapshotOf(this.#sent, this.#reader.status);
  }

  start(): void {
    this.#reader.watchCall();
    this.moveOn();
  }

  moveOn(): void {
    if (this.#reader.isOver) return;
    try {
      this.#pool = this.#source.poolFor(this.#sent);
    } catch (error) {
      // The proxy that is named cannot be used.
      return this.#fail(error as Error);
    }
    if (this.#pool) this.#pool.send(this);
    else this.#fail(CLOSED);
  }

  sendOn(connection: Connection): void {
    this.#connection = connection;
    const { method, path, body } = this.#sent;
    const upload = this.#upload;
    const headers = withoutOwn(this.#sent.headers);
    const sent = { method, path, headers, body: (upload ? this.#steps(upload) : body) as Buffer | null };
    connection.dispatch(withoutInherited(sent), this);
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#upload?.cancel();
    if (this.#controller) this.#controller.abort(CALL_ENDED);
    else this.#pool?.leave(this);
  }

  drain(): void {
    if (this.#reader.isOver || !this.#controller) return;
    this.#isDraining = true;
    this.resume();
  }

  /** undici drops a request for which this throws. After `controller.abort()` it would close the connection. */
  onRequestStart(controller: Controller): void {
    if (this.#reader.isOver) throw CALL_ENDED;
    // The connection was opened for it, and the certificates have changed meanwhile.
    if (this.#pool?.isRetired) throw OLD_CONNECTION;
    this.#controller = controller;
  }

  onResponseStart(_: Controller, statusCode: number, received: Received, statusText = ''): void {
    if (this.#reader.isOver) return;
    // undici takes each status below 200 for an announcement of the response.
    if (statusCode < 100 || statusCode === 101) throw invalidStatus();
    if (statusCode < 200) return;
    this.#isLast = this.#sent.method === 'HEAD' || /close/i.test(String(received['connection']));
    this.#reader.head(statusCode, statusText, headersOf(received, valueOfNode));
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const takesMore = this.runInAsyncScope(() => this.#reader.data(chunk));
    if (!takesMore && !this.#isDraining) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#isLast) this.#connection?.leave();
    else this.#connection?.free();
    this.runInAsyncScope(() => {
      this.#reader.arrived();
      // undici closes the connection if the upload has not ended.
      this.#upload?.cancel();
    });
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    this.#connection?.leave();
    // Nothing would ever free such a connection.
    if (isRefusal(error)) this.#connection?.end();
    this.runInAsyncScope(() => {
      if (error === OLD_CONNECTION) return this.moveOn();
      this.#upload?.cancel();
      this.#fail(error);
    });
  }

  #fail(error: Error): void {
    const reader = this.#reader;
    const { status } = reader;
    if (reader.isOver) return;
    const { config, url } = this.#sent;
    if (this.#bodyError?.error === error) reader.failed(bodyFailure(error, config, this.shown), true);
    else if (isCompleteWithoutBody(error, status)) reader.arrived();
    else if (status !== undefined && (reader.isStreaming || this.#isUploading || isCutOff(error)))
      reader.cutShort();
    else reader.failed(failureOf(error, config, this.shown, url.host));
  }

  /** undici takes the steps of a body in the context of another call. */
  #steps(upload: Chunks): AsyncIterable<Uint8Array> {
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      try {
        const value = await this.runInAsyncScope(() => upload.next());
        this.#isUploading = value !== undefined;
        return value === undefined ? { done: true, value } : { done: false, value };
      } catch (error) {
        this.#bodyError = { error };
        throw error;
      }
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }
}

/** undici writes these itself, and takes the host from the address. A connection may be asked to close. */
function withoutOwn(list: readonly string[]): string[] {
  const own = list.findIndex((name, at) => at % 2 === 0 && isOwn(name, list[at + 1]));
  return own < 0 ? (list as string[]) : withoutOwn([...list.slice(0, own), ...list.slice(own + 2)]);
}

function isOwn(name: string, value = ''): boolean {
  const lower = name.toLowerCase();
  if (lower === 'transfer-encoding') return value.toLowerCase() === 'chunked';
  if (lower === 'connection') return !/close/i.test(value);
  return lower === 'host' || lower === 'keep-alive';
}

/** If one of these headers arrives more than once, Node keeps the first. Node joins all other headers. */
const ONCE = new Set(
  (
    'age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since ' +
    'last-modified location max-forwards proxy-authorization referer retry-after server user-agent'
  ).split(' '),
);

function valueOfNode(name: string, value: string | string[]): string | string[] {
  if (name === 'set-cookie') return [value].flat();
  if (typeof value === 'string') return value;
  if (ONCE.has(name)) return value[0] ?? '';
  return value.join(name === 'cookie' ? '; ' : ', ');
}
