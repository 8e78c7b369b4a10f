import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { BaseAddress } from '../../net/base-address.js';
import { AnswerReader, type AnswerSource, headersOf } from '../../wire/answer-reader.js';
import {
  type ResultSink,
  type WireRequest,
  completeHeaders,
  type DirectSender,
} from '../../wire/wire-request.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { failureOf, invalidStatus, isCompleteWithoutBody } from './failures.js';
import type { WireBody } from './request-body.js';

type Controller = Dispatcher.DispatchController;
type Received = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** A request of the general path may have a streamed body. */
export interface UndiciRequest extends Omit<WireRequest, 'body'> {
  readonly body: WireBody['content'];
}

const CALL_ENDED = new Error('The call has ended.');
const OLD_CONNECTION = new Error('The certificates have changed.');

/**
 * Sends one request on undici's pool, and brings its answer in the async context of the request's caller, as with `node:http`
 * (B17). undici reports it in the context of whichever caller opened the connection.
 */
export class UndiciExchange extends AsyncResource implements Dispatcher.DispatchHandler, AnswerSource {
  readonly #base: BaseAddress;
  readonly #pool: ConnectionPool;
  readonly #sent: UndiciRequest;
  readonly #reader: AnswerReader;
  /** Made when it is first shown: most requests only show the one of their response. */
  #shown: object | undefined;
  #sentOn: ConnectionPool['current'] | undefined;
  #controller: Controller | undefined;
  /** Set when the response waits for its reader for the first time. */
  #connection: ConnectionPool['connectionBeingRead'];
  #isDraining = false;

  constructor(base: BaseAddress, pool: ConnectionPool, sent: UndiciRequest, result: ResultSink) {
    super('ProviderRequest');
    this.#base = base;
    this.#pool = pool;
    this.#sent = sent;
    this.#reader = new AnswerReader(sent, result, this);
  }

  get shown(): object {
    const { method, path } = this.#sent;
    return (this.#shown ??= Object.freeze({ method, host: this.#base.hostname, path }));
  }

  start(): void {
    this.#reader.watchCall();
    this.#dispatch();
  }

  #dispatch(): void {
    if (this.#reader.isOver) return;
    this.#sentOn = this.#pool.current;
    const { method, path, headers, body } = this.#sent;
    const sent =
      body === null || Buffer.isBuffer(body) || body instanceof Readable ? body : this.#steps(body);
    this.#pool.dispatch({ method, path, headers, body: sent as Buffer | null, caller: this }, this);
  }

  /** undici takes the steps of a body in the context of another call. A `Readable` has its own context, see `sealedReadable`. */
  #steps(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => {
        const steps = this.runInAsyncScope(() => body[Symbol.asyncIterator]());
        return {
          next: () => this.runInAsyncScope(() => steps.next()),
          return: async () => {
            await this.runInAsyncScope(() => steps.return?.());
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#controller?.abort(CALL_ENDED);
  }

  onRequestStart(controller: Controller): void {
    if (this.#reader.isOver) this.#refuseToStart();
    // It waited for a connection, and the certificates have changed meanwhile (B34).
    if (this.#pool.current !== this.#sentOn) throw OLD_CONNECTION;
    this.#controller = controller;
  }

  onResponseStart(_: Controller, statusCode: number, received: Received, statusText = ''): void {
    if (this.#reader.isOver) return;
    // undici takes each status below 200 for an announcement of the response.
    if (statusCode < 100 || statusCode === 101) throw invalidStatus();
    if (statusCode < 200) return;
    const { method, path } = this.#sent;
    const { origin, hostname } = this.#base;
    const res = Object.freeze({ responseUrl: origin + path, statusCode });
    this.#shown = Object.freeze({ method, host: hostname, path, res });
    this.runInAsyncScope(() => this.#reader.head(statusCode, statusText, headersOf(received, valueOfNode)));
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.runInAsyncScope(() => this.#reader.data(chunk))) this.#pause(controller);
  }

  onResponseEnd(): void {
    if (this.#connection) this.#connection.paused = undefined;
    this.runInAsyncScope(() => this.#reader.arrived());
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    this.runInAsyncScope(() => (error === OLD_CONNECTION ? this.#dispatch() : this.#fail(error)));
  }

  #fail(error: Error): void {
    const reader = this.#reader;
    if (reader.isOver) return;
    if (isCompleteWithoutBody(error, reader.status)) return reader.arrived();
    const { config, body } = this.#sent;
    const failed = { config, request: this.shown, host: this.#base.host, body };
    const failure = failureOf(error, failed, reader);
    if (failure) reader.failed(failure);
    else reader.cutShort();
  }

  /** Called before the connection ends: what has arrived is taken, and nothing is paused any more. */
  drain(): void {
    if (this.#reader.isOver) return;
    this.#isDraining = true;
    this.resume();
  }

  #pause(controller: Controller): void {
    if (this.#isDraining) return;
    this.#connection ??= this.#pool.connectionBeingRead;
    if (this.#connection) this.#connection.paused = this;
    controller.pause();
  }

  /**
   * The call ended while its request waited in undici's queue. undici then drops the request. After `controller.abort()` it
   * would close the connection, although nothing has been sent.
   */
  #refuseToStart(): never {
    const { body } = this.#sent;
    if (body instanceof Readable) body.destroy();
    else if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
    throw CALL_ENDED;
  }
}

/** Sends direct requests on the pool, without an adapter (B16). */
export function createDirectSender(base: BaseAddress, pool: ConnectionPool): DirectSender {
  return {
    givesCleanResponses: true,
    accepts: fits,
    send(request, result) {
      completeHeaders(request.headers, request.config);
      new UndiciExchange(base, pool, request, result).start();
    },
  };
}

/** The methods with which undici sends the length of an empty body. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Whether undici sends this body with this method. With another method, undici leaves out the length of an empty body. */
export function fits(method: string, content: WireBody['content']): boolean {
  return !Buffer.isBuffer(content) || content.length > 0 || METHODS_WITH_BODY.has(method);
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
