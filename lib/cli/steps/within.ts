import { type Clock, systemClock } from '../../time/clock.js';
import { afterOwnTime, TOO_SLOW, TooSlowError } from '../../time/within.js';

/**
 * Gives work a limited time. Rejects with `TooSlowError` when it is over. Time in which the process was too busy does not count.
 *
 * @param start starts the work. It may return a function that ends the work when the time is over.
 */
export function within<Result>(
  ms: number,
  start: (resolve: (result: Result) => void, reject: (error: Error) => void) => (() => void) | void,
  clock: Clock = systemClock,
): Promise<Result> {
  let disarm: (() => void) | undefined;
  const result = new Promise<Result>((resolve, reject) => {
    const giveUp = (): void => {
      reject(new TooSlowError(TOO_SLOW));
      end?.();
    };
    disarm = afterOwnTime(clock, ms, giveUp, 'awaited');
    const end = start(resolve, reject);
  });
  // Also if the work throws when it starts: the timer would keep the process alive.
  return result.finally(() => disarm?.());
}
