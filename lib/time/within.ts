import { type Clock, systemClock, type TimerKind } from './clock.js';

/** The code of work that took too long. Node gives the same code to an attempt to connect that took too long. */
export const TOO_SLOW = 'ETIMEDOUT';

/** Work took too long. */
export class TooSlowError extends Error {
  readonly code = TOO_SLOW;
}

/** Waits a limited time for a promise. */
export function settledWithin<Result>(
  ms: number,
  work: Promise<Result>,
  clock: Clock = systemClock,
  kind: TimerKind = 'awaited',
): Promise<Result> {
  return within<Result>(ms, (resolve, reject) => void work.then(resolve, reject), clock, kind);
}

/** A reading for looks that wait only briefly. A slow reading goes on, and the next look gets its result. */
export class SharedReading<Result> {
  #reading: Promise<Result> | undefined;

  /** Another reading has begun since. */
  forget(): void {
    this.#reading = undefined;
  }

  /** Rejects with `TooSlowError` if the reading is slow. */
  async look(ms: number, read: () => Promise<Result>, clock: Clock, kind: TimerKind): Promise<Result> {
    let isSlow = false;
    try {
      this.#reading ??= read();
      return await settledWithin(ms, this.#reading, clock, kind);
    } catch (error) {
      isSlow = error instanceof TooSlowError;
      throw error;
    } finally {
      if (!isSlow) this.forget();
    }
  }
}

/**
 * Calls `callback` after `ms`. A busy process runs a late timer before it reads a result that arrived long ago. So work gets the
 * time back that the process took from it, at most once the whole time. Returns a function that cancels the timer.
 */
export function afterOwnTime(clock: Clock, ms: number, callback: () => void, kind: TimerKind): () => void {
  const due = clock.monotonic() + ms;
  let cancel = clock.after(
    ms,
    () => {
      cancel = clock.after(Math.min(ms, Math.max(0, clock.monotonic() - due)), callback, kind);
    },
    kind,
  );
  return () => cancel();
}

/**
 * Gives work a limited time. Rejects with `TooSlowError` when it is over. Time in which the process was too busy does not count.
 *
 * @param start starts the work. It may return a function that ends the work when the time is over. If it resolves with a promise,
 * the time goes on until that promise has settled.
 */
export function within<Result>(
  ms: number,
  start: (resolve: (result: Result) => void, reject: (error: Error) => void) => (() => void) | void,
  clock: Clock = systemClock,
  kind: TimerKind = 'awaited',
): Promise<Result> {
  let disarm: (() => void) | undefined;
  const result = new Promise<Result>((resolve, reject) => {
    const giveUp = (): void => {
      reject(new TooSlowError(TOO_SLOW));
      end?.();
    };
    disarm = afterOwnTime(clock, ms, giveUp, kind);
    const end = start(resolve, reject);
  });
  // Also if the work throws when it starts: the timer would keep the process alive.
  return result.finally(() => disarm?.());
}
