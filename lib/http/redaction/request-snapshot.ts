import { parsedUrl } from '../../net/parsed-url.js';
import type { CallTrace } from './call-trace.js';

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

/** The call to which a request belongs. */
type AskedCall = Pick<CallTrace, 'config' | 'address'>;

/** Of a call of which no adapter has shown a request: the address that was resolved for the call. */
export function snapshotOfCall(call: AskedCall, statusCode?: number): RequestSnapshot {
  return ofCall(methodOf(call), call, statusCode);
}

/** Of a request that an adapter made. After redirects it shows where the answer came from. */
export function snapshotOfRequest(request: object, call: AskedCall, statusCode?: number): RequestSnapshot {
  const seen: SeenRequest = request;
  const method = typeof seen.method === 'string' ? seen.method : methodOf(call);
  const { host, path } = seen;
  const whole = seen.res?.responseUrl ?? seen[CURRENT_URL] ?? seen.url;
  const url = typeof whole === 'string' ? parsedUrl(whole) : undefined;
  if (url !== undefined) {
    // The user name and the password are the caller's secret, and are left out.
    const { origin, hostname, pathname, search } = url;
    return frozen({ method, host: hostname, path: pathname + search, origin, statusCode });
  }
  // The common case, `maxRedirects: 0`, needs no URL parser.
  if (typeof host !== 'string' || typeof path !== 'string') return ofCall(method, call, statusCode);
  const origin = `${String(seen.protocol)}//${seen.getHeader?.('host') ?? host}`;
  return frozen({ method, host, path, origin, statusCode });
}

function ofCall(method: string, { address }: AskedCall, statusCode?: number): RequestSnapshot {
  const { hostname: host = '', origin = '' } = address?.base ?? {};
  return frozen({ method, host, path: address?.path ?? '', origin, statusCode });
}

interface Parts {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly origin: string;
  readonly statusCode: number | undefined;
}

function frozen({ method, host, path, origin, statusCode }: Parts): RequestSnapshot {
  if (statusCode === undefined) return Object.freeze({ method, host, path });
  const res = Object.freeze({ responseUrl: origin + path, statusCode });
  return Object.freeze({ method, host, path, res });
}

function methodOf({ config }: AskedCall): string {
  return (config.method ?? 'get').toUpperCase();
}
