import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Between the wire and the caller. */
const USUAL_MS = 500;
const REMEMBERED_MS = 30_000;

/** Starts to measure how long this process has kept its own work waiting; each call tells the longest since the last one. */
export function measureLag(): () => number {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return () => {
    const ms = delay.max / 1e6;
    delay.reset();
    return ms;
  };
}

/**
 * How much later than on the wire something may be seen by a process: what a machine that does other things makes of
 * moments, measured, and never an excuse for what was sent or answered.
 */
export class Grace {
  #lags: { readonly at: number; readonly ms: number }[] = [];
  #longest = 0;

  /** A process was kept waiting. */
  add(ms: number): void {
    const now = Date.now();
    this.#longest = Math.max(this.#longest, ms);
    this.#lags = [...this.#lags.filter(({ at }) => at > now - REMEMBERED_MS), { at: now, ms }];
  }

  /** By the longest wait of the last seconds; a new TLS connection takes several turns of both processes. */
  get ms(): number {
    return USUAL_MS + 4 * this.#lags.reduce((most, { ms }) => Math.max(most, ms), 0);
  }

  /** The longest wait of a process in this time. */
  within(from: number, to: number): number {
    return this.#lags
      .filter(({ at, ms }) => at >= from && at - ms <= to)
      .reduce((most, { ms }) => Math.max(most, ms), 0);
  }

  get longestLagMs(): number {
    return this.#longest;
  }
}
