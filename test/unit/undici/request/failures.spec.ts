import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { AxiosError, AxiosHeaders, isCancel } from 'axios';
import { describe, expect, it } from 'vitest';
import { failureOf, isCompleteWithoutBody } from '../../../../lib/undici/request/failures.js';
import { settled } from '../../../support/token/fake-clock.js';

const failed = {
  config: { headers: new AxiosHeaders() },
  request: { method: 'GET' },
  host: 'api.example.com:443',
  body: null as unknown,
};

const BEFORE_HEAD = { status: undefined, isStreaming: false };
const AFTER_HEAD = { status: 200, isStreaming: false };
const STREAMING = { status: 200, isStreaming: true };

const withCode = (code: string): Error => Object.assign(new Error(`of undici: ${code}`), { code });

function parserError(message: string): Error {
  return Object.assign(new Error(message), { name: 'HTTPParserError', data: 'canary' });
}

describe('an error of undici before the answer', () => {
  it.each([
    ['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'],
    [
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      'HPE_UNEXPECTED_CONTENT_LENGTH',
      'Parse Error: Content-Length does not match',
    ],
    [
      'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
      'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
      'The body of the request is not as long as its Content-Length.',
    ],
    ['UND_ERR_DESTROYED', 'ERR_NETWORK', 'The connections are closed: the application is ending.'],
    ['UND_ERR_CLOSED', 'ERR_NETWORK', 'The connections are closed: the application is ending.'],
    ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT', 'connect ETIMEDOUT api.example.com:443'],
    ['UND_ERR_SOCKET', 'ECONNRESET', 'socket hang up'],
  ])('B17: %s becomes what Node gives: %s', (code, expected, message) => {
    const error = withCode(code);
    const failure = failureOf(error, failed, BEFORE_HEAD);
    expect(failure).toBeInstanceOf(AxiosError);
    expect(failure).toMatchObject({
      code: expected,
      message,
      config: failed.config,
      request: failed.request,
    });
    expect(failure?.cause).not.toBe(error);
  });

  it('B17: of the network stays as it is', () => {
    const error = withCode('ECONNREFUSED');
    const failure = failureOf(error, failed, BEFORE_HEAD);
    expect(failure).toMatchObject({ code: 'ECONNREFUSED', message: error.message, cause: error });
  });

  it.each<[string, Error]>([
    ['without a code', new Error('of the application')],
    ['whose code ends like that of another', withCode('NOT_UND_ERR')],
  ])('B17: stays as it is %s', (_, error) => {
    expect(failureOf(error, failed, BEFORE_HEAD)?.cause).toBe(error);
  });

  it('B17: that is no error is a lost connection', () => {
    expect(failureOf('a text', failed, BEFORE_HEAD)).toMatchObject({ code: 'ECONNRESET' });
  });

  it.each([
    ['Duplicate Content-Length', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ["Transfer-Encoding can't be present with Content-Length", 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['Invalid character in Content-Length', 'HPE_INVALID_CONTENT_LENGTH'],
    ['Request has invalid `Transfer-Encoding`', 'HPE_INVALID_TRANSFER_ENCODING'],
    ['Invalid header token', 'HPE_INVALID_HEADER_TOKEN'],
    ['Invalid character in chunk size', 'HPE_INVALID_CHUNK_SIZE'],
    ['Invalid status code', 'HPE_INVALID_STATUS'],
    ['Response overflow', 'HPE_INVALID_STATUS'],
    ['Invalid HTTP version', 'HPE_INVALID_VERSION'],
    ['Expected dot', 'HPE_INVALID_VERSION'],
    ['Expected HTTP/', 'HPE_INVALID_CONSTANT'],
    ['Expected LF after CR (here)', 'HPE_LF_EXPECTED'],
    ['Missing expected CR after response line', 'HPE_CR_EXPECTED'],
    ['Another reason', 'ERR_BAD_RESPONSE'],
  ])('B17 B12: in reading the answer has the code of Node, and none of its bytes: %s', (reason, code) => {
    const error = parserError(`Response does not match the HTTP/1.1 protocol (${reason})`);
    const failure = failureOf(error, failed, BEFORE_HEAD);
    expect(failure).toMatchObject({ code, message: `Parse Error: ${reason}` });
    expect(inspect(failure)).not.toContain('canary');
  });

  it('B17: in reading the answer has its whole text if it has no reason', () => {
    const message = 'Response (of a server) does not match';
    expect(failureOf(parserError(message), failed, BEFORE_HEAD)?.message).toBe(`Parse Error: ${message}`);
  });
});

describe('an error of undici after the head of the answer', () => {
  it('B17: says only that the answer was cut short', () => {
    expect(failureOf(withCode('UND_ERR_SOCKET'), failed, AFTER_HEAD)).toBeUndefined();
  });

  it('B17: is that of the parser if the rest cannot be read', () => {
    const error = parserError(
      'Response does not match the HTTP/1.1 protocol (Invalid character in chunk size)',
    );
    expect(failureOf(error, failed, AFTER_HEAD)).toMatchObject({ code: 'HPE_INVALID_CHUNK_SIZE' });
  });

  it('B17: is that of the body of the request if that body has failed, and no other', async () => {
    const error = withCode('EIO');
    const body = new Readable({ read: () => undefined }).on('error', () => undefined);
    body.destroy(error);
    await settled();
    expect(failureOf(error, { ...failed, body }, AFTER_HEAD)).toMatchObject({ code: 'EIO', cause: error });
    expect(failureOf(withCode('EIO'), { ...failed, body }, AFTER_HEAD)).toBeUndefined();
    expect(failureOf(error, { ...failed, body: { errored: error } }, AFTER_HEAD)).toBeUndefined();
  });

  it('B9: says to the reader of a stream that the application is ending, and else that the stream was cut short', () => {
    const closed = failureOf(withCode('UND_ERR_DESTROYED'), failed, STREAMING);
    expect(closed).toMatchObject({
      code: 'ERR_NETWORK',
      message: expect.stringContaining('ending') as string,
    });
    expect(closed).not.toBeInstanceOf(AxiosError);
    for (const error of [withCode('UND_ERR_SOCKET'), new Error('without a code'), parserError('(x)')])
      expect(failureOf(error, failed, STREAMING)).toBeUndefined();
  });
});

describe('a request whose body the caller destroyed', () => {
  it.each([BEFORE_HEAD, AFTER_HEAD, STREAMING])('B5: is cancelled: %j', (progress) => {
    const failure = failureOf(withCode('UND_ERR_ABORTED'), failed, progress);
    expect(isCancel(failure)).toBe(true);
    expect(failure).toMatchObject({
      message: 'Request stream has been aborted',
      config: failed.config,
      request: failed.request,
    });
  });
});

describe('an answer that has no body', () => {
  it.each([
    [204, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', true],
    [304, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', true],
    [200, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', false],
    [undefined, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', false],
    [204, 'UND_ERR_SOCKET', false],
  ])('B17: is complete with status %s although undici fails with %s: %s', (status, code, expected) => {
    expect(isCompleteWithoutBody(withCode(code), status)).toBe(expected);
  });
});
