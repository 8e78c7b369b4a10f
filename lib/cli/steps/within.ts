import { type Clock, systemClock } from '../../time/clock.js';
import { settledWithin, TooSlowError } from '../../time/within.js';

/**
 * Gives work a limited time. Rejects with `TooSlowError` when it is over. Time in which the process was too busy does not count.
 *
 * @param start starts the work. It may return a function that ends the work when the time is over.
 */
export async function within<Result>(
  ms: number,
  start: (resolve: (result: Result) => void, reject: (error: Error) => void) => (() => void) | void,
  clock: Clock = systemClock,
): Promise<Result> {
  const running: { end?: (() => void) | void } = {};
  const work = new Promise<Result>((resolve, reject) => (running.end = start(resolve, reject)));
  try {
    return await settledWithin(ms, work, clock);
  } catch (error) {
    if (error instanceof TooSlowError) running.end?.();
    throw error;
  }
}
