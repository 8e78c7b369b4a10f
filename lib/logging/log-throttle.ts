import type { Clock } from '../time/clock.js';

/**
 * Says when a line about a problem may be logged: once when the problem begins, and once when the problem is over. An
 * outage must not fill the log.
 */
export class LogThrottle {
  /** Made for the first problem, because each pair has several throttles. */
  #begun: Set<string> | undefined;
  #lastAt = -Infinity;

  /** @param everyMs a problem that begins again sooner is not logged, and counts as one that has not begun. */
  constructor(
    private readonly clock?: Clock,
    private readonly everyMs = 0,
  ) {}

  has(problem = ''): boolean {
    return this.#begun?.has(problem) === true;
  }

  /** Returns whether to log that this problem has begun. */
  begins(problem = ''): boolean {
    const now = this.clock?.monotonic() ?? 0;
    if (this.has(problem) || now - this.#lastAt < this.everyMs) return false;
    (this.#begun ??= new Set()).add(problem);
    this.#lastAt = now;
    return true;
  }

  /** For a problem that is over at once, so that only the time counts. Returns whether to log it again. */
  recurs(): boolean {
    this.ends();
    return this.begins();
  }

  /** All problems are over. Returns whether to log that. */
  ends(): boolean {
    const hadBegun = this.#begun !== undefined;
    this.#begun = undefined;
    return hadBegun;
  }
}
