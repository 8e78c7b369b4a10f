import { AxiosError, AxiosHeaders, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { joined, unpooledConcat } from '../secrets/unpooled-buffer.js';
import { BYTE_ORDER_MARK } from '../values/chunks.js';
import { ReceivedBody } from './received-body.js';

/** The body of a response as axios gives it to `transformResponse`: bytes for the response type `arraybuffer`, else text. */
export function contentOf(
  chunks: readonly Buffer[],
  { responseType, responseEncoding }: InternalAxiosRequestConfig,
): Buffer | string {
  // A chunk shares its memory with the headers of the response, and these may repeat the token (B12).
  if (responseType === 'arraybuffer') return unpooledConcat(chunks);
  const text = joined(chunks).toString(responseEncoding as BufferEncoding | undefined);
  const mayHaveMark = !responseEncoding || responseEncoding === 'utf8';
  return mayHaveMark && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** A value that `AxiosHeaders` would store in another form. */
// eslint-disable-next-line no-control-regex -- AxiosHeaders removes these characters
const NEEDS_CARE = /[\u0000-\u0008\u000a-\u001f\u007f]|^[\t ]|[\t ]$/;

/**
 * Adds a received header, whose name is in lower case and not yet in the headers. So most headers are assigned directly:
 * `AxiosHeaders.set` would first search for another spelling of the name.
 */
export function addReceived(headers: AxiosHeaders, name: string, value: string | string[]): void {
  if (typeof value === 'string' && !NEEDS_CARE.test(value)) headers[name] = value;
  else headers.set(name, value);
}

/** The headers that axios makes of the headers of a response of `node:http`. */
export function headersOf(received: NodeJS.Dict<string | string[]>): AxiosHeaders {
  const headers = new AxiosHeaders();
  for (const name of Object.keys(received)) {
    const value = received[name];
    if (value !== undefined && name !== '__proto__') addReceived(headers, name, value);
  }
  return headers;
}

interface Settling {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** Resolves or rejects, as `validateStatus` of the caller decides. */
export function settleResponse(response: AxiosResponse, settling: Settling): void {
  const { status, config } = response;
  const request: unknown = response.request;
  try {
    if (!status || !config.validateStatus || config.validateStatus(status)) return settling.resolve(response);
  } catch (error) {
    // No code gets the body. Unread, it would keep its connection for ever.
    if (response.data instanceof ReceivedBody) response.data.cancel();
    return settling.reject(error);
  }
  const code = status >= 400 && status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
  settling.reject(
    new AxiosError(`Request failed with status code ${status}`, code, config, request, response),
  );
}
