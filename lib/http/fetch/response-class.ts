import { unpooled } from '../../secrets/unpooled-buffer.js';
import { BYTE_ORDER_MARK } from '../../values/http-text.js';
import { joined } from '../../wire/answer-reader.js';
import { ReceivedBody } from '../../wire/received-body.js';
import { streamOf } from './body-stream.js';

export type Content = ConstructorParameters<typeof Response>[0];
type Init = ConstructorParameters<typeof Response>[1];

/** What no code can give to a `Response` of Node. */
export interface ResponseFacts {
  readonly url: string;
  readonly redirected: boolean;
}

/** The types of Node declare these members as properties, which a class could not override. */
interface Overridden {
  get url(): string;
  get redirected(): boolean;
  get type(): Response['type'];
  text(): Promise<string>;
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
type NodeClass = new (content: Content, init: Init) => Omit<Response, keyof Overridden> & Overridden;

type OurClass = new (content: Content | ReceivedBody, init: Init, facts: ResponseFacts) => Response;

let ourClass: OurClass | undefined;

/** Made at the first call: the first use of `Response` makes Node load its `fetch` (B14). */
export function getResponseClass(): OurClass {
  return (ourClass ??= createResponseClass());
}

function createResponseClass(): OurClass {
  const Base = globalThis.Response as unknown as NodeClass;
  // `inspect` shows this name.
  return class Response extends Base {
    readonly #facts: ResponseFacts;
    readonly #received: ReceivedBody | undefined;
    readonly #stream: Content;

    static {
      // Code that makes a new response with `answer.constructor` gets one of Node.
      Object.defineProperty(this.prototype, 'constructor', { value: Base });
    }

    constructor(content: Content | ReceivedBody, init: Init, facts: ResponseFacts) {
      const received = content instanceof ReceivedBody ? content : undefined;
      const stream = content instanceof ReceivedBody ? streamOf(content) : content;
      super(stream, init);
      this.#facts = facts;
      this.#received = received;
      this.#stream = stream;
    }

    override get url(): string {
      return this.#facts.url;
    }

    override get redirected(): boolean {
      return this.#facts.redirected;
    }

    override get type(): 'basic' {
      return 'basic';
    }

    override async text(): Promise<string> {
      const bytes = this.#take();
      return bytes ? textOf(bytes) : super.text();
    }

    override async json(): Promise<unknown> {
      const bytes = this.#take();
      if (bytes === undefined) return super.json();
      const text = textOf(bytes);
      return JSON.parse(typeof text === 'string' ? text : await text);
    }

    override async arrayBuffer(): Promise<ArrayBuffer> {
      const bytes = this.#take();
      return bytes ? (unpooled(bytes).buffer as ArrayBuffer) : super.arrayBuffer();
    }

    /** The bytes, if all have arrived and the stream is as it was made: to read them through it takes far longer. */
    #take(): Buffer | undefined {
      const { body } = this;
      if (body === null || body !== this.#stream || !this.#received?.isOver) return undefined;
      if (body.locked || this.bodyUsed) return undefined;
      const reader = body.getReader();
      try {
        return joined(this.#received.takeAll());
      } finally {
        void reader.cancel();
      }
    }
  };
}

/** Node itself removes a byte order mark, because its versions differ in what they do with a second one. */
function textOf(bytes: Buffer): string | Promise<string> {
  const text = bytes.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? new Response(bytes).text() : text;
}
