import type { Clock } from '../../../lib/time/clock.js';

export interface FakeTimer {
  /** The monotonic moment at which it is due. */
  readonly due: number;
  /** What it was set to. */
  readonly ms: number;
  readonly callback: () => void;
}

/** More than the longest time limit of a test. */
const LONGEST_WAIT_MS = 100_000;

/** Any day: no test depends on it. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

/**
 * Time passes only when a test advances it. A test can move the wall clock and the monotonic clock separately. Timers use
 * the monotonic clock, as Node's timers do. They fire in order, and all work of a timer is done before the next timer.
 */
export class FakeClock implements Clock {
  /** Every timer that was ever set, in order. */
  readonly history: Pick<FakeTimer, 'ms'>[] = [];
  #wall = NOW;
  #monotonic = 5_000;
  readonly #timers: FakeTimer[] = [];

  wall(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: FakeTimer = { due: this.#monotonic + Math.max(0, ms), ms, callback };
    this.history.push({ ms });
    // They are in the order in which they fire. There may be thousands, and most are set for later than the others.
    const after = this.#timers.findLastIndex(({ due }) => due <= timer.due);
    this.#timers.splice(after + 1, 0, timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  /** Timers that wait to fire. */
  pending(): readonly FakeTimer[] {
    return this.#timers;
  }

  /** Time passes by both clocks. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settled();
    for (let [next] = this.#timers; next !== undefined && next.due <= end; [next] = this.#timers) {
      const step = Math.max(0, next.due - this.#monotonic);
      this.#wall += step;
      this.#monotonic += step;
      this.#timers.shift();
      next.callback();
      await settled();
    }
    this.#wall += end - this.#monotonic;
    this.#monotonic = end;
    await settled();
  }

  /**
   * Time passes, a millisecond at a time, until a promise has settled. For tests with real servers in this process: they answer
   * between two milliseconds.
   */
  async passUntil<Value>(settling: Promise<Value>): Promise<Value> {
    const outcome = { isSettled: false };
    const end = (): void => void (outcome.isSettled = true);
    settling.then(end, end);
    for (let left = LONGEST_WAIT_MS; !outcome.isSettled; left -= 1) {
      if (left === 0)
        throw new Error(`Nothing has settled within ${LONGEST_WAIT_MS} ms of the test's clock.`);
      await this.advance(1);
    }
    return settling;
  }

  /** Sets the wall clock forward or back. */
  setWallBy(ms: number): void {
    this.#wall += ms;
  }

  /** The machine sleeps: the wall clock goes on, the monotonic clock and all timers stand still. */
  sleep(ms: number): void {
    this.#wall += ms;
  }

  /** Only the monotonic clock goes on, without firing timers: as if the wall clock were set back all the while. */
  setMonotonicBy(ms: number): void {
    this.#monotonic += ms;
  }
}

/** Resolves when all work that needs no time is done. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
