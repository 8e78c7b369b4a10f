import type { InternalAxiosRequestConfig } from 'axios';
import { type BaseAddress, isSendablePath, pathWithParams } from '../../net/base-address.js';
import { HTTP_TOKEN } from '../../values/http-text.js';
import { requestBody, type WireBody } from './request-body.js';
import { requestHeaders } from './request-headers.js';

export interface GeneralRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: WireBody['content'];
}

export interface Conditions {
  readonly speaksH2: boolean;
  readonly hasProxy: boolean;
}

/** The methods with which undici 7 sends a body over HTTP/2, and the length of an empty body. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Undefined if the pool cannot do what the request asks for, or if the request is malformed: then axios sends or refuses it. */
export function generalRequest(
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
  conditions: Conditions,
): GeneralRequest | undefined {
  if (asksForMore(config, conditions)) return undefined;
  try {
    const method = config.method?.toUpperCase() ?? '';
    const address = base.addressOf(config);
    if (address.verdict !== 'UNDER_BASE_URL' || address.hasCredentials) return undefined;
    const path = pathWithParams(address, config);
    const isTimeoutRead = !config.timeout || !Number.isNaN(Number.parseInt(String(config.timeout), 10));
    if (!isSendablePath(path) || !isTimeoutRead) return undefined;
    if (method === 'CONNECT' || !HTTP_TOKEN.test(method)) return undefined;
    const body = requestBody(config);
    if (body === undefined) return undefined;
    if (!fits(method, body.content, conditions.speaksH2)) return undefined;
    if (exceeds(config.maxBodyLength, body)) return undefined;
    const headers = requestHeaders(config, body, base.host);
    return headers && { method, path, headers, body: body.content };
  } catch {
    return undefined;
  }
}

/** Whether undici sends this body with this method. With another method, undici leaves out the length of an empty body. */
export function fits(method: string, content: WireBody['content'], speaksH2: boolean): boolean {
  if (content === null) return true;
  if (speaksH2 && !fitsH2(method, content)) return false;
  return !Buffer.isBuffer(content) || content.length > 0 || METHODS_WITH_BODY.has(method);
}

/**
 * Workaround: over HTTP/2, undici 7 sends a body only with a few methods (observed in undici 7.30.2, not in 8.12.4). It sends
 * a streamed body only after all other requests on the connection have ended (nodejs/undici#5524, fixed by #5538 in 8.8.0).
 * axios sends such requests instead. `test/e2e/undici/conformance.spec.ts` ("DELETE with JSON") and
 * `test/e2e/undici/transport.spec.ts` ("a streamed body waits …") show it. Remove this function when the peer range begins
 * with 8.8.0.
 */
function fitsH2(method: string, content: WireBody['content']): boolean {
  return METHODS_WITH_BODY.has(method) && Buffer.isBuffer(content);
}

/** axios counts the bytes of a stream under a limit, and writes the error for a body that exceeds the limit. */
function exceeds(limit = -1, { content, length = Infinity }: WireBody): boolean {
  return limit > -1 && content !== null && length > limit;
}

/** Members of a config that axios reads, but its types do not declare. */
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
