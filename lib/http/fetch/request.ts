import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings } from '../../config/options/profile.js';
import type { BaseAddress } from '../../net/base-address.js';
import { IDENTITY, type TokenIdentity } from '../../token/token-identity.js';
import { CONNECTION_HEADERS, HTTP_TOKEN } from '../../values/http-text.js';
import { isObject, memberOf } from '../../values/objects.js';
import { type FetchBody, readBody } from './body.js';

/** What a caller asked for, with all its parts checked as `fetch` checks them. */
export interface FetchRequest {
  readonly url: string;
  /** Whether the URL came from a `URL` or a `Request`: such a URL is never joined to the base URL. */
  readonly isWholeUrl: boolean;
  readonly method: string;
  readonly headers: Iterable<readonly [name: string, value: string]> | undefined;
  readonly body: FetchBody | undefined;
  /** The body of a `Request`, which is not read yet. Undefined if `init` has a body. */
  readonly unread: object | undefined;
  readonly signal: AbortSignal | undefined;
  readonly redirect: string;
}

/** A `Request` of this process, of another realm or of a package. Such classes have no common base. */
type RequestLike = Pick<Request, 'url' | 'method' | 'headers' | 'body' | 'bodyUsed' | 'signal' | 'redirect'>;

const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);

const REDIRECT_MODES = new Set(['follow', 'manual', 'error']);

/** Throws a `TypeError` for what `fetch` refuses too. An `init` without a member leaves that member of the `Request` as it is. */
export function readFetchRequest(input: unknown, init: RequestInit): FetchRequest {
  // `urls.map(fetch)` passes the index.
  if (!isObject(init)) throw new TypeError('The second argument of fetch must be an object.');
  const request = isRequest(input) ? input : undefined;
  const given = (name: keyof RequestInit): unknown => memberOf(init, name);
  refuseDispatcher(given('dispatcher'));
  const method = methodOf(given('method') ?? request?.method ?? 'GET');
  const body = readBody(given('body'));
  if (body === undefined && request?.bodyUsed)
    throw new TypeError('The body of this Request was read before.');
  const unread = body === undefined ? (request?.body ?? undefined) : undefined;
  if ((body ?? unread) !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new TypeError(`A request with the method ${method} cannot have a body.`);
  const redirect = (given('redirect') ?? request?.redirect ?? 'follow') as string;
  const signal = given('signal');
  if (!REDIRECT_MODES.has(redirect))
    throw new TypeError("The option redirect must be 'follow', 'manual' or 'error'.");
  const url = isUrl(input) ? input.href : undefined;
  return {
    // As with `fetch`, a symbol is a `TypeError`.
    url: request?.url ?? url ?? ''.concat(input as string),
    isWholeUrl: (request ?? url) !== undefined,
    method,
    headers: headersOf(given('headers') ?? request?.headers),
    body,
    unread,
    signal: signal === undefined ? signalOfRequest(request) : signalOf(signal),
    redirect,
  };
}

/** By shape: `instanceof` fails for a `Request` of another undici (nodejs/undici#3071). */
function isRequest(input: unknown): input is RequestLike {
  return isObject(input) && ['url', 'method'].every((name) => typeof memberOf(input, name) === 'string');
}

function isUrl(input: unknown): input is { readonly href: string } {
  return isObject(input) && typeof memberOf(input, 'href') === 'string';
}

function methodOf(given: unknown): string {
  const method = String(given).toUpperCase();
  if (!HTTP_TOKEN.test(method)) throw new TypeError('The method is not a valid HTTP method.');
  if (FORBIDDEN_METHODS.has(method)) throw new TypeError(`The method ${method} is not allowed in fetch.`);
  return method;
}

/** A copy, because the caller may change the headers while the body of a `Request` is read. */
function headersOf(given: unknown): FetchRequest['headers'] {
  if (given === undefined || given === null) return undefined;
  return given instanceof Headers ? [...given] : new Headers(given as Record<string, string>);
}

function signalOf(given: unknown): AbortSignal | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isObject(given) || typeof Reflect.get(given, 'addEventListener') !== 'function')
    throw new TypeError('The option signal must be an AbortSignal.');
  return given as AbortSignal;
}

