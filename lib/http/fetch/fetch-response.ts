import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { UNFIT_FOR_HEADER } from '../../values/header-value.js';
import { HTTP_TOKEN } from '../../values/http-token.js';
import { isObject } from '../../values/is-object.js';
import type { RequestSnapshot } from '../redaction/clean-request.js';
import { discardStream } from '../redaction/sealed-stream.js';

const WITHOUT_BODY = new Set([204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

interface Facts {
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
}

type Content = ConstructorParameters<typeof Response>[0];

/** The class of Node, without the members that we replace. */
type BaseClass = new (body: Content, init: ResponseInit) => { clone(): Response };
type OurClass = new (body: Content, init: ResponseInit, facts: Facts) => Response;

let ourClass: OurClass | undefined;

/**
 * Made at the first call, because the first use of `Response` makes Node load its `fetch` (B14). Our own class, because
 * a `Response` that code makes has no `url`, and takes no status outside of 200 to 599.
 */
function getResponseClass(): OurClass {
  if (ourClass !== undefined) return ourClass;
  const { Response: Base } = globalThis as unknown as { readonly Response: BaseClass };
  // Errors and `inspect` show this name.
  const Own = class Response extends Base {
    readonly #facts: Facts;

    constructor(body: Content, init: ResponseInit, facts: Facts) {
      super(body, init);
      this.#facts = facts;
      const { status } = facts;
      if (status !== init.status)
        Object.defineProperties(this, { status: { value: status }, ok: { value: false } });
    }

    get url(): string {
      return this.#facts.url;
    }

    get redirected(): boolean {
      return this.#facts.redirected;
    }

    get type(): string {
      return 'basic';
    }

    /** The clone of Node has the class of Node. */
    override clone(): globalThis.Response {
      const { body, statusText, headers } = super.clone();
      const init = { status: stored(this.#facts.status), statusText, headers };
      return new (getResponseClass())(body, init, this.#facts);
    }
  };
  return (ourClass = Own as unknown as OurClass);
}

/** A status that the class of Node takes. A server may send 600 to 999. */
function stored(status: number): number {
  return status >= 200 && status <= 599 ? status : 200;
}

/** The answer of the request path as a `Response`. */
export function createResponse(
  answer: AxiosResponse<unknown>,
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
  redirected: boolean,
): Response {
  const { status } = answer;
  const statusText = UNFIT_FOR_HEADER.test(answer.statusText ?? '') ? '' : answer.statusText;
  const headers = headersOf(answer);
  const body = hasNoBody(status, config) ? withoutBody(answer, headers) : bodyOf(answer, headers);
  const facts = { url: urlOf(answer, config, base), redirected, status };
  return new (getResponseClass())(body, { status: stored(status), statusText, headers }, facts);
}

function hasNoBody(status: number, { method }: InternalAxiosRequestConfig): boolean {
  return method === 'head' || status < 200 || WITHOUT_BODY.has(status);
}

/** The end of such an answer is read ahead, which frees the connection. Only a 205 can have a body, against the rules. */
function withoutBody({ status, data }: AxiosResponse<unknown>, headers: Pair[]): null {
  if (status === 205 && headerOf(headers, 'content-length') !== '0') discardStream(data);
  return null;
}

/** An adapter of a mock library may answer with text, bytes or the object that the JSON would be. */
function bodyOf({ data }: AxiosResponse<unknown>, headers: Pair[]): Content {
  if (data === undefined || data === null) return null;
  const isSendable = typeof data === 'string' || ArrayBuffer.isView(data) || SENDABLE.has(tagOf(data));
  if (isSendable) return data as Content;
  if (headerOf(headers, 'content-type') === undefined) headers.push(['content-type', 'application/json']);
  return JSON.stringify(data);
}

const SENDABLE = new Set(['ReadableStream', 'Blob', 'File', 'ArrayBuffer', 'FormData', 'URLSearchParams']);

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

type Pair = [name: string, value: string];

/** Without headers that `Headers` refuses: a redacted name is no name of a header, and a mock may invent anything. */
function headersOf({ headers }: AxiosResponse<unknown>): Pair[] {
  const pairs: Pair[] = [];
  const received: Readonly<Record<string, unknown>> = headers ?? {};
  for (const name of Object.keys(received)) {
    const value = received[name];
    if (value === undefined || value === null || !HTTP_TOKEN.test(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      const text = String(one);
      if (!UNFIT_FOR_HEADER.test(text)) pairs.push([name, text]);
    }
  }
  return pairs;
}

function headerOf(pairs: readonly Pair[], name: string): string | undefined {
  return pairs.find(([one]) => one.toLowerCase() === name)?.[1];
}

/** The address of the last hop. The adapter of a mock library shows no request: then the address that was resolved. */
function urlOf(
  { request }: AxiosResponse<unknown>,
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
): string {
  const { res }: Partial<RequestSnapshot> = isObject(request) ? request : {};
  return res?.responseUrl ?? base.origin + base.resolve(config).path;
}
