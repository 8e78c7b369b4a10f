import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';

/** In this time two clocks that work well drift apart by less than a second. */
const TRUSTED_FOR_MS = 6 * 60 * 60 * 1000;
/** Normal corrections of a clock are smaller. A larger step means that the machine slept, or its clock was set. */
const LARGEST_STEP_MS = 1_000;

/**
 * What a process knows of the store's clock. The store read its clock at a moment between the question and the answer. The
 * process counts on from there.
 */
export class StoreClock {
  readonly #clock: Clock;
  #seen: { readonly now: number; readonly asked: Deadline; readonly answered: Deadline } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record(now: number, asked: Deadline): void {
    this.#seen = { now, asked, answered: Deadline.after(this.#clock, 0) };
  }

  /** The store's clock shows this moment or a later one. Undefined if the process does not know. */
  get earliest(): number | undefined {
    return this.#seen && this.#countedFrom(this.#seen.now, this.#seen.answered);
  }

  /** The store's clock shows this moment or an earlier one. Undefined if the process does not know. */
  get latest(): number | undefined {
    return this.#seen && this.#countedFrom(this.#seen.now, this.#seen.asked);
  }

  #countedFrom(now: number, moment: Deadline): number | undefined {
    const passed = this.#clock.monotonic() - moment.monotonic;
    const passedByWall = this.#clock.wall() - moment.wall;
    if (passed > TRUSTED_FOR_MS || Math.abs(passedByWall - passed) > LARGEST_STEP_MS) return undefined;
    return Math.floor(now + passed);
  }
}
