import { type Clock, systemClock, type TimerKind } from './clock.js';

/** The code of work that took too long. Node gives the same code to an attempt to connect that took too long. */
export const TOO_SLOW = 'ETIMEDOUT';

/** Work took too long. */
export class TooSlowError extends Error {
  readonly code = TOO_SLOW;
}

/** Waits a limited time for a promise. Rejects with `TooSlowError` when it is over. */
export function settledWithin<Result>(
  ms: number,
  work: Promise<Result>,
  clock: Clock = systemClock,
  kind: TimerKind = 'awaited',
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const disarm = afterOwnTime(clock, ms, () => reject(new TooSlowError(TOO_SLOW)), kind);
    void work.finally(disarm).then(resolve, reject);
  });
}

/** A reading for looks that wait only briefly. A slow reading goes on, and the next look gets its result. */
export class SharedReading<Result> {
  #reading: Promise<Result> | undefined;

  /** Another reading has begun since. */
  forget(): void {
    this.#reading = undefined;
  }

  /** Rejects with `TooSlowError` if the reading is slow. */
  async look(ms: number, read: () => Promise<Result>, clock: Clock): Promise<Result> {
    let isSlow = false;
    try {
      this.#reading ??= read();
      return await settledWithin(ms, this.#reading, clock, 'background');
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
