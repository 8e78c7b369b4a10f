import { Readable } from 'node:stream';
import { AxiosError, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { errorCode } from '../../errors/error-code.js';
import { isParseError, parseError } from './parse-error.js';

/** Where a failure happened. */
export interface FailedRequest {
  readonly config: InternalAxiosRequestConfig;
  readonly request: object;
  /** The origin's host and port, for a connection that was never made. */
  readonly host: string;
  /** The body of the request. */
  readonly body: unknown;
}

const CLOSED = ['ERR_NETWORK', 'The connections are closed: the application is ending.'] as const;

/** Code and message that Node's http has for an error of undici. */
const NODE_ERRORS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  UND_ERR_HEADERS_OVERFLOW: ['HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'HPE_UNEXPECTED_CONTENT_LENGTH',
    'Parse Error: Content-Length does not match',
  ],
  UND_ERR_DESTROYED: CLOSED,
  UND_ERR_CLOSED: CLOSED,
};

/** Before an answer came: what axios' http adapter would reject with. */
export function requestFailure(error: unknown, failed: FailedRequest): Error {
  const { config, request, host } = failed;
  return (
    uploadDestroyed(error, failed) ?? AxiosError.from(asNodeError(error, host), undefined, config, request)
  );
}

/** Answers that end with their headers, whatever `Content-Length` says: RFC 9110, section 8.6. */
const WITHOUT_BODY = new Set([204, 304]);

/**
 * Workaround: after a 204 or a 304 with a `Content-Length`, undici waits for no body, and then fails because no body came
 * (nodejs/undici#254; seen in 7.0.0 to 8.12.4, over HTTP/1.1). The answer is whole. `test/e2e/undici/conformance.spec.ts`
 * shows when this function can go.
 */
export function isCompleteWithoutBody(error: unknown, status: number | undefined): boolean {
  return WITHOUT_BODY.has(status ?? 0) && errorCode(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/** While the body of an answer was on its way. */
export function bodyFailure(
  error: unknown,
  failed: FailedRequest,
  response: AxiosResponse,
  isDecoded: boolean,
): Error {
  const { config, request, host, body } = failed;
  const destroyed = uploadDestroyed(error, failed);
  if (destroyed) return destroyed;
  if (isParseError(error) || isErrorOf(body, error))
    return AxiosError.from(asNodeError(error, host), undefined, config, request);
  if (isDecoded) return AxiosError.from(connectionReset('aborted'), undefined, config, request, response);
  return new AxiosError('stream has been aborted', AxiosError.ERR_BAD_RESPONSE, config, request, response);
}

/** The same, to the reader of a stream. */
export function streamFailure(error: unknown, failed: FailedRequest): Error {
  const { host } = failed;
  const destroyed = uploadDestroyed(error, failed);
  if (destroyed) return destroyed;
  return NODE_ERRORS[errorCode(error) ?? ''] === CLOSED
    ? asNodeError(error, host)
    : connectionReset('aborted');
}

/** The caller destroyed the body of the request before its end. Nothing else makes undici say that a request was aborted. */
function uploadDestroyed(
  error: unknown,
  { config, request }: FailedRequest,
): CanceledError<unknown> | undefined {
  if (errorCode(error) !== 'UND_ERR_ABORTED') return undefined;
  return new CanceledError('Request stream has been aborted', config, request);
}

/** Whether the body of the request failed with this error. */
function isErrorOf(body: unknown, error: unknown): boolean {
  return body instanceof Readable && body.errored === error;
}

/**
 * An error that leads nowhere: undici's own hold sockets and bytes of the answer (B12). System errors, TLS errors and
 * those of the caller's body are as Node gives them to axios.
 */
function asNodeError(error: unknown, host: string): Error {
  if (isParseError(error)) return parseError(error);
  const code = errorCode(error) ?? '';
  const known = NODE_ERRORS[code];
  if (known) return errorWithCode(...known);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return errorWithCode('ETIMEDOUT', `connect ETIMEDOUT ${host}`);
  const isForeign = code.startsWith('UND_ERR') || code.startsWith('ERR_HTTP2');
  return isForeign || !(error instanceof Error) ? connectionReset('socket hang up') : error;
}

function connectionReset(message: string): Error {
  return errorWithCode('ECONNRESET', message);
}

function errorWithCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
