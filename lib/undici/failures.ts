import { AxiosError, CanceledError, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';

/** Where a failure happened. */
export interface FailedRequest {
  readonly config: InternalAxiosRequestConfig;
  readonly request: object;
  /** The origin's host and port, for a connection that was never made. */
  readonly host: string;
}

/** Errors that undici has of its own, in the words that Node's http has for them. */
const WORDS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  UND_ERR_HEADERS_OVERFLOW: ['HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'],
  UND_ERR_DESTROYED: ['ERR_NETWORK', 'The connections are closed: the application is ending.'],
  UND_ERR_CLOSED: ['ERR_NETWORK', 'The connections are closed: the application is ending.'],
};

/** Before an answer came: what axios' http adapter would reject with. */
export function requestFailure(error: unknown, { config, request, host }: FailedRequest): Error {
  const code = codeOf(error);
  // Nobody else aborts: the caller's own body ended before its end.
  if (code === 'UND_ERR_ABORTED')
    return new CanceledError('Request stream has been aborted', config, request);
  return AxiosError.from(inNodesWords(error, code, host), undefined, config, request);
}

/** While the body of an answer was on its way. */
export function bodyFailure(
  error: unknown,
  { config, request, host }: FailedRequest,
  response: AxiosResponse,
  isDecoded: boolean,
): AxiosError {
  const code = codeOf(error);
  if (isDecoded) return AxiosError.from(reset('aborted'), undefined, config, request, response);
  if (code.startsWith('HPE_'))
    return AxiosError.from(inNodesWords(error, code, host), undefined, config, request);
  return new AxiosError('stream has been aborted', AxiosError.ERR_BAD_RESPONSE, config, request, response);
}

/** The same, to the reader of a stream. */
export function streamFailure(error: unknown, host: string): Error {
  const code = codeOf(error);
  return code.startsWith('HPE_') || isOfTheEnd(code) ? inNodesWords(error, code, host) : reset('aborted');
}

/**
 * An error that leads nowhere: undici's own hold sockets and bytes of the answer (B12). System errors, TLS errors and
 * those of the caller's body are as Node gives them to axios.
 */
function inNodesWords(error: unknown, code: string, host: string): Error {
  const words = WORDS[code];
  if (words) return Object.assign(new Error(words[1]), { code: words[0] });
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return Object.assign(new Error(`connect ETIMEDOUT ${host}`), { code: 'ETIMEDOUT' });
  }
  if (code.startsWith('HPE_')) return parseError(error, code);
  if (code.startsWith('UND_ERR') || code.startsWith('ERR_HTTP2') || !(error instanceof Error))
    return reset('socket hang up');
  return error;
}

/** undici writes `Response does not match the HTTP/1.1 protocol (reason)`, Node `Parse Error: reason`. */
function parseError(error: unknown, code: string): Error {
  const { message } = error as Error;
  const reason = /\((.+)\)$/.exec(message)?.[1] ?? message;
  return Object.assign(new Error(`Parse Error: ${reason}`), { code });
}

function reset(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

function isOfTheEnd(code: string): boolean {
  return code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED';
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** undici's answer to what is no request: nothing of it was sent. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
}
