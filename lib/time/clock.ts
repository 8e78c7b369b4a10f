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
  /**
   * Calls `callback` once after `ms`. Returns a function that cancels the timer.
   *
   * @param isHolding whether the timer keeps the process alive. @default true
   */
  after(ms: number, callback: () => void, isHolding?: boolean): () => void;
}

/** A timer of Node fires at once if it is longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, isHolding = true) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
    if (!isHolding) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The same clock, whose timers do not keep the process alive. */
export function inBackground(clock: Clock): Clock {
  return {
    wall: () => clock.wall(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => clock.after(ms, callback, false),
  };
}

/** Keeps the process alive until the returned function is called. */
export function holdProcess(): () => void {
  const timer = setTimeout(() => undefined, LONGEST_TIMER_MS);
  return () => clearTimeout(timer);
}

/** Resolves after `ms`, or earlier if the signal aborts. It never rejects: check the signal afterwards. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
