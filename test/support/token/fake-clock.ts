import type { Clock, TimerKind } from '../../../lib/time/clock.js';

export interface FakeTimer {
  /** The monotonic moment at which it is due. */
  readonly due: number;
  /** What it was set to. */
  readonly ms: number;
  readonly kind: TimerKind;
  readonly callback: () => void;
}

/** An ordinary day; no test depends on it. */
const START = Date.parse('2026-03-01T12:00:00Z');

/**
 * Time that passes only when a test says so. The wall clock and the monotonic clock can be steered apart; timers go by
 * the monotonic one, as Node's do, and fire in order, with everything that follows from one done before the next.
 */
export class FakeClock implements Clock {
  /** Every timer that was ever set, in order. */
  readonly history: Pick<FakeTimer, 'ms' | 'kind'>[] = [];
  #wall = START;
  #monotonic = 5_000;
  #timers: FakeTimer[] = [];

  wall(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void, kind: TimerKind): () => void {
    const timer: FakeTimer = { due: this.#monotonic + Math.max(0, ms), ms, kind, callback };
    this.history.push({ ms, kind });
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Timers that wait to fire; with a kind, only those. */
  pending(kind?: TimerKind): readonly FakeTimer[] {
    return kind === undefined ? this.#timers : this.#timers.filter((timer) => timer.kind === kind);
  }

  /** Time passes by both clocks. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      const step = Math.max(0, next.due - this.#monotonic);
      this.#wall += step;
      this.#monotonic += step;
      const fired = next;
      this.#timers = this.#timers.filter((other) => other !== fired);
      fired.callback();
      await settled();
    }
    this.#wall += end - this.#monotonic;
    this.#monotonic = end;
    await settled();
  }

  /** Somebody corrects the wall clock, forward or back. */
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

  #next(end: number): FakeTimer | undefined {
    let next: FakeTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  }
}

/** Everything that can happen without time passing has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
