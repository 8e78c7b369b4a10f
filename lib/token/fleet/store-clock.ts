import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';

/** Two clocks in good order drift apart by less than a second in this time. */
const TRUSTED_FOR_MS = 6 * 60 * 60 * 1000;
/** More than clocks are corrected by in passing: the machine slept, or its clock was set. */
const LARGEST_STEP_MS = 1_000;

/**
 * The store's clock, as far as a process can know it: the store read its clock at some moment between the question and
 * the answer, and the process counts on from there.
 */
export class StoreClock {
  readonly #clock: Clock;
  #seen: { readonly now: number; readonly asked: Deadline; readonly answered: Deadline } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  saw(now: number, asked: Deadline): void {
    this.#seen = { now, asked, answered: Deadline.after(this.#clock, 0) };
  }

  /** It is this moment or later. Undefined where the process cannot know. */
  get earliest(): number | undefined {
    return this.#seen && this.#countedFrom(this.#seen.now, this.#seen.answered);
  }

  /** It is this moment or earlier. Undefined where the process cannot know. */
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
