import { onAbort } from '../values/abortable.js';
import { type Clock, systemClock } from './clock.js';

/** The code of work that took too long. Node gives the same code to an attempt to connect that took too long. */
export const TOO_SLOW = 'ETIMEDOUT';

export class TooSlowError extends Error {
  readonly code = TOO_SLOW;
}

/**
 * Waits a limited time for a promise. Rejects with `TooSlowError` when it is over.
 *
 * @param signal ends the wait as if the time were over. The work itself goes on.
 */
export function settledWithin<Result>(
  ms: number,
  work: Promise<Result>,
  clock: Clock = systemClock,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new TooSlowError(TOO_SLOW));
    const disarm = afterOwnTime(clock, ms, giveUp);
    const endEarly = (): void => {
      disarm();
      giveUp();
    };
    const unsubscribe = signal && onAbort(signal, endEarly);
    if (signal?.aborted) endEarly();
    const end = (): void => {
      disarm();
      unsubscribe?.();
    };
    void work.finally(end).then(resolve, reject);
  });
}

/**
 * Calls `callback` after `ms`. A busy process runs a late timer before it reads a result that arrived long ago. So work gets the
 * time back that the process took from it, at most once the whole time. Returns a function that cancels the timer.
 */
export function afterOwnTime(clock: Clock, ms: number, callback: () => void): () => void {
  const due = clock.monotonic() + ms;
  let cancel = clock.after(ms, () => {
    cancel = clock.after(Math.min(ms, Math.max(0, clock.monotonic() - due)), callback);
  });
  return () => cancel();
}
