/** Whether a caller waits for a timer. Only such timers keep the process alive (B9). */
export type TimerKind = 'awaited' | 'background';

/**
 * The clocks and timers of the library. Tests use their own.
 *
 * There are two clocks, because each can be wrong: the wall clock may be set back, and the monotonic clock stops while a
 * machine sleeps (S11).
 */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`. */
  wall(): number;
  /** Milliseconds that never run backwards, as `performance.now()`. */
  monotonic(): number;
  /** Calls `callback` once after `ms`. Returns a function that cancels the timer. */
  after(ms: number, callback: () => void, kind: TimerKind): () => void;
}

/** A timer of Node fires at once if it is longer than 2^31 - 1 ms. A token may live longer, up to 30 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, kind) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
      if (kind === 'background') timer.unref();
    };
    arm(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or earlier if the signal aborts. It never rejects: check the signal afterwards. */
export function pause(clock: Clock, ms: number, kind: TimerKind, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end, kind);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