/**
 * The signal of a `Request` follows the signal of the caller only until the `Request` is garbage (seen with Node 20). While a
 * call keeps the one, it keeps the other.
 */
const followers = new WeakMap<AbortSignal, RequestLike>();

function signalOfRequest(request: RequestLike | undefined): AbortSignal | undefined {
  const signal = signalOf(request?.signal);
  if (request && signal) followers.set(signal, request);
  return signal;
}

/** Ignoring a dispatcher would lose its proxy and its certificates. */
function refuseDispatcher(dispatcher: unknown): void {
  if (dispatcher === undefined || dispatcher === null) return;
  throw new TypeError(
    'This fetch takes no dispatcher, because the module makes its connections. Set http.proxy, http.httpsAgent or http.transport in the options of the module.',
  );
}

export interface ConfigSettings {
  readonly base: BaseAddress;
  readonly baseUrl: string;
  readonly http: Pick<HttpSettings, 'maxRedirects' | 'headers'>;
}

/** The request as the engine takes it. */
export function configOf(
  { base, baseUrl, http }: ConfigSettings,
  request: FetchRequest,
  body: FetchBody | undefined,
  timeout: number,
  identity: TokenIdentity | undefined,
): InternalAxiosRequestConfig {
  const { url, isWholeUrl, method, signal, redirect } = request;
  const path = isWholeUrl ? pathUnder(baseUrl, url) : undefined;
  // Written out: V8 makes a literal with a spread much slower, and each `fetch` makes one.
  const config = {
    url: path ?? url,
    // Another whole address is never joined: `new URL('data:x')` must not become a path.
    baseURL: isWholeUrl && path === undefined ? undefined : baseUrl,
    // As axios writes it: mock libraries look it up in this form.
    method: method.toLowerCase(),
    headers: headersFor(request, body, http.headers),
    data: body?.data,
    timeout,
    signal,
    // A body that is read once cannot be sent to a second address.
    maxRedirects: redirect === 'follow' && !body?.isStreamed ? http.maxRedirects : 0,
    maxContentLength: -1,
    maxBodyLength: -1,
    responseType: 'stream',
    validateStatus: null,
    [IDENTITY]: identity,
  } as object as InternalAxiosRequestConfig;
  // As axios does: a polluted prototype adds no member. With `__proto__` in the literal, V8 reads each member more slowly.
  Object.setPrototypeOf(config, null);
  // As `fetch` does. An address outside of the base URL shows no credentials: it is refused later, with its own error.
  if (url.includes('@') && base.resolve(config).credentials)
    throw new TypeError('The address has a user name or a password. Set the header Authorization instead.');
  return config;
}

/** The path of an address that is plainly under the base URL: it is checked faster, and a mock of the path answers it, too. */
function pathUnder(baseUrl: string, url: string): string | undefined {
  const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : '';
  return path.startsWith('/') && path[1] !== '/' ? path : undefined;
}

function headersFor(
  { headers: given = [] }: FetchRequest,
  body: FetchBody | undefined,
  defaults: HttpSettings['headers'] = {},
): AxiosHeaders {
  const headers = new AxiosHeaders();
  for (const [name, value] of given) {
    // `fetch` lets no caller set these headers. The length of a body in memory is known: another value would let the server
    // read a second request in the body.
    const isOurs = CONNECTION_HEADERS.has(name) || (name === 'content-length' && !body?.isStreamed);
    if (!isOurs) headers[name] = value;
  }
  for (const name of Object.keys(defaults)) {
    const key = name.toLowerCase();
    // The boundary of a form is in its own type.
    const isOfForm = key === 'content-type' && body?.type?.startsWith('multipart/') === true;
    if (!isOfForm && !Object.hasOwn(headers, key)) headers[key] = defaults[name] as string;
  }
  if (!Object.hasOwn(headers, 'accept')) headers['accept'] = '*/*';
  if (body?.type !== undefined && !Object.hasOwn(headers, 'content-type'))
    headers['content-type'] = body.type;
  return headers;
}
