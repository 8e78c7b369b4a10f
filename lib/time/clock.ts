/** Whether somebody waits for a timer: only those keep the process alive (B9). */
export type TimerKind = 'awaited' | 'background';

/**
 * Time as the library sees it; tests choose their own.
 *
 * Two clocks, because each lies in its own way: the wall clock is corrected and set back, the monotonic clock stands
 * still while a machine sleeps (S11).
 */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`. */
  wall(): number;
  /** Milliseconds that never run backwards, as `performance.now()`. */
  monotonic(): number;
  /** Calls back once after `ms`; the function returned cancels it. */
  after(ms: number, callback: () => void, kind: TimerKind): () => void;
}

/** Node's timers fire at once beyond 2^31 - 1 ms, which a token of 30 days exceeds. */
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

/** Resolves after `ms`; an abort ends it early, and its owner looks at the signal. */
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
