import type { Clock } from './clock.js';

type Lengths = Map<number, Timers>;

/** A timer in a list of timers of the same length. */
interface Entry {
  readonly dueAt: number;
  readonly callback: () => void;
  earlier: Entry | undefined;
  later: Entry | undefined;
  hasEnded: boolean;
}

/** So many lengths share timers. Each further length gets its own timer, because a caller may compute a length for each call. */
const MOST_LENGTHS = 16;

/**
 * Timers for calls, most of which end long before their time. Timers of the same length end in the order in which they began. So
 * one timer of the clock is enough for all of them, and a call that begins and ends sets none.
 */
export class SharedTimers implements Pick<Clock, 'after'> {
  readonly #clock: Clock;
  readonly #lengths: Lengths = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  after(ms: number, callback: () => void): () => void {
    let timers = this.#lengths.get(ms);
    if (timers === undefined) {
      if (this.#lengths.size >= MOST_LENGTHS) return this.#clock.after(ms, callback, 'awaited');
      this.#lengths.set(ms, (timers = new Timers(ms, this.#clock, this.#lengths)));
    }
    return timers.add(callback);
  }
}

/** Timers of one length. */
class Timers {
  readonly #ms: number;
  readonly #clock: Clock;
  readonly #lengths: Lengths;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(ms: number, clock: Clock, lengths: Lengths) {
    this.#ms = ms;
    this.#clock = clock;
    this.#lengths = lengths;
  }

  add(callback: () => void): () => void {
    const dueAt = this.#clock.monotonic() + this.#ms;
    const entry: Entry = { dueAt, callback, earlier: this.#last, later: undefined, hasEnded: false };
    if (this.#last) this.#last.later = entry;
    else this.#first = entry;
    this.#last = entry;
    if (this.#stopTimer === undefined) this.#arm(this.#ms);
    return () => this.#remove(entry);
  }

  #arm(ms: number): void {
    // A caller waits for each entry, so the timer keeps the process alive (B9).
    this.#stopTimer = this.#clock.after(ms, () => this.#end(), 'awaited');
  }

  #end(): void {
    this.#stopTimer = undefined;
    const now = this.#clock.monotonic();
    try {
      while (this.#first !== undefined && this.#first.dueAt <= now) {
        const { callback } = this.#first;
        this.#remove(this.#first);
        callback();
      }
    } finally {
      // A callback may throw. The other calls keep their time limit.
      if (this.#first !== undefined && this.#stopTimer === undefined)
        this.#arm(Math.max(0, this.#first.dueAt - now));
    }
  }

  #remove(entry: Entry): void {
    if (entry.hasEnded) return;
    entry.hasEnded = true;
    const { earlier, later } = entry;
    if (earlier) earlier.later = later;
    else this.#first = later;
    if (later) later.earlier = earlier;
    else this.#last = earlier;
    if (this.#first !== undefined) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#lengths.get(this.#ms) === this) this.#lengths.delete(this.#ms);
  }
}
