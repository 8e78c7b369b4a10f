import { AxiosHeaders } from 'axios';
import { errors } from 'undici';
import { expect, it } from 'vitest';
import { CLOSED, failureOf, isCompleteWithoutBody, isCutOff } from '../../../lib/undici/failures.js';

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

it.each([
  [new errors.ClientClosedError(), 'ERR_NETWORK', 'The connections are closed: the application is ending.'],
  [new errors.ClientDestroyedError(), 'ERR_NETWORK', CLOSED.message],
  [new errors.ConnectTimeoutError(), 'ETIMEDOUT', 'connect ETIMEDOUT api.example.com'],
  [
    new errors.RequestContentLengthMismatchError(),
    'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
    'The body of the request is not as long as its Content-Length.',
  ],
  [
    new errors.InvalidArgumentError('invalid request path'),
    'ERR_INVALID_ARG_VALUE',
    'undici does not send this request: invalid request path',
  ],
  [new errors.HTTPParserError('odd'), 'ERR_BAD_RESPONSE', 'The answer is not valid HTTP: odd'],
  [new errors.SocketError('other side closed'), 'ECONNRESET', 'socket hang up'],
  [reset, 'ECONNRESET', 'read ECONNRESET'],
  [new Error('without a code'), undefined, 'without a code'],
])('B17: a failure has the code and the text of Node, or says what is wrong: %s', (error, code, message) => {
  const failure = failureOf(error, { headers: new AxiosHeaders() }, {}, 'api.example.com');
  expect({ code: failure.code, message: failure.message }).toEqual({ code, message });
});

const noBody = new errors.ResponseContentLengthMismatchError();

it.each([
  [noBody, 204, true],
  [noBody, 304, true],
  [noBody, 200, false],
  [noBody, undefined, false],
  [new errors.SocketError(), 204, false],
])('B17: an answer without a body is complete if only its length says otherwise: %s, %s', (...row) => {
  const [error, status, isComplete] = row;
  expect(isCompleteWithoutBody(error, status)).toBe(isComplete);
});

it.each([
  [new errors.SocketError('other side closed'), true],
  [new errors.HTTPParserError('Invalid EOF state'), true],
  [new errors.HTTPParserError('Invalid header token'), false],
  [CLOSED, false],
  [reset, false],
])('B17: the server has cut an answer off if it ended the connection: %s', (error, isCut) => {
  expect(isCutOff(error)).toBe(isCut);
});
