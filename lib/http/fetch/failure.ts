import { isAxiosError, isCancel } from 'axios';
import { errorCode } from '../../errors/error-code.js';
import { ProviderAuthError } from '../../errors/provider-auth.error.js';

/** The message that `CallBudget` and axios write when the time of a call is over. */
const TIMED_OUT = /^timeout of \d+ms exceeded/;

/**
 * The error of a call as users of `fetch` know it. Errors of the module stay as they are. The `cause` of a `TypeError` is a
 * new error, because the original leads to a config and a snapshot of the request.
 */
export function fetchFailure(error: unknown, signal: AbortSignal | undefined, timeoutMs: number): unknown {
  if (error instanceof ProviderAuthError) return error;
  if (isCancel(error) && signal?.aborted) return reasonOf(signal);
  const timeout = timeoutMessage(error, timeoutMs);
  if (timeout !== undefined) return new DOMException(timeout, 'TimeoutError');
  return new TypeError('fetch failed', { cause: cleanCause(error) });
}

/** The same for a body that breaks off while the caller reads it. */
export function bodyFailure(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? reasonOf(signal) : new TypeError('terminated', { cause: cleanCause(error) });
}

/** Old polyfills of `AbortSignal` have no reason. */
export function reasonOf({ reason }: AbortSignal): unknown {
  return reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
}

/** The text says what the call was waiting for. It names the time of the whole call, even if a part was over before. */
function timeoutMessage(error: unknown, timeoutMs: number): string | undefined {
  if (!isAxiosError(error) || !TIMED_OUT.test(error.message)) return undefined;
  return error.message.replace(TIMED_OUT, `timeout of ${timeoutMs}ms exceeded`);
}

function cleanCause(error: unknown): Error {
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : '';
  const cause = new Error(message || code || 'The request failed.');
  return code === undefined ? cause : Object.assign(cause, { code });
}
