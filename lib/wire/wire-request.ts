import axios, { type AxiosResponse, type CancelToken, type InternalAxiosRequestConfig } from 'axios';
import zlib from 'node:zlib';

/** A request that is ready to be sent: its address and its headers were checked, and its body is in memory. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** A name, its value, the next name, and so on. */
  readonly headers: string[];
  readonly body: Buffer | null;
  /** What the result shows. It decides about the answer: `validateStatus`, `responseType`, `maxContentLength`. */
  readonly config: InternalAxiosRequestConfig;
  /** Ends the request with the call, which watches the `timeout`, the `signal` and the `cancelToken` of the config. */
  readonly cancellation: CancelToken;
}

/**
 * Gets the result that axios' http adapter would give. With the response type `stream`, it comes with the head of the answer,
 * and `data` is a `ReceivedBody`.
 */
export interface ResultSink {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** Sends requests without an adapter, see `lib/http/direct`. */
export interface DirectSender {
  /** Whether the responses hold no real request, and no memory that they share with other requests. */
  readonly givesCleanResponses: boolean;
  accepts(method: string, body: Buffer | null): boolean;
  send(request: WireRequest, result: ResultSink): void;
}

/** What only the connections of `undiciTransport()` have. */
export interface DirectConnection {
  readonly directSender?: DirectSender;
  /** Whether the environment names a proxy. */
  readonly hasProxy?: boolean;
}

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
 * Adds to the list of a direct request what axios' http adapter adds, in its order.
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
