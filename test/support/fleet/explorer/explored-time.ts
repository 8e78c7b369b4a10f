import type { Clock } from '../../../../lib/time/clock.js';

/** A timer of a process that waits to fire. */
export interface ExploredTimer {
  readonly process: string;
  /** Counted in each process, from 1. */
  readonly number: number;
  readonly due: number;
  readonly callback: () => void;
}

/** Timers of this length only keep a process alive. They never fire. */
const NEVER_FIRES_MS = 2 ** 31 - 1;

/** Any day: no invariant depends on it. */
const START = Date.parse('2026-03-01T12:00:00Z');

/** One time for the store and all processes. The explorer decides which timer fires next, and time passes only then. */
export class ExploredTime {
  now = 0;
  /** By how much the store's clock was set back. */
  storeBackMs = 0;
  readonly #counts = new Map<string, number>();
  #timers: ExploredTimer[] = [];

  /** The wall clock of the store. */
  get storeWall(): number {
    return START + this.now - this.storeBackMs;
  }

  /** @param wallAheadMs by how much the wall clock of this process is wrong. */
  clockOf(process: string, wallAheadMs: number): Clock {
    return {
      wall: () => START + this.now + wallAheadMs,
      monotonic: () => this.now,
      after: (ms, callback) => {
        const number = (this.#counts.get(process) ?? 0) + 1;
        this.#counts.set(process, number);
        const timer = { process, number, due: this.now + Math.max(0, ms), callback };
        if (ms < NEVER_FIRES_MS) this.#add(timer);
        return () => {
          this.#remove(timer);
        };
      },
    };
  }

  /** The timers of these processes, in the order in which they are due. */
  timersOf(processes: ReadonlySet<string>): ExploredTimer[] {
    return this.#timers.filter(({ process }) => processes.has(process));
  }

  fire(timer: ExploredTimer): void {
    this.#remove(timer);
    this.now = Math.max(this.now, timer.due);
    timer.callback();
  }

  /** Keeps the timers in the order in which they are due, and those of one moment in the order in which they were set. */
  #add(timer: ExploredTimer): void {
    const place = this.#timers.findLastIndex(({ due }) => due <= timer.due);
    this.#timers.splice(place + 1, 0, timer);
  }

  #remove(timer: ExploredTimer): void {
    const place = this.#timers.indexOf(timer);
    if (place !== -1) this.#timers.splice(place, 1);
  }
}
