// Not the global ones: a test that fakes those must not stop the provider's clockwork.
import { clearTimeout, setInterval, setTimeout } from 'node:timers';

/** All the simulator's timers in one place, so that closing it leaves none behind that could keep the process alive. */
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

  /** Calls back again and again until the function returned is called. */
  every(ms: number, callback: () => void): () => void {
    if (this.#closed) return () => undefined;
    const timer = setInterval(callback, ms);
    this.#open.add(timer);
    return () => {
      clearTimeout(timer);
      this.#open.delete(timer);
    };
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#open) clearTimeout(timer);
    this.#open.clear();
  }
}
