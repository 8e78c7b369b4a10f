import { Axios, type AxiosRequestConfig, type InternalAxiosRequestConfig } from 'axios';
import { isRecord, memberOf } from '../values/objects.js';
import { safely } from '../values/safely.js';
import { decodedText, parsedUrl } from './parsed-url.js';

/** What a comparison of an address with the base URL finds. The last two are also codes of `RequestRefusedError`. */
type Verdict = 'UNDER_BASE_URL' | 'OUTSIDE_BASE_URL' | 'INSECURE_URL';

interface AddressMembers {
  readonly url?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly allowAbsoluteUrls?: boolean | undefined;
}

/** The address of one request, resolved once: the same object decides whether the request may be sent, and where. */
export interface RequestAddress {
  readonly verdict: Verdict;
  /** Path and query as they are sent. The transport appends `params`. Empty if the verdict refuses the request. */
  readonly path: string;
  /** The user name and the password in the address. Then the request has its own credentials. */
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly from: AddressMembers;
}

/** A path and a query that cannot leave the base URL, and that no URL parser changes. Nearly every request has one. */
const PLAIN =
  /^\/?(?:[\w~!$&'()*+,;=@-][\w.~!$&'()*+,;=@-]*(?:\/[\w~!$&'()*+,;=@-][\w.~!$&'()*+,;=@-]*)*\/?)?(?:\?[!$-&(-;=?-~]+)?$/;

/** Joins as axios does, without the defaults that an application may have set on the global axios. */
const joiner = new Axios({});

/**
 * Resolves the address of a request once, for the check, for the transport and for what results show, so that all three
 * always agree (S6).
 */
export class BaseAddress {
  readonly origin: string;
  readonly url: URL;
  /** As in a `Host` header: with the port unless it is 443. */
  readonly host: string;
  readonly #url: string;
  readonly #pathname: string;
  /** What axios puts before a relative URL. */
  readonly #prefix: string;
  readonly #path: string;
  readonly #lenientPath: string;

  constructor(url: string) {
    const { origin, host, pathname } = new URL(url);
    this.origin = origin;
    this.url = new URL(origin);
    this.host = host;
    this.#url = url;
    this.#pathname = pathname;
    this.#prefix = new URL(joiner.getUri({ baseURL: url, url: '/' })).pathname;
    this.#path = withoutTrailingSlash(pathname);
    this.#lenientPath = withoutTrailingSlash(asLenientServerReads(pathname, this.origin));
  }

  /** By origin and by path segment (S6, S9). */
  resolve(config: InternalAxiosRequestConfig): RequestAddress {
    // A local socket is not under the base URL. TLS on such a socket does not check the name of the base URL.
    if (config.socketPath) return this.#address(config, 'OUTSIDE_BASE_URL');
    const plainPath = this.#plainPath(config);
    if (plainPath !== undefined) return this.#address(config, 'UNDER_BASE_URL', plainPath);
    const url = joined(config);
    if (url === undefined) return this.#address(config, 'OUTSIDE_BASE_URL');
    if (url.protocol !== 'https:') return this.#address(config, 'INSECURE_URL');
    if (!this.covers(url)) return this.#address(config, 'OUTSIDE_BASE_URL');
    return this.#address(config, 'UNDER_BASE_URL', url.pathname + url.search, credentialsIn(url));
  }

  /** Whether an address is under the base URL, also for a server that decodes the path before it resolves dot segments. */
  covers(address: URL): boolean {
    return (
      address.origin === this.origin &&
      holds(this.#path, address.pathname) &&
      holds(this.#lenientPath, asLenientServerReads(address.pathname, this.origin))
    );
  }

  get shown(): string {
    return this.origin + this.#path;
  }

  #plainPath({ baseURL, url }: AddressMembers): string | undefined {
    if (baseURL !== this.#url) return undefined;
    if (url === undefined || url === '') return this.#pathname;
    if (typeof url !== 'string' || !PLAIN.test(url)) return undefined;
    return this.#prefix + (url.startsWith('/') ? url.slice(1) : url);
  }

  #address(
    from: AddressMembers,
    verdict: Verdict,
    path = '',
    credentials?: RequestAddress['credentials'],
  ): RequestAddress {
    const { url, baseURL, allowAbsoluteUrls } = from;
    return { verdict, path, credentials, from: { url, baseURL, allowAbsoluteUrls } };
  }
}

const LONGEST_SHOWN_PATH = 200;

/** A token or a name with a password may stand in a path. Segments that are long or have these characters are not shown. */
const LONGEST_SHOWN_SEGMENT = 20;
const UNSHOWN = /[%@:]/;

/** `//other.example` has the scheme of the page in a browser, and none here. */
export function isSchemeless({ from: { url } }: Pick<RequestAddress, 'from'>): boolean {
  return typeof url === 'string' && url.startsWith('//');
}

/** Origin and path of an address, without what may be secret. Undefined if it is no whole address. */
export function shownAddress({ from }: RequestAddress): string | undefined {
  const url = joined(from) ?? (isSchemeless({ from }) ? parsedUrl(`https:${from.url}`) : undefined);
  if (url === undefined) return undefined;
  const path = url.pathname
    .split('/')
    .map((segment) => (segment.length > LONGEST_SHOWN_SEGMENT || UNSHOWN.test(segment) ? '…' : segment))
    .join('/');
  return `${url.origin}${path.length > LONGEST_SHOWN_PATH ? `${path.slice(0, LONGEST_SHOWN_PATH)}…` : path}`;
}

export function pathWithParams({ path }: RequestAddress, config: InternalAxiosRequestConfig): string {
  const params = memberOf(config, 'params');
  if (!params) return path;
  const { paramsSerializer } = config;
  const query = paramsSerializer ? undefined : plainQuery(params);
  if (query !== undefined) return query === '' ? path : path + (path.includes('?') ? '&' : '?') + query;
  return joiner.getUri({ url: path, params, ...(paramsSerializer && { paramsSerializer }) });
}

const UNSENDABLE = /[^\u0021-\u00ff]/;

/** Whether a path with its query can stand in the first line of a request. */
export function isSendablePath(path: string): boolean {
  return !UNSENDABLE.test(path);
}

/** Names and texts that axios writes as they are. axios leaves out a member that is named like a part of a class. */
const PLAIN_NAME = /^(?!(?:__proto__|constructor|prototype)$)[\w.-]+$/;
const PLAIN_TEXT = /^[\w.-]*$/;

/** The query for params that need no encoding, without the work of axios. Undefined for all other params. */
function plainQuery(params: unknown): string | undefined {
  if (!isRecord(params) || Object.getPrototypeOf(params) !== Object.prototype) return undefined;
  let query = '';
  for (const name of Object.keys(params)) {
    const value = params[name];
    if (value === undefined || value === null) continue;
    if (!PLAIN_NAME.test(name) || !isPlainValue(value)) return undefined;
    query += `${query === '' ? '' : '&'}${name}=${value}`;
  }
  return query;
}

function isPlainValue(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return PLAIN_TEXT.test(value);
  return typeof value === 'boolean' || Number.isSafeInteger(value);
}

function holds(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** The address that axios requests, without `params`; undefined if the members make no address. */
function joined({ baseURL, url, allowAbsoluteUrls }: AddressMembers): URL | undefined {
  const members = { baseURL, url, allowAbsoluteUrls } as AxiosRequestConfig;
  return safely(() => new URL(joiner.getUri(members)), undefined);
}

function credentialsIn({ username, password }: URL): RequestAddress['credentials'] {
  if (username === '' && password === '') return undefined;
  return { username: decodedText(username), password: decodedText(password) };
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A percent sign, encoded any number of times. */
const P = '%(?:25)*';

/**
 * The ways to write a character of a path that decoders of servers accept: percent-encoded, in more bytes than UTF-8 needs,
 * as `%u002e`, and as a compatibility character.
 */
function written(ways: string): RegExp {
  return new RegExp(ways.replaceAll('%', P), 'gi');
}
const TWO_DOTS = written('%e2%80%a5|%u2025');
const DOT = written(
  '%2e|%c0%ae|%e0%80%ae|%f0%80%80%ae|%u002e|%ef%bc%8e|%uff0e|%e2%80%a4|%u2024|%ef%b9%92|%ufe52',
);
const SLASH = written('%2f|%c0%af|%e0%80%af|%f0%80%80%af|%u002f|%ef%bc%8f|%uff0f');
const BACKSLASH = written('%5c|%c1%9c|%e0%81%9c|%f0%80%81%9c|%u005c|%ef%bc%bc|%uff3c|%ef%b9%a8|%ufe68');
const SEMICOLON = written('%3b|%c0%bb|%u003b|%ef%bc%9b|%uff1b');

/**
 * A path as servers read it that decode it, drop `;parameters` or merge slashes before they walk the dot segments: `..%2f`,
 * `%252e%252e/`, `..;/` and `//..%2f` climb there, though not for the URL parser.
 */
function asLenientServerReads(path: string, origin: string): string {
  const decoded = path
    .replaceAll(TWO_DOTS, '..')
    .replaceAll(DOT, '.')
    .replaceAll(SLASH, '/')
    .replaceAll(BACKSLASH, '/')
    .replaceAll(SEMICOLON, ';')
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/{2,}/g, '/');
  return new URL(decoded, origin).pathname;
}
