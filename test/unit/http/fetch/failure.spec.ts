import { AxiosError, CanceledError } from 'axios';
import { describe, expect, it } from 'vitest';
import { RequestRefusedError } from '../../../../lib/errors/request-refused.error.js';
import { bodyFailure, fetchFailure, reasonOf } from '../../../../lib/http/fetch/failure.js';

const REASON = new Error('of the caller');
const aborted = AbortSignal.abort(REASON);
const open = new AbortController().signal;

const refused = Object.create(RequestRefusedError.prototype) as RequestRefusedError;

/** What a caller sees of an error. */
function shown(error: unknown): object {
  const { constructor: kind, name, message, cause } = error as Error;
  if (!(cause instanceof Error)) return { kind, name, message };
  return {
    kind,
    name,
    message,
    cause: { text: cause.message, ...Object.fromEntries(Object.entries(cause)) },
  };
}

const timedOut = (name: string, message: string): object => ({ kind: DOMException, name, message });

function failedWith(message: string, cause: string, code?: string): object {
  return {
    kind: TypeError,
    name: 'TypeError',
    message,
    cause: { text: cause, ...(code !== undefined && { code }) },
  };
}

const fetchFailed = (cause: string, code?: string): object => failedWith('fetch failed', cause, code);

describe('the errors of fetch', () => {
  it('B21: an error of the module stays as it is, even after an abort', () => {
    expect(fetchFailure(refused, aborted, 500)).toBe(refused);
  });

  it.each<[string, Error, AbortSignal | undefined, object]>([
    ['another failure, even if the caller aborts then', new Error('no'), aborted, fetchFailed('no')],
    [
      'a cancellation that is not of the caller',
      new CanceledError('over'),
      open,
      fetchFailed('over', 'ERR_CANCELED'),
    ],
    ['a lost connection', new AxiosError('lost', 'ECONNRESET'), open, fetchFailed('lost', 'ECONNRESET')],
    ['an error without a text', new AxiosError('', 'EPIPE'), open, fetchFailed('EPIPE', 'EPIPE')],
    ['an error without anything', new Error(''), open, fetchFailed('The request failed.')],
    ['a value that is no error', 'text' as never, open, fetchFailed('The request failed.')],
    [
      'a time limit',
      new AxiosError('timeout of 7ms exceeded', 'ECONNABORTED'),
      open,
      timedOut('TimeoutError', 'timeout of 500ms exceeded'),
    ],
    [
      'a time limit while something was awaited',
      new AxiosError('timeout of 12ms exceeded while waiting for an access token'),
      open,
      timedOut('TimeoutError', 'timeout of 500ms exceeded while waiting for an access token'),
    ],
    [
      'an error of the application that only sounds so',
      new Error('timeout of 7ms exceeded'),
      open,
      fetchFailed('timeout of 7ms exceeded'),
    ],
    [
      'an error whose text has such words later',
      new AxiosError('no timeout of 7ms exceeded'),
      open,
      fetchFailed('no timeout of 7ms exceeded'),
    ],
  ])('B21 B12: %s has a clean error', (_, error, signal, seen) => {
    expect(shown(fetchFailure(error, signal, 500))).toStrictEqual(seen);
  });

  it('B21: a body that breaks off ends with a TypeError', () => {
    const error = bodyFailure(new AxiosError('cut', 'ECONNRESET'), open);
    expect(shown(error)).toEqual(failedWith('terminated', 'cut', 'ECONNRESET'));
  });

  it('B21 B5: a body that its caller ends fails with the reason of the caller', () => {
    expect(bodyFailure(new Error('aborted'), aborted)).toBe(REASON);
  });

  it.each<[string, unknown, unknown]>([
    ['is undefined', undefined, new DOMException('This operation was aborted', 'AbortError')],
    ['is null', null, null],
    ['is a text', 'over', 'over'],
  ])('B5: the reason of a signal %s', (_, reason, seen) => {
    expect(reasonOf({ reason } as AbortSignal)).toEqual(seen);
    expect((reasonOf({ reason } as AbortSignal) as Error | null)?.name).toBe((seen as Error | null)?.name);
  });
});
