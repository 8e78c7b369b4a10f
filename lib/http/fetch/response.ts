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
import { cancelledWithGarbage, decodedBy, LateStream } from './body-stream.js';

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
  const facts = { url: urlOf(answer, call), redirected: call.redirected };
  const content = hasBody ? contentOf(answer, call.signal) : null;
  const response = new (getResponseClass())(content, init, facts);
  addHeaders(response.headers, answer.headers);
  return response;
}

/** No caller reads this body. */
export function discardBody({ data }: Pick<AxiosResponse<unknown>, 'data'>): void {
  receivedChunks(data)?.cancel();
}

function contentOf({ data, headers }: AxiosResponse<unknown>, signal: AbortSignal | undefined): Content {
  const received = receivedChunks(data);
  if (received === undefined) return contentOfMock(data);
  const decoders = takeDecoders(headers);
  const isWhole = received instanceof ReceivedBody && received.isOver && decoders.length === 0;
  // A body that has failed fails again when it is read.
  const bytes = isWhole ? safely(() => joined(received.takeAll()), undefined) : undefined;
  if (bytes === undefined) return cancelledWithGarbage(decoders.reduce(decodedBy, received), signal);
  const late = new LateStream(bytes, signal);
  takesLateStreams ??= doesTakeLateStreams();
  return takesLateStreams ? late : late.stream;
}

let takesLateStreams: boolean | undefined;

/** A runtime may ask for what only its own streams have, as Bun, Deno and, for a clone, Node 26 do. */
function doesTakeLateStreams(): boolean {
  return safely(() => {
    const [late, cloned] = [1, 2].map(() => new LateStream(Buffer.from('text'), undefined));
    new Response(cloned as unknown as NodeContent).clone();
    const response = new Response(late as unknown as NodeContent);
    return late?.takeText() !== undefined && response.bodyUsed;
  }, false);
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

type NodeContent = ConstructorParameters<typeof Response>[0];

type Content = NodeContent | LateStream;

/** What no code can give to a `Response` of Node. */
interface Facts {
  readonly url: string;
  readonly redirected: boolean;
}

/** The types of Node declare methods and getters as properties, which a class cannot override. */
type NodeResponse = new (
  ...given: ConstructorParameters<typeof Response>
) => Omit<Response, 'url' | 'redirected' | 'type' | 'body' | 'text' | 'json'>;

type OurResponse = new (content: Content, init: ResponseInit, facts: Facts) => Response;

let ourResponse: OurResponse | undefined;

/** Made at the first call: the first use of `Response` makes Node load its `fetch`. */
function getResponseClass(): OurResponse {
  return (ourResponse ??= createResponseClass());
}

function createResponseClass(): OurResponse {
  const Base = globalThis.Response;
  // `inspect` shows this name.
  class Response extends (Base as unknown as NodeResponse) {
    readonly #facts: Facts;
    readonly #late: LateStream | undefined;

    static {
      // Code that makes a new response with `answer.constructor` gets one of Node.
      Object.defineProperty(this.prototype, 'constructor', { value: Base });
    }

    constructor(content: Content, init: ResponseInit, facts: Facts) {
      super(content as NodeContent, init);
      this.#facts = facts;
      if (content instanceof LateStream) this.#late = content;
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

    get body(): ReadableStream<Uint8Array> | null {
      const body = Reflect.get(Base.prototype, 'body', this) as unknown;
      return body instanceof LateStream ? body.stream : (body as ReadableStream<Uint8Array> | null);
    }

    async text(): Promise<string> {
      return this.#late?.takeText() ?? Reflect.apply(Base.prototype.text, this, []);
    }

    async json(): Promise<unknown> {
      const text = this.#late?.takeText();
      return text === undefined
        ? Reflect.apply(Base.prototype.json, this, [])
        : (JSON.parse(text) as unknown);
    }
  }
  return Response;
}
