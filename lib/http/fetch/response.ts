import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { isNodeStream, isObject } from '../../values/objects.js';
import { UNFIT_FOR_HEADER } from '../../values/http-text.js';
import { safely } from '../../values/safely.js';
import { joined } from '../../wire/answer-reader.js';
import { takeDecoders } from '../../wire/decoding.js';
import { ReceivedBody } from '../../wire/received-body.js';
import type { RequestSnapshot } from '../../wire/outgoing.js';
import { type Chunks, chunksOf } from '../../wire/chunks.js';
import { cancelledWithGarbage, decodedBy, oneChunk, streamOf } from './body-stream.js';

const WITHOUT_BODY = new Set([204, 205, 304]);

export interface AnsweredCall {
  readonly config: InternalAxiosRequestConfig;
  readonly base: BaseAddress;
  readonly signal: AbortSignal | undefined;
  readonly redirected: boolean;
}

export function createResponse(answer: AxiosResponse<unknown>, call: AnsweredCall): Response {
  const { status } = answer;
  // A mock may answer without one.
  const statusText = (answer.statusText as string | undefined) ?? '';
  // As `fetch` does: no `Response` can have another status. Unread, the body would keep its connection for ever.
  if (status < 200 || status > 599) {
    discardBody(answer);
    throw new TypeError('fetch failed', { cause: new RangeError(`The API answered with status ${status}.`) });
  }
  // Only a 205 can have a body, against the rules.
  if (status === 205) discardBody(answer);
  const hasBody = call.config.method !== 'head' && !WITHOUT_BODY.has(status);
  const init = { status, statusText: UNFIT_FOR_HEADER.test(statusText) ? '' : statusText };
  const { redirected, signal } = call;
  const facts = { url: urlOf(answer, call), redirected, signal };
  const { content, bytes } = hasBody ? contentOf(answer, signal) : NO_CONTENT;
  const response = new (getResponseClass())(content, init, facts, bytes);
  addHeaders(response.headers, answer.headers);
  return response;
}

/** No caller reads this body. */
export function discardBody({ data }: Pick<AxiosResponse<unknown>, 'data'>): void {
  receivedChunks(data)?.cancel();
}

interface Body {
  readonly content: Content;
  /** What the content is, if all of it is there. */
  readonly bytes?: Buffer | undefined;
}

const NO_CONTENT: Body = { content: null };

function contentOf({ data, headers }: AxiosResponse<unknown>, signal: AbortSignal | undefined): Body {
  const received = receivedChunks(data);
  if (received === undefined) return { content: contentOfMock(data) };
  const decoders = takeDecoders(headers);
  const isWhole = received instanceof ReceivedBody && received.isOver && decoders.length === 0;
  // A body that has failed fails again when it is read.
  const bytes = isWhole ? safely(() => joined(received.takeAll()), undefined) : undefined;
  // A `Response` of the bytes themselves would cost more, because Node makes a stream of them too.
  if (bytes) return { content: streamOf(oneChunk(bytes), signal), bytes };
  return { content: cancelledWithGarbage(decoders.reduce(decodedBy, received), signal) };
}

/** Undefined if the body is no stream. An adapter of a mock library may answer with any stream. */
function receivedChunks(data: unknown): Chunks | undefined {
  if (data instanceof ReceivedBody) return data;
  // Its failure before it is read must not end the process.
  if (isNodeStream(data)) data.on('error', () => undefined);
  return isNodeStream(data) || data instanceof ReadableStream ? chunksOf(data) : undefined;
}

const SENDABLE =
  /^\[object (?:Undefined|Null|String|ReadableStream|Blob|File|ArrayBuffer|FormData|URLSearchParams)\]$/;

/** A mock library may also answer with text, with bytes, or with the object that the JSON would be. */
function contentOfMock(data: unknown): Content {
  const isSendable = ArrayBuffer.isView(data) || SENDABLE.test(Object.prototype.toString.call(data));
  return isSendable ? (data as Content) : new Blob([JSON.stringify(data)], { type: 'application/json' });
}

/** `Headers` refuses a redacted name, and what a mock may invent. Such a header is left out. */
function addHeaders(headers: Headers, received: object | undefined): void {
  const given = (received ?? {}) as Readonly<Record<string, string | string[] | null | undefined>>;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) safely(() => headers.set(name, value), undefined);
    else for (const one of value) safely(() => headers.append(name, one), undefined);
  }
}

/** The address of the last hop. The adapter of a mock library shows no request: then the address that was resolved. */
function urlOf({ request }: AxiosResponse<unknown>, { config, base }: AnsweredCall): string {
  const { res }: Partial<RequestSnapshot> = isObject(request) ? request : {};
  return res?.responseUrl ?? base.origin + base.resolve(config).path;
}

type Content = ConstructorParameters<typeof Response>[0];

/** What no code can give to a `Response` of Node. */
interface Facts {
  readonly url: string;
  readonly redirected: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The types of Node declare methods and getters as properties, which a class cannot override. */
type NodeResponse = new (...given: ConstructorParameters<typeof Response>) => Omit<
  Response,
  'url' | 'redirected' | 'type' | 'text' | 'json'
> & {
  text(): Promise<string>;
  json(): Promise<unknown>;
};

type OurResponse = new (
  content: Content,
  init: ResponseInit,
  facts: Facts,
  bytes: Buffer | undefined,
) => Response;

let ourResponse: OurResponse | undefined;

/** Made at the first call: the first use of `Response` makes Node load its `fetch`. */
function getResponseClass(): OurResponse {
  return (ourResponse ??= createResponseClass());
}

/** The first byte of a byte order mark in UTF-8. */
const MARK = 0xef;

function createResponseClass(): OurResponse {
  const Base = globalThis.Response as unknown as NodeResponse;
  // `inspect` shows this name.
  return class Response extends Base {
    readonly #facts: Facts;
    #bytes: Buffer | undefined;

    static {
      // Code that makes a new response with `answer.constructor` gets one of Node.
      Object.defineProperty(this.prototype, 'constructor', { value: Base });
    }

    constructor(content: Content, init: ResponseInit, facts: Facts, bytes: Buffer | undefined) {
      super(content, init);
      this.#facts = facts;
      // Node itself removes a byte order mark.
      if (bytes?.[0] !== MARK) this.#bytes = bytes;
    }

    get url(): string {
      return this.#facts.url;
    }

    get redirected(): boolean {
      return this.#facts.redirected;
    }

    get type(): 'basic' {
      return 'basic';
    }

    override async text(): Promise<string> {
      return this.#takeText() ?? super.text();
    }

    override async json(): Promise<unknown> {
      const text = this.#takeText();
      return text === undefined ? super.json() : JSON.parse(text);
    }

    /** The bytes of a body that no code has touched: reading its stream takes far longer. The stream ends as if it had been read. */
    #takeText(): string | undefined {
      const [bytes, { body, bodyUsed }] = [this.#bytes, this];
      this.#bytes = undefined;
      if (bytes === undefined || body === null || body.locked || bodyUsed) return undefined;
      // Then the stream fails with the reason.
      if (this.#facts.signal?.aborted) return undefined;
      void body.getReader().cancel();
      return bytes.toString();
    }
  };
}
