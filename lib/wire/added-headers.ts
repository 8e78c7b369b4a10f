import zlib from 'node:zlib';
import axios, { type InternalAxiosRequestConfig } from 'axios';

/** axios exports its version. Its types do not declare it. */
export const AXIOS_VERSION = Reflect.get(axios, 'VERSION');

const ENCODINGS = 'gzip, compress, deflate, br';
const ENCODINGS_WITH_ZSTD = 'createZstdDecompress' in zlib ? `${ENCODINGS}, zstd` : ENCODINGS;

/** The headers that axios' http adapter adds to a request, unless the request has them. */
export const USER_AGENT = `axios/${AXIOS_VERSION}`;

export function acceptedEncodings({
  transitional,
}: Pick<InternalAxiosRequestConfig, 'transitional'>): string {
  const asked: unknown = transitional && Reflect.get(transitional, 'advertiseZstdAcceptEncoding');
  return asked === true ? ENCODINGS_WITH_ZSTD : ENCODINGS;
}

/**
 * Adds to the headers of a direct request what axios' http adapter adds, in its order. The list itself is changed.
 *
 * @param length undefined if the transport adds `Content-Length` itself.
 */
export function completeHeaders(
  headers: string[],
  config: Pick<InternalAxiosRequestConfig, 'transitional'>,
  length?: number,
): string[] {
  let hasAgent = false;
  let hasEncodings = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    // The lengths first, because this runs for each header of each request.
    if (name.length === 10 && name.toLowerCase() === 'user-agent') hasAgent = true;
    else if (name.length === 15 && name.toLowerCase() === 'accept-encoding') hasEncodings = true;
  }
  if (!hasAgent) headers.push('User-Agent', USER_AGENT);
  if (length !== undefined) headers.push('Content-Length', String(length));
  if (!hasEncodings) headers.push('Accept-Encoding', acceptedEncodings(config));
  return headers;
}
