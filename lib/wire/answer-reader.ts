import { AxiosError, AxiosHeaders, type AxiosResponse, CanceledError } from 'axios';
import { unpooledConcat } from '../secrets/unpooled-buffer.js';
import { BYTE_ORDER_MARK } from '../values/http-text.js';
import { isObject } from '../values/objects.js';
import { Decoding, type Resumable, type Sink, takeDecoder } from './decoding.js';
import type { Config, OnOutcome, Outgoing } from './outgoing.js';
import { type Progress, progressOf } from './progress.js';
import { ReceivedBody } from './received-body.js';
import { nextLocation } from './redirect.js';

/** Brings an answer: pushes the head, the bytes and the end to an `AnswerReader`. */
export interface AnswerSource extends Resumable {
  /** What results show as the request. */
  readonly shown: unknown;
  /** Ends the exchange before its end: no code wants the rest of the answer. */
  abort(error?: Error): void;
}

/**
 * Makes the outcome of a request from what a source brings, and ends once. The reader notices an answer that is too large, cut
 * short, cannot be decoded, or is no longer wanted.
 */
export class AnswerReader implements Sink {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #response: AxiosResponse | undefined;
  #decoding: Decoding | undefined;
  #received: ReceivedBody | undefined;
  #progress: Progress | undefined;
  /** Whether the source has brought everything. A decoder may end before: bytes can follow what it decodes. */
  #hasArrived = false;
  #isOver = false;

  constructor(
    private readonly sent: Pick<Outgoing, 'method' | 'config' | 'cancellation' | 'isRepeatable'>,
    private readonly onEnd: OnOutcome,
    private readonly source: AnswerSource,
  ) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Undefined before the head has come. */
  get status(): number | undefined {
    return this.#response?.status;
  }

  get isStreaming(): boolean {
    return this.#received !== undefined;
  }

