import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';

/** How many requests end in the same way, and over how long, until that is no chance any more. */
const LIMITS = {
  unanswered: { requests: 5, ms: 10_000 },
};

/** How a request to an API may end, if the end says something about the API. */
export type ApiProblem = keyof typeof LIMITS;

/**
 * Counts requests that ended in the same way, with no other response between them (B29). One timeout or one reset may be
 * chance, and one call must not make the health check fail. But an API that does nothing else is broken.
 */
export class OutcomeStreak {
  readonly #clock: Clock;
  readonly #lastsFrom: Deadline;
  #requests = 0;

  constructor(
    readonly problem: ApiProblem,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#lastsFrom = Deadline.after(clock, LIMITS[problem].ms);
  }

  /** Counts a request. Returns whether the problem lasts. */
  add(): boolean {
    this.#requests += 1;
    return this.#requests >= LIMITS[this.problem].requests && this.#lastsFrom.hasCome(this.#clock);
  }
}
