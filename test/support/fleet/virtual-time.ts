import type { Clock } from '../../../lib/time/clock.js';

interface Timer {
  readonly due: number;
  readonly number: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

const START = Date.parse('2026-03-01T12:00:00Z');
/** Timers of this length only keep a process alive. They never fire. */
const NEVER_FIRES_MS = 2 ** 31 - 1;

/** Time for thousands of processes: it passes from timer to timer. The timers are a heap, so that each step is fast. */
export class VirtualTime {
  now = 0;
  #count = 0;
  readonly #heap: Timer[] = [];

  readonly clock: Clock = {
    wall: () => START + this.now,
    monotonic: () => this.now,
    after: (ms, callback) => (ms < NEVER_FIRES_MS ? this.at(this.now + Math.max(0, ms), callback) : () => {}),
  };

  /** Returns a function that cancels the timer. */
  at(due: number, callback: () => void): () => void {
    this.#count += 1;
    const timer: Timer = { due, number: this.#count, callback, isCancelled: false };
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    return () => {
      timer.isCancelled = true;
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(this.now + ms, resolve);
    });
  }

  /** When the next timer is due. */
  get nextDue(): number {
    for (let [first] = this.#heap; first?.isCancelled; [first] = this.#heap) this.#takeFirst();
    return this.#heap[0]?.due ?? Infinity;
  }

  /** Returns whether there was a timer. */
  fireNext(): boolean {
    if (this.nextDue === Infinity) return false;
    const timer = this.#takeFirst();
    if (timer === undefined) return false;
    this.now = Math.max(this.now, timer.due);
    timer.callback();
    return true;
  }

  #takeFirst(): Timer | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last === undefined || first === last) return first;
    this.#heap[0] = last;
    this.#sink(0);
    return first;
  }

  #rise(place: number): void {
    const parent = Math.floor((place - 1) / 2);
    if (place > 0 && this.#swapIfEarlier(place, parent)) this.#rise(parent);
  }

  #sink(place: number): void {
    const [left, right] = [2 * place + 1, 2 * place + 2];
    const child = this.#isEarlier(right, left) ? right : left;
    if (this.#swapIfEarlier(child, place)) this.#sink(child);
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    if (!this.#isEarlier(lower, upper)) return false;
    const [one, other] = [this.#heap[lower], this.#heap[upper]];
    if (one && other) [this.#heap[lower], this.#heap[upper]] = [other, one];
    return true;
  }

  #isEarlier(place: number, than: number): boolean {
    const [one, other] = [this.#heap[place], this.#heap[than]];
    if (one === undefined || other === undefined) return one !== undefined;
    return one.due < other.due || (one.due === other.due && one.number < other.number);
  }
}
