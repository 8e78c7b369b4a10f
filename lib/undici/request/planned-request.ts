import type { InternalAxiosRequestConfig } from 'axios';
import { type BaseAddress, pathWithParams } from '../../net/base-address.js';
import { requestBody } from './request-body.js';
import { requestHeaders, TOKEN } from './request-headers.js';
import { isStreamed, type WireBody } from './wire-body.js';

/** A request as undici's pool can make it. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: WireBody['content'];
  readonly timeoutMs: number;
}

export interface Conditions {
  readonly speaksH2: boolean;
  readonly hasProxy: boolean;
}

/** undici sends a body over HTTP/2 with these only. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** What cannot stand in the first line of a request. */
const UNSENDABLE = /[^\u0021-\u00ff]/;

/** Undefined when the request asks for something that the pool does not offer, or is not well-formed: axios will tell. */
export function plannedRequest(
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
  conditions: Conditions,
): PlannedRequest | undefined {
  if (asksForMore(config, conditions)) return undefined;
  try {
    const method = (config.method ?? 'get').toUpperCase();
    const address = base.addressOf(config);
    if (address.verdict !== 'UNDER_BASE_URL' || address.hasCredentials) return undefined;
    const path = pathWithParams(address, config);
    const timeoutMs = config.timeout ? Number.parseInt(String(config.timeout), 10) : 0;
    if (UNSENDABLE.test(path) || Number.isNaN(timeoutMs)) return undefined;
    if (method === 'CONNECT' || !TOKEN.test(method)) return undefined;
    const body = requestBody(config);
    if (body === undefined) return undefined;
    if (conditions.speaksH2 && !fitsH2(method, body)) return undefined;
    if (exceeds(config.maxBodyLength, body)) return undefined;
    const headers = requestHeaders(config, body, base.host);
    return headers && { method, path, headers, body: body.content, timeoutMs };
  } catch {
    return undefined;
  }
}

/** A streamed body would wait until no other request is under way on the connection. */
function fitsH2(method: string, body: WireBody): boolean {
  return body.content === null || (METHODS_WITH_BODY.has(method) && !isStreamed(body));
}

/** A stream under a limit is counted by axios, which also has the words for what exceeds it. */
function exceeds(limit = -1, { content, length = Infinity }: WireBody): boolean {
  return limit > -1 && content !== null && length > limit;
}

/** Members of a config that axios knows and its types do not. */
interface LittleKnown {
  readonly httpVersion?: unknown;
  readonly http2Options?: unknown;
}

function asksForMore(config: InternalAxiosRequestConfig & LittleKnown, { hasProxy }: Conditions): boolean {
  return Boolean(
    config.maxRedirects !== 0 ||
    config.proxy ||
    (hasProxy && config.proxy !== false) ||
    config.httpsAgent ||
    config.httpAgent ||
    config.onUploadProgress ||
    config.onDownloadProgress ||
    config.socketPath ||
    config.transport ||
    config.lookup ||
    config.family ||
    config.maxRate ||
    config.insecureHTTPParser ||
    config.http2Options ||
    (config.httpVersion ?? 1) !== 1,
  );
}
