import { Readable } from 'node:stream';
import { AxiosError, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import type { Dispatcher } from 'undici';
import { contentOf, settleResponse } from '../../http/response/received-response.js';
import type { BaseAddress } from '../../net/base-address.js';
import { ReceivedBody } from '../../net/received-body.js';
import { sealedReadable } from '../../net/sealed-readable.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { takeDecoder, Decoding } from '../response/decompression.js';
import { bodyFailure, isCompleteWithoutBody, requestFailure, streamFailure } from '../response/failures.js';
import type { Sink, Source } from '../response/response-body.js';
import { responseHeaders } from '../response/response-headers.js';
import { CallerLimits, type RequestLimits } from './caller-limits.js';
import type { PlannedRequest } from './planned-request.js';
import { isObject } from '../../values/is-object.js';

type Controller = Dispatcher.DispatchController;
type Received = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const CALL_ENDED = new Error('The call has ended.');

/** Settles the promise that the adapter returned. */
interface Settling {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** The handler of one request on undici's pool. It turns undici's events into the result that axios' http adapter gives. */
export class DispatchedRequest implements Dispatcher.DispatchHandler, Sink, Source {
  readonly #config: InternalAxiosRequestConfig;
  readonly #base: BaseAddress;
  readonly #plan: PlannedRequest;
  readonly #settling: Settling;
  readonly #limits: RequestLimits;
  readonly #chunks: Buffer[] = [];
  /** Made when it is first shown: most requests only show the one of their response. */
  #shown: object | undefined;
  #controller: Controller | undefined;
  #response: AxiosResponse | undefined;
  #stream: Readable | ReceivedBody | undefined;
  #decoding: Decoding | undefined;
  #receivedBytes = 0;
  /** Whether undici has received the whole response. A decoder may end before: bytes can follow what it decodes. */
  #hasArrived = false;
  #isOver = false;

  constructor(
    config: InternalAxiosRequestConfig,
    base: BaseAddress,
    plan: PlannedRequest,
    settling: Settling,
    limits: RequestLimits = new CallerLimits(config, plan.timeoutMs),
  ) {
    this.#config = config;
    this.#base = base;
    this.#plan = plan;
    this.#settling = settling;
    this.#limits = limits;
  }

  get #request(): object {
    const { method, path } = this.#plan;
    return (this.#shown ??= Object.freeze({ method, host: this.#base.hostname, path }));
  }

  start(pool: ConnectionPool): void {
    this.#limits.watch(
      (error) => this.#endEarly(isEvent(error) ? this.#canceled() : error),
      () => this.#request,
    );
    if (this.#isOver) return this.#limits.release();
    const { method, path, headers, body } = this.#plan;
    pool.dispatch({ method, path, headers, body: body as Buffer | null }, this);
  }

  onRequestStart(controller: Controller): void {
    if (this.#isOver) this.#refuseToStart();
    this.#controller = controller;
  }

  onResponseStart(controller: Controller, statusCode: number, received: Received, statusText = ''): void {
    if (statusCode < 200 || this.#isOver) return;
    const { method, path } = this.#plan;
    const { origin, hostname } = this.#base;
    const res = Object.freeze({ responseUrl: origin + path, statusCode });
    this.#shown = Object.freeze({ method, host: hostname, path, res });
    const headers = responseHeaders(received);
    this.#response = {
      status: statusCode,
      statusText,
      headers,
      config: this.#config,
      request: this.#shown,
      data: undefined,
    };
    const hasBody = method !== 'HEAD' && statusCode !== 204;
    const decoder = this.#config.decompress === false ? undefined : takeDecoder(headers, hasBody);
    if (decoder) this.#decoding = new Decoding(decoder, this, this);
    if (this.#config.responseType === 'stream') this.#handOver(this.#response, controller);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.#isOver && !(this.#decoding ?? this).push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#hasArrived = true;
    if (!this.#isOver) (this.#decoding ?? this).end();
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    if (this.#isOver) return;
    if (isCompleteWithoutBody(error, this.#response?.status)) return this.onResponseEnd();
    const failed = {
      config: this.#config,
      request: this.#request,
      host: this.#base.host,
      body: this.#plan.body,
    };
    if (this.#stream) {
      this.#stream.destroy(streamFailure(error, failed));
      return;
    }
    this.#finish();
    const isDecoded = this.#decoding !== undefined;
    this.#settling.reject(
      this.#response ? bodyFailure(error, failed, this.#response, isDecoded) : requestFailure(error, failed),
    );
  }

  push(chunk: Buffer): boolean {
    this.#receivedBytes += chunk.length;
    const { maxContentLength = -1 } = this.#config;
    if (maxContentLength > -1 && this.#receivedBytes > maxContentLength) {
      this.#endEarly(this.#error(`maxContentLength size of ${maxContentLength} exceeded`));
      return true;
    }
    if (this.#stream) return this.#stream.push(chunk);
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    if (this.#isOver || this.#response === undefined) return;
    if (this.#stream) {
      this.#stream.push(null);
      return;
    }
    this.#complete();
    try {
      this.#response.data = contentOf(this.#chunks, this.#config);
    } catch (error) {
      return this.#settling.reject(this.#wrapped(error));
    }
    settleResponse(this.#response, this.#settling);
  }

  /** Called by the decoder, when the bytes cannot be decoded. */
  fail(error: Error): void {
    this.#endEarly(this.#stream ? error : this.#wrapped(error));
  }

  resume(): void {
    this.#controller?.resume();
  }

  #handOver(response: AxiosResponse, controller: Controller): void {
    this.#limits.stopTimer();
    const source = this.#decoding ?? this;
    const resume = (): void => source.resume();
    if (this.#plan.isDirect) {
      const closed = (isComplete: boolean): void => (isComplete ? this.#complete() : this.#stop());
      this.#stream = new ReceivedBody({ resume, closed });
    } else {
      // undici sends the body when the reader asks for it. An error of the body then finds a listener.
      controller.pause();
      this.#stream = sealedReadable({ resume, closed: () => this.#stop() });
    }
    response.data = this.#stream;
    settleResponse(response, this.#settling);
  }

  /** Ends the call before undici has ended the request. */
  #endEarly(error: unknown): void {
    if (this.#isOver) return;
    if (this.#stream) {
      this.#stream.destroy(error as Error);
      return;
    }
    this.#stop();
    this.#settling.reject(error);
  }

  /** The caller has the whole body. Without the rest of the response, its connection would stay in use for ever. */
  #complete(): void {
    if (this.#hasArrived) this.#finish();
    else this.#stop();
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#decoding?.destroy();
    this.#controller?.abort(CALL_ENDED);
  }

  /**
   * The call ended while its request waited in undici's queue. undici then drops the request and keeps the connection.
   * After `controller.abort()` undici would close the connection, although nothing has been sent. Each request that
   * waited would then cost one connection.
   */
  #refuseToStart(): never {
    const { body } = this.#plan;
    if (body instanceof Readable) body.destroy();
    throw CALL_ENDED;
  }

  #finish(): void {
    this.#isOver = true;
    this.#limits.release();
  }

  #canceled(): CanceledError<unknown> {
    return new CanceledError(undefined, this.#config, this.#request);
  }

  #error(message: string): AxiosError {
    return new AxiosError(message, AxiosError.ERR_BAD_RESPONSE, this.#config, this.#request);
  }

  #wrapped(error: unknown): AxiosError {
    return AxiosError.from(error, undefined, this.#config, this.#request, this.#response);
  }
}

/** axios' http adapter does the same: if the reason has a `type`, it is an event, and the error shows the request. */
function isEvent(reason: unknown): boolean {
  return isObject(reason) && Boolean(Reflect.get(reason, 'type'));
}
