import { Readable } from 'node:stream';
import { AxiosError, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { errorCode } from '../../errors/error-code.js';
import type { AnswerReader } from '../../wire/answer-reader.js';

export interface FailedRequest {
  readonly config: InternalAxiosRequestConfig;
  readonly request: object;
  /** The host and port of the origin, for the text of a connection error. */
  readonly host: string;
  readonly body: unknown;
}

const CLOSED = ['ERR_NETWORK', 'The connections are closed: the application is ending.'] as const;

/** The code and the message that Node's http uses for an error of undici. */
const NODE_ERRORS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  UND_ERR_HEADERS_OVERFLOW: ['HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'HPE_UNEXPECTED_CONTENT_LENGTH',
    'Parse Error: Content-Length does not match',
  ],
  // Of the request, so it says nothing about the API (B35). Node has this code for a response that it sends.
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: [
    'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
    'The body of the request is not as long as its Content-Length.',
  ],
  UND_ERR_DESTROYED: CLOSED,
  UND_ERR_CLOSED: CLOSED,
};

/** undici gives the reasons of Node's HTTP parser, but without their codes. The first match counts. */
const PARSE_ERROR_CODES: readonly (readonly [reason: RegExp, code: string])[] = [
  [/duplicate content-length|can't be present/i, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [/content-length/i, 'HPE_INVALID_CONTENT_LENGTH'],
  [/transfer-encoding/i, 'HPE_INVALID_TRANSFER_ENCODING'],
  [/header/i, 'HPE_INVALID_HEADER_TOKEN'],
  [/chunk size/i, 'HPE_INVALID_CHUNK_SIZE'],
  [/status|response overflow/i, 'HPE_INVALID_STATUS'],
  [/version|expected dot/i, 'HPE_INVALID_VERSION'],
  [/expected HTTP/i, 'HPE_INVALID_CONSTANT'],
  [/expected LF/i, 'HPE_LF_EXPECTED'],
  [/expected CR/i, 'HPE_CR_EXPECTED'],
];

/** The error for the caller, as axios' http adapter gives it. Undefined if the answer was only cut short. */
export function failureOf(
  error: unknown,
  failed: FailedRequest,
  progress: Pick<AnswerReader, 'status' | 'isStreaming'>,
): Error | undefined {
  const { config, request, host, body } = failed;
  // The caller destroyed the body of the request before its end. Only then undici reports an aborted request.
  if (errorCode(error) === 'UND_ERR_ABORTED')
    return new CanceledError('Request stream has been aborted', config, request);
  if (progress.isStreaming)
    return NODE_ERRORS[errorCode(error) ?? ''] === CLOSED ? asNodeError(error, host) : undefined;
  const isOfBody = body instanceof Readable && body.errored === error;
  const isCutShort = progress.status !== undefined && !isParseError(error) && !isOfBody;
  return isCutShort ? undefined : AxiosError.from(asNodeError(error, host), undefined, config, request);
}

/** Responses with these statuses have no body, whatever `Content-Length` says: RFC 9110, section 8.6. */
const WITHOUT_BODY = new Set([204, 304]);

/**
 * Workaround: a 204 or a 304 with a `Content-Length` is complete without a body, but undici fails because no body came
 * (nodejs/undici#254; seen with undici 7.0.0 to 8.12.4). `test/e2e/undici/conformance.spec.ts` ("answers
 * without a body") shows it. Remove this function when that spec passes without it on every undici of the peer range.
 */
export function isCompleteWithoutBody(error: unknown, status: number | undefined): boolean {
  return WITHOUT_BODY.has(status ?? 0) && errorCode(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/**
 * The error that Node's http would give. Errors of undici itself are replaced, because they hold sockets and bytes of the
 * response (B12).
 */
function asNodeError(error: unknown, host: string): Error {
  if (isParseError(error)) return parseError(error);
  const code = errorCode(error) ?? '';
  const known = NODE_ERRORS[code];
  if (known) return errorWithCode(...known);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return errorWithCode('ETIMEDOUT', `connect ETIMEDOUT ${host}`);
  return code.startsWith('UND_ERR') || !(error instanceof Error)
    ? errorWithCode('ECONNRESET', 'socket hang up')
    : error;
}

/** Node gives this error for a status that is no number of three digits. */
export function invalidStatus(): Error {
  return errorWithCode('HPE_INVALID_STATUS', 'Parse Error: Invalid status code');
}

function errorWithCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/**
 * undici writes `Response does not match the HTTP/1.1 protocol (reason)`, and its error keeps the bytes that the parser could
 * not read.
 */
function parseError({ message }: Error): Error {
  const reason = /\((.+)\)$/.exec(message)?.[1] ?? message;
  const code = PARSE_ERROR_CODES.find(([words]) => words.test(reason))?.[1] ?? AxiosError.ERR_BAD_RESPONSE;
  return errorWithCode(code, `Parse Error: ${reason}`);
}
