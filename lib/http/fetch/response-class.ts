import { ReceivedBody } from '../../wire/received-body.js';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';
import { joined } from '../../wire/answer-reader.js';
import { BYTE_ORDER_MARK } from '../../values/http-text.js';
import { cancelWithGarbage, streamOf } from './body-stream.js';

export type Content = ConstructorParameters<typeof Response>[0];

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  /** Called if code reads the headers. */
  readonly headers: () => [name: string, value: string][];
}

type NodeResponse = Response;
type OfNode = (response: unknown) => NodeResponse;
type OurClass = new (head: ResponseHead, body: ReceivedBody | Content, of?: NodeResponse) => Response;

let ourClass: OurClass | undefined;

/**
 * The class of the answers of `fetch`: each is an `instanceof Response`, but streams, headers and a `Response` of Node are
 * made only if code asks for them, because that takes longer than to send the request (B21). Made at the first call: the
 * first use of `Response` makes Node load its `fetch` (B14).
 */
export function getResponseClass(): OurClass {
  return (ourClass ??= createResponseClass(globalThis.Response));
}

function createResponseClass(Base: typeof Response): OurClass {
  // Errors show this name.
  const Own = class Response {
    readonly #head: ResponseHead;
    /** Undefined if the body came in another form. */
    #received: ReceivedBody | undefined;
    /** Whether a method of this class has taken the body. */
    #isTaken = false;
    #headers: Headers | undefined;
    #ofNode: NodeResponse | undefined;

    constructor(head: ResponseHead, body: ReceivedBody | Content, ofNode?: NodeResponse) {
      this.#head = head;
      this.#ofNode = ofNode;
      if (body instanceof ReceivedBody) {
        this.#received = body;
        cancelWithGarbage(this, body);
      } else if (body !== null) this.#ofNode = this.#createOfNode(body);
    }

    get status(): number {
      return this.#head.status;
    }

    get ok(): boolean {
      return this.status >= 200 && this.status <= 299;
    }

    get statusText(): string {
      return this.#head.statusText;
    }

    get url(): string {
      return this.#head.url;
    }

    get redirected(): boolean {
      return this.#head.redirected;
    }

    get type(): string {
      return 'basic';
    }

    get headers(): Headers {
      return (this.#headers ??= new Headers(this.#head.headers()));
    }

    get bodyUsed(): boolean {
      return this.#isTaken || this.#ofNode?.bodyUsed === true;
    }

    async text(): Promise<string> {
      const body = this.#take();
      return body ? textOf(await this.#bytesOf(body)) : this.#nodeResponse().text();
    }

    async json(): Promise<unknown> {
      const body = this.#take();
      if (body === undefined) return this.#nodeResponse().json();
      // Most bodies have arrived, and each `await` would take a turn.
      const chunks = this.#bytesOf(body);
      const text = textOf(chunks instanceof Promise ? await chunks : chunks);
      return JSON.parse(typeof text === 'string' ? text : await text);
    }

    async arrayBuffer(): Promise<unknown> {
      const body = this.#take();
      return body ? unpooledConcat(await this.#bytesOf(body)).buffer : this.#nodeResponse().arrayBuffer();
    }

    /** The clone of Node has the class of Node. */
    clone(): globalThis.Response {
      const ofNode = this.#nodeResponse().clone();
      const clone = new Own(this.#head, null, ofNode);
      clone.#headers = new Headers(this.headers);
      return clone as unknown as globalThis.Response;
    }

    #take(): ReceivedBody | undefined {
      if (this.#ofNode || this.#isTaken || this.#received === undefined) return undefined;
      this.#isTaken = true;
      return this.#received;
    }

    #bytesOf(body: ReceivedBody): readonly Buffer[] | Promise<readonly Buffer[]> {
      return body.isOver ? body.takeAll() : body.readWhole();
    }

    /** A `Response` of Node with the same body. If the body was taken, its methods say so. */
    #nodeResponse(): NodeResponse {
      if (this.#ofNode) return this.#ofNode;
      const stream = this.#received && streamOf(this.#isTaken ? emptyBody() : this.#received, this);
      const ofNode = this.#createOfNode((stream ?? null) as Content);
      if (this.#isTaken) void ofNode.text();
      return (this.#ofNode = ofNode);
    }

    #createOfNode(body: Content): NodeResponse {
      const headers = this.#headers ?? this.#head.headers();
      // No code sees this status and this text. A server may send a status that the class of Node refuses.
      const ofNode = new Base(body, { status: 200, statusText: '', headers });
      this.#headers ??= ofNode.headers;
      return ofNode;
    }

    static readonly ofNode = (response: Response): NodeResponse => response.#nodeResponse();
  };
  const { ofNode } = Own;
  Reflect.deleteProperty(Own, 'ofNode');
  return likeBase(Own as unknown as OurClass, Base, ofNode as OfNode);
}

/** Makes the class a subclass of `Response`, with the same members. Its constructor does not call the one of `Response`. */
function likeBase(own: OurClass, base: typeof Response, ofNode: OfNode): OurClass {
  const prototype = own.prototype as object;
  const members = Object.getOwnPropertyDescriptors(base.prototype);
  for (const [name, member] of Object.entries(members)) {
    const ours =
      Object.getOwnPropertyDescriptor(prototype, name) ?? leftToNode(name, 'get' in member, ofNode);
    // Code that makes a new response with `answer.constructor` gets one of Node.
    const changed = name === 'constructor' ? { value: base } : {};
    const { enumerable = false } = member;
    Object.defineProperty(prototype, name, { ...ours, ...changed, enumerable, configurable: true });
  }
  Object.setPrototypeOf(prototype, base.prototype);
  Object.setPrototypeOf(own, base);
  return own;
}

/** `body`, `blob()` and the other members that this file does not have, also those of later versions of Node. */
function leftToNode(name: string, isGetter: boolean, ofNode: OfNode): PropertyDescriptor {
  if (isGetter)
    return {
      get(this: unknown): unknown {
        return Reflect.get(ofNode(this), name);
      },
    };
  const method = function (this: unknown, ...given: unknown[]): unknown {
    const response = ofNode(this);
    return Reflect.apply(Reflect.get(response, name) as () => unknown, response, given);
  };
  Object.defineProperty(method, 'name', { value: name });
  return { value: method, writable: true };
}

function emptyBody(): ReceivedBody {
  const body = new ReceivedBody({ resume: () => {}, closed: () => {} });
  body.push(null);
  return body;
}

/** Node itself removes a byte order mark, because its versions differ in what they do with a second one. */
function textOf(chunks: readonly Buffer[]): string | Promise<string> {
  const bytes = joined(chunks);
  const text = bytes.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? new Response(bytes).text() : text;
}
