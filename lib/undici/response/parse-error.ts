import { AxiosError } from 'axios';

/** undici's parser is Node's and has the same reasons; the codes that Node adds have to be found again. */
const CODES: readonly (readonly [reason: RegExp, code: string])[] = [
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

export function isParseError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/**
 * As Node says it: `Parse Error: reason`, where undici has `Response does not match the HTTP/1.1 protocol (reason)` and
 * keeps the bytes that it could not read.
 */
export function parseError({ message }: Error): Error {
  const reason = /\((.+)\)$/.exec(message)?.[1] ?? message;
  const code = CODES.find(([words]) => words.test(reason))?.[1] ?? AxiosError.ERR_BAD_RESPONSE;
  return Object.assign(new Error(`Parse Error: ${reason}`), { code });
}
