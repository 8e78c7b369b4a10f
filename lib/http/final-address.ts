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

/** A percent sign, encoded any number of times. */
const P = '%(?:25)*';

/**
 * The ways to write a character of a path that decoders of servers accept: percent-encoded, in more bytes than UTF-8
 * needs, as `%u002e`, and as a full-width or compatibility character that is normalised to it.
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
 * A path as servers may read it that decode once or more, drop `;parameters` or merge slashes before they walk the dot
 * segments: `..%2f`, `%252e%252e/`, `..;/` and `//..%2f` climb there, though not for the URL parser.
 */
function walked(path: string, origin: string): string {
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
