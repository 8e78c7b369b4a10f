import { setImmediate } from 'node:timers/promises';
import { type Clock, pause, systemClock } from './clock.js';

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
export async function settledWithin<Result>(
  ms: number,
  work: Promise<Result>,
  clock: Clock = systemClock,
  signal?: AbortSignal,
): Promise<Result> {
  const done = new AbortController();
  const ended = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  try {
    return await Promise.race([work, tooSlow(clock, ms, ended)]);
  } finally {
    done.abort();
  }
}

async function tooSlow(clock: Clock, ms: number, ended: AbortSignal): Promise<never> {
  await pause(clock, ms, ended);
  // A busy process runs a late timer before it reads what arrived in time.
  if (!ended.aborted) await setImmediate();
  throw new TooSlowError(TOO_SLOW);
}