  watchCall(): void {
    this.sent.cancellation.subscribe(this.#cancel);
  }

  head(status: number, statusText: string, headers: AxiosHeaders): void {
    const { method, config } = this.sent;
    const response: AxiosResponse = { status, statusText, headers, config, data: undefined };
    this.#response = response;
    // With the status, which is known from now on.
    response.request = this.source.shown;
    if (config.onDownloadProgress)
      this.#progress = progressOf(config.onDownloadProgress, 'download', headers['content-length']);
    const hasBody = method !== 'HEAD' && status !== 204;
    const isEncoded = config.decompress !== false && Boolean(headers['content-encoding']);
    const decoder = isEncoded ? takeDecoder(headers, hasBody) : undefined;
    if (decoder) this.#decoding = new Decoding(decoder, this, this.source);
    // Nobody reads the body of a redirect that is followed.
    if (config.responseType === 'stream' || nextLocation(this.sent, response) !== undefined)
      this.#handOver(response);
  }

  /** Bytes have come. False if the source has to wait until `resume` is called. */
  data(chunk: Buffer): boolean {
    this.#progress?.add(chunk.length);
    return this.#isOver || (this.#decoding ?? this).push(chunk);
  }

  arrived(): void {
    this.#hasArrived = true;
    this.#progress?.end();
    (this.#decoding ?? this).end();
  }

  /**
   * The connection has ended before the answer.
   *
   * @param error of Node, whose class and stack a caller may look at.
   */
  cutShort(error: Error = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })): void {
    if (this.#received) return this.failed(error);
    // In axios, a decoder or a count of the bytes passes the error of the connection on.
    if (this.#decoding || this.#progress) return this.failed(this.#wrapped(error));
    this.failed(this.#error('stream has been aborted', this.#response));
  }

  /**
   * The source has failed, with the error for the caller.
   *
   * @param isOfBody whether the caller's own body has failed.
   */
  failed(error: Error, isOfBody = false): void {
    if (this.#isOver) return;
    if (this.#received) return this.#received.destroy(error);
    this.#finish();
    this.onEnd({ error, response: this.#response, isOfBody });
  }

  push(chunk: Buffer): boolean {
    this.#length += chunk.length;
    const { maxContentLength = -1 } = this.sent.config;
    if (maxContentLength > -1 && this.#length > maxContentLength) {
      this.#endEarly(this.#error(`maxContentLength size of ${maxContentLength} exceeded`));
      return true;
    }
    if (this.#received) return this.#received.push(chunk);
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const response = this.#response;
    if (this.#isOver || response === undefined) return;
    if (this.#received) return void this.#received.push(null);
    this.#complete();
    try {
      response.data = contentOf(this.#chunks, this.sent.config);
    } catch (error) {
      return this.onEnd({ error: this.#wrapped(error), response });
    }
    this.onEnd({ response });
  }

  fail(error: Error): void {
    this.#endEarly(this.#received ? error : this.#wrapped(error));
  }

  /** The caller reads the body while it arrives. */
  #handOver(response: AxiosResponse): void {
    const source = this.#decoding ?? this.source;
    this.#received = new ReceivedBody({
      resume: () => source.resume(),
      closed: (isComplete) => (isComplete ? this.#complete() : this.#stop()),
    });
    response.data = this.#received;
    this.onEnd({ response });
  }

  /** As axios does: a reason that has a `type` is an event, and the error shows the request instead of it. */
  readonly #cancel = (reason?: unknown): void => {
    const isEvent = isObject(reason) && Boolean(Reflect.get(reason, 'type'));
    this.#endEarly(
      isEvent ? new CanceledError(undefined, this.sent.config, this.source.shown) : (reason as Error),
    );
  };

  #endEarly(error: Error): void {
    if (this.#isOver) return;
    if (this.#received) return this.#received.destroy(error);
    this.#stop(error);
    this.onEnd({ error, response: this.#response });
  }

  /** The caller has the whole body. Without the rest of the answer, its connection would stay in use for ever. */
  #complete(): void {
    if (this.#hasArrived) this.#finish();
    else this.#stop();
  }

  #stop(error?: Error): void {
    this.#finish();
    this.source.abort(error);
  }

  #finish(): void {
    this.#isOver = true;
    this.#decoding?.destroy();
    this.sent.cancellation.unsubscribe(this.#cancel);
  }

  #error(message: string, response?: AxiosResponse): AxiosError {
    const { config } = this.sent;
    return new AxiosError(message, AxiosError.ERR_BAD_RESPONSE, config, this.source.shown, response);
  }

  #wrapped(error: unknown): AxiosError {
    const { config } = this.sent;
    return AxiosError.from(error, undefined, config, this.source.shown, this.#response);
  }
}

/** The body of a response as axios gives it to `transformResponse`: bytes for the response type `arraybuffer`, else text. */
function contentOf(chunks: readonly Buffer[], { responseType, responseEncoding }: Config): Buffer | string {
  // A chunk shares its memory with the headers of the response, and these may repeat the token.
  if (responseType === 'arraybuffer') return unpooledConcat(chunks);
  const text = joined(chunks).toString(responseEncoding as BufferEncoding | undefined);
  const mayHaveMark = !responseEncoding || responseEncoding === 'utf8';
  return mayHaveMark && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** The bytes of a received body. They are not copied if they arrived in one piece. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : unpooledConcat(chunks);
}

/** A value that `AxiosHeaders` would store in another form. */
// eslint-disable-next-line no-control-regex -- AxiosHeaders removes these characters
const NEEDS_CARE = /[\u0000-\u0008\u000a-\u001f\u007f]|^[\t ]|[\t ]$/;

/**
 * The headers that axios makes of those of a response. Each name occurs once and in lower case, so `AxiosHeaders.set` need
 * not search for another spelling of it.
 *
 * @param valueOf gives the value that `node:http` would give.
 */
export function headersOf(
  received: NodeJS.Dict<string | string[]>,
  valueOf?: (name: string, value: string | string[]) => string | string[],
): AxiosHeaders {
  const headers = new AxiosHeaders();
  for (const name of Object.keys(received)) {
    const given = received[name];
    // Node drops a header of the second name too.
    if (given === undefined || name === '__proto__') continue;
    const value = valueOf ? valueOf(name, given) : given;
    if (typeof value === 'string' && !NEEDS_CARE.test(value)) headers[name] = value;
    else headers.set(name, value);
  }
  return headers;
}
