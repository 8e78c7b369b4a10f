import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The usual delay between the wire and the caller. */
const USUAL_MS = 500;
const REMEMBERED_MS = 30_000;

/** Starts to measure the delay of the event loop. Each call of the result returns the longest delay since the last call. */
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
 * How much later than on the wire a process may see something. It follows the measured delay of the event loops, because
 * the machine may be busy. It excuses late times only, never a wrong request or response.
 */
export class Tolerance {
  #lags: { readonly at: number; readonly ms: number }[] = [];
  #longest = 0;

  /** Adds a measured delay of a process. */
  add(ms: number): void {
    const now = Date.now();
    this.#longest = Math.max(this.#longest, ms);
    this.#lags = [...this.#lags.filter(({ at }) => at > now - REMEMBERED_MS), { at: now, ms }];
  }

  /** Four times the longest delay of the last 30 seconds, because a new TLS connection takes several turns of both processes. */
  get ms(): number {
    return USUAL_MS + 4 * this.#lags.reduce((most, { ms }) => Math.max(most, ms), 0);
  }

  /** The longest delay of a process in this time. */
  within(from: number, to: number): number {
    return this.#lags
      .filter(({ at, ms }) => at >= from && at - ms <= to)
      .reduce((most, { ms }) => Math.max(most, ms), 0);
  }

  get longestLagMs(): number {
    return this.#longest;
  }
}
