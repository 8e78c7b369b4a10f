import { type Clock, systemClock, type TimerKind } from './clock.js';

/** The code of work that took too long. Node gives the same code to an attempt to connect that took too long. */
export const TOO_SLOW = 'ETIMEDOUT';

/** Work took too long. */
export class TooSlowError extends Error {
  readonly code = TOO_SLOW;
}

/**
 * Gives work a limited time. Rejects with `TooSlowError` when the time is over.
 *
 * @param start starts the work. It may return a function that ends the work when the time is over.
 */
export function within<Result>(
  ms: number,
  start: (resolve: (result: Result) => void, reject: (error: Error) => void) => (() => void) | void,
  clock: Clock = systemClock,
  kind: TimerKind = 'awaited',
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    const giveUp = (): void => {
      reject(new TooSlowError(TOO_SLOW));
      end?.();
    };
    // A busy process runs a late timer before it reads a result that arrived long ago. So it reads once more first.
    let disarm = clock.after(
      ms,
      () => {
        disarm = clock.after(0, giveUp, kind);
      },
      kind,
    );
    const end = start(
      (result) => {
        disarm();
        resolve(result);
      },
      (error) => {
        disarm();
        reject(error);
      },
    );
  });
}
