import { Axios, type InternalAxiosRequestConfig } from 'axios';
import type { RequestRefusedErrorCode } from '../errors/request-refused.error.js';

/** What is found when the final address of a request is compared with the base URL. */
export type Verdict = 'under' | 'under, with credentials of its own' | RequestRefusedErrorCode;

/**
 * A path that cannot leave the base URL, whatever follows in its query: no scheme, no leading `//`, no segment that
 * begins with a dot, no escape, backslash, colon or control character. Nearly every request has one.
 */
const PLAIN_PATH =
  /^\/?(?:[\w~!$&'()*+,=@-][\w.~!$&'()*+,=@-]*(?:\/[\w~!$&'()*+,=@-][\w.~!$&'()*+,=@-]*)*\/?)?(?:[?#]|$)/;

/** Joins as axios does, and knows nothing of the defaults that an application may have put on the global axios. */
const joiner = new Axios({});

/** A base URL, and the question whether a request ends under it (S6, S9): by origin and by path segment. */
export class BaseAddress {
  readonly origin: string;
  /** As in a `Host` header: with the port unless it is 443. */
  readonly host: string;
  readonly #url: string;
  readonly #path: string;
  readonly #walkedPath: string;

  constructor(url: string) {
    const { origin, host, pathname } = new URL(url);
    this.origin = origin;
    this.host = host;
    this.#url = url;
    this.#path = withoutTrailingSlash(pathname);
    this.#walkedPath = withoutTrailingSlash(walked(pathname, this.origin));
  }

  judge(config: InternalAxiosRequestConfig): Verdict {
    // A local socket is not under the base URL, and TLS on it is checked against no name of it.
    if (config.socketPath) return 'OUTSIDE_BASE_URL';
    const { url } = config;
    if (config.baseURL === this.#url && (url === undefined || isPlain(url))) return 'under';
    const final = addressOf(config);
    if (final === undefined) return 'OUTSIDE_BASE_URL';
    if (final.protocol !== 'https:') return 'INSECURE_URL';
    if (!this.covers(final)) return 'OUTSIDE_BASE_URL';
    return final.username || final.password ? 'under, with credentials of its own' : 'under';
  }

  /** Whether an address lies under the base URL, also to a server that decodes its path before walking it. */
  covers(address: URL): boolean {
    return (
      address.origin === this.origin &&
      holds(this.#path, address.pathname) &&
      holds(this.#walkedPath, walked(address.pathname, this.origin))
    );
  }
}

function holds(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** The address that axios will ask, without `params`, which only ever follow a `?`; undefined when there is none. */
export function addressOf({ baseURL, url, allowAbsoluteUrls }: InternalAxiosRequestConfig): URL | undefined {
  try {
    return new URL(
      joiner.getUri({
        ...(baseURL !== undefined && { baseURL }),
        ...(url !== undefined && { url }),
        ...(allowAbsoluteUrls !== undefined && { allowAbsoluteUrls }),
      }),
    );
  } catch {
    return undefined;
  }
}

function isPlain(url: unknown): boolean {
  return typeof url === 'string' && PLAIN_PATH.test(url);
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/**
 * A path as servers may read it that decode once or more, drop `;parameters` or merge slashes before they walk the dot
 * segments: `..%2f`, `%252e%252e/`, `..;/` and `//..%2f` climb there, though not for the URL parser.
 */
function walked(path: string, origin: string): string {
  const decoded = path
    .replaceAll(/%(?:25)*2e/gi, '.')
    .replaceAll(/%(?:25)*(?:2f|5c)/gi, '/')
    .replaceAll(/%(?:25)*3b/gi, ';')
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/{2,}/g, '/');
  return new URL(decoded, origin).pathname;
}
