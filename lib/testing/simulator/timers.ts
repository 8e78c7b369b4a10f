// Not the global timers: a test that replaces them by fake timers must not stop the simulator.
import { clearTimeout, setTimeout } from 'node:timers';

/** All timers of the simulator. `close()` clears them, so that no timer keeps the process alive. */
export class Timers {
  readonly #open = new Set<NodeJS.Timeout>();
  #closed = false;

  after(ms: number, callback: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#open.delete(timer);
      callback();
    }, ms);
    this.#open.add(timer);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#open) clearTimeout(timer);
    this.#open.clear();
  }
}
