export type Content = ConstructorParameters<typeof Response>[0];

/** What no code can give to a `Response` of Node. */
export interface Facts {
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
export function getResponseClass(): OurResponse {
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
