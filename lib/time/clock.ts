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

/** Two clocks never agree exactly. A larger difference means that the wall clock was set back. */
const DRIFT_MS = 1_000;

/** A moment by two clocks. It has come as soon as one of the clocks says so (S11). */
export class Deadline {
  private constructor(
    readonly wall: number,
    readonly monotonic: number,
  ) {
    Object.freeze(this);
  }

  static after(clock: Clock, ms: number): Deadline {
    return new Deadline(clock.wall() + ms, clock.monotonic() + ms);
  }

  plus(ms: number): Deadline {
    return new Deadline(this.wall + ms, this.monotonic + ms);
  }

  hasCome(clock: Clock): boolean {
    return clock.wall() >= this.wall || clock.monotonic() >= this.monotonic;
  }

  /** Milliseconds until this moment, by the clock that reaches it first. 0 if the moment has come. */
  remaining(clock: Clock): number {
    return Math.max(0, Math.min(this.wall - clock.wall(), this.monotonic - clock.monotonic()));
  }

  get date(): Date {
    return new Date(this.wall);
  }

  /**
   * The date of this moment by the present wall clock. If the wall clock was set back since, `date` would be too late
   * by the same time.
   */
  dateBy(clock: Clock): Date {
    const date = clock.wall() + this.monotonic - clock.monotonic();
    return new Date(date < this.wall - DRIFT_MS ? date : this.wall);
  }
}
