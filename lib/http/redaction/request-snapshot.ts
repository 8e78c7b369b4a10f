import type { InternalAxiosRequestConfig } from 'axios';
import { parsedUrl } from '../../net/parsed-url.js';
import { addressOf } from '../final-address.js';

/**
 * What results show as `request`: the real one holds the token in a dozen places, and everything that its agent is doing
 * besides (B12).
 */
export interface RequestSnapshot {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly res?: { readonly responseUrl: string; readonly statusCode: number };
}

const PARTS = new Set(['method', 'host', 'path', 'res']);

/** Whether a transport gave a snapshot already: a frozen object with nothing else in it leads nowhere. */
export function isSnapshot(request: object): request is RequestSnapshot {
  return Object.isFrozen(request) && Reflect.ownKeys(request).every((part) => PARTS.has(String(part)));
}

/** Where follow-redirects keeps the address of the last hop. */
const CURRENT_URL = '_currentUrl';

/** The parts of the requests of `node:http`, of `follow-redirects` and of `fetch` that say where they went. */
interface SeenRequest {
  readonly method?: unknown;
  readonly protocol?: unknown;
  readonly host?: unknown;
  readonly path?: unknown;
  readonly res?: { readonly responseUrl?: unknown } | null;
  readonly url?: unknown;
  readonly [CURRENT_URL]?: unknown;
  readonly getHeader?: (name: string) => string | undefined;
}

/** Of a call that no adapter has shown a request for: what the caller asked for. */
export function snapshotOfCall(config: InternalAxiosRequestConfig): RequestSnapshot {
  return ofAddress(methodOf(config), addressOf(config));
}

/** Of a request that an adapter made; behind redirects it tells where the answer came from. */
export function snapshotOfRequest(
  request: object,
  config: InternalAxiosRequestConfig,
  statusCode?: number,
): RequestSnapshot {
  const seen: SeenRequest = request;
  const method = typeof seen.method === 'string' ? seen.method : methodOf(config);
  const { host, path } = seen;
  const whole = seen.res?.responseUrl ?? seen[CURRENT_URL] ?? seen.url;
  const address = typeof whole === 'string' ? parsedUrl(whole) : undefined;
  if (address !== undefined) return ofAddress(method, address, statusCode);
  // The common case, `maxRedirects: 0`, is put together without parsing anything.
  if (typeof host !== 'string' || typeof path !== 'string') {
    return ofAddress(method, addressOf(config), statusCode);
  }
  const authority = seen.getHeader?.('host') ?? host;
  return freeze(method, host, path, `${String(seen.protocol)}//${authority}${path}`, statusCode);
}

/** Userinfo is the caller's secret and left out. */
function ofAddress(method: string, address: URL | undefined, statusCode?: number): RequestSnapshot {
  if (address === undefined) return freeze(method, '', '', '', statusCode);
  const path = address.pathname + address.search;
  return freeze(method, address.hostname, path, address.origin + path, statusCode);
}

function freeze(
  method: string,
  host: string,
  path: string,
  responseUrl: string,
  statusCode: number | undefined,
): RequestSnapshot {
  if (statusCode === undefined) return Object.freeze({ method, host, path });
  return Object.freeze({ method, host, path, res: Object.freeze({ responseUrl, statusCode }) });
}

function methodOf({ method }: InternalAxiosRequestConfig): string {
  return (method ?? 'get').toUpperCase();
}
