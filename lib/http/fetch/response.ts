import { Readable } from 'node:stream';
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
  /** The body itself, if all of it is there. */
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
  if (bytes) return { content: elsewhere(), bytes };
  return { content: cancelledWithGarbage(decoders.reduce(decodedBy, received), signal) };
}

let marker: ReadableStream | undefined;

/** In place of bytes that only our own methods read. Node's methods, called on our response, fail and do not give an empty body. */
function elsewhere(): Content {
  if (marker === undefined || marker.locked || Readable.isDisturbed(marker as unknown as Readable))
    marker = new ReadableStream({
      start: (controller) =>
        controller.error(new TypeError('Only the methods of this response read its body.')),
    });
  return marker;
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
type NodeResponse = new (
  ...given: ConstructorParameters<typeof Response>
) => Omit<Response, 'url' | 'redirected' | 'type' | 'text' | 'json'>;

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

/** In place of bytes that were read. */
const TAKEN = Buffer.alloc(0);

/** What else of a `Response` is about its body. */
const OF_BODY = ['body', 'bodyUsed', 'arrayBuffer', 'blob', 'bytes', 'clone', 'formData'] as const;

function createResponseClass(): OurResponse {
  const Base = globalThis.Response;
  // `inspect` shows this name.
  class Response extends (Base as unknown as NodeResponse) {
    readonly #facts: Facts;
    #bytes: Buffer | undefined;
    #streaming: globalThis.Response | undefined;

    static {
      // Code that makes a new response with `answer.constructor` gets one of Node.
      Object.defineProperty(this.prototype, 'constructor', { value: Base });
      for (const name of OF_BODY) {
        const member = Object.getOwnPropertyDescriptor(Base.prototype, name);
        // Node 20 has no `bytes`.
        if (member === undefined) continue;
        const kind = 'value' in member ? 'value' : 'get';
        const read = member[kind] as (...given: unknown[]) => unknown;
        member[kind] = function (this: Response, ...given: unknown[]) {
          return Reflect.apply(read, this.#withBody(), given);
        };
        Object.defineProperty(this.prototype, name, member);
      }
    }

    /** @param bytes a body that is all there. Then the content is not read. */
    constructor(content: Content, init: ResponseInit, facts: Facts, bytes: Buffer | undefined) {
      super(content, init);
      this.#facts = facts;
      this.#bytes = bytes;
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

    async text(): Promise<string> {
      return this.#takeText() ?? Reflect.apply(Base.prototype.text, this.#withBody(), []);
    }

    async json(): Promise<unknown> {
      const text = this.#takeText();
      return text === undefined
        ? Reflect.apply(Base.prototype.json, this.#withBody(), [])
        : (JSON.parse(text) as unknown);
    }

    /** The text of bytes that no code has asked for before. */
    #takeText(): string | undefined {
      const bytes = this.#bytes;
      if (bytes === undefined || bytes === TAKEN || this.#streaming) return undefined;
      // Node itself removes a byte order mark. After an abort, the stream fails with the reason.
      if (bytes[0] === MARK || this.#facts.signal?.aborted) return undefined;
      this.#bytes = TAKEN;
      return bytes.toString();
    }

    /** Node makes a stream for each body, which takes as long as all the rest of a call. So bytes get one if code asks for it. */
    #withBody(): object {
      if (this.#bytes === undefined) return this;
      if (this.#streaming === undefined) {
        this.#streaming = new Base(streamOf(oneChunk(this.#bytes), this.#facts.signal) as Content, this);
        if (this.#bytes === TAKEN) void this.#streaming.body?.getReader().cancel();
      }
      return this.#streaming;
    }
  }
  return Response;
}
