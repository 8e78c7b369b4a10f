import type { InternalAxiosRequestConfig } from 'axios';
import { type BaseAddress, isSendablePath, pathWithParams } from '../../net/base-address.js';
import { HTTP_TOKEN } from '../../values/http-text.js';
import { requestBody, type WireBody } from './request-body.js';
import { requestHeaders } from './request-headers.js';
import { fits, type UndiciRequest } from './undici-exchange.js';

/** Undefined if the pool cannot do what the request asks for, or if the request is malformed: then axios sends or refuses it. */
export function generalRequest(
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
  hasProxy: boolean,
): Omit<UndiciRequest, 'config' | 'cancellation'> | undefined {
  if (asksForMore(config, hasProxy)) return undefined;
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
    if (!fits(method, body.content)) return undefined;
    if (exceeds(config.maxBodyLength, body)) return undefined;
    const headers = requestHeaders(config, body, base.host);
    return headers && { method, path, headers, body: body.content };
  } catch {
    return undefined;
  }
}

/** axios counts the bytes of a stream under a limit, and writes the error for a body that exceeds the limit. */
function exceeds(limit = -1, { content, length = Infinity }: WireBody): boolean {
  return limit > -1 && content !== null && length > limit;
}

/** With one of these options, if it is truthy, a request needs what the pool does not do. */
const FURTHER_OPTIONS = (
  'proxy httpsAgent httpAgent onUploadProgress onDownloadProgress socketPath transport lookup family maxRate ' +
  'insecureHTTPParser http2Options'
).split(' ');

function asksForMore(config: InternalAxiosRequestConfig, hasProxy: boolean): boolean {
  const { maxRedirects, proxy, httpVersion } = config;
  if (maxRedirects !== 0 || (hasProxy && proxy !== false) || (httpVersion ?? 1) !== 1) return true;
  return FURTHER_OPTIONS.some((name) => Boolean(Reflect.get(config, name)));
}
