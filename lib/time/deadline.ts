import type { Clock } from './clock.js';

/** Two clocks never agree exactly. A larger difference means that the wall clock was set back. */
const DRIFT_MS = 1_000;

/** A moment by two clocks. It has come as soon as one of the clocks says so (S11). */
export class Deadline {
  private constructor(
    readonly wall: number,
    readonly monotonic: number,
  ) {
    Object.freeze(this);
  }

  static after(clock: Clock, ms: number): Deadline {
    return new Deadline(clock.wall() + ms, clock.monotonic() + ms);
  }

  plus(ms: number): Deadline {
    return new Deadline(this.wall + ms, this.monotonic + ms);
  }

  hasCome(clock: Clock): boolean {
    return clock.wall() >= this.wall || clock.monotonic() >= this.monotonic;
  }

  /** Milliseconds until this moment, by the clock that reaches it first. 0 if the moment has come. */
  remaining(clock: Clock): number {
    return Math.max(0, Math.min(this.wall - clock.wall(), this.monotonic - clock.monotonic()));
  }

  get date(): Date {
    return new Date(this.wall);
  }

  /**
   * The date of this moment by the present wall clock. If the wall clock was set back since, `date` would be too late
   * by the same time.
   */
  dateBy(clock: Clock): Date {
    const date = clock.wall() + this.monotonic - clock.monotonic();
    return new Date(date < this.wall - DRIFT_MS ? date : this.wall);
  }
}
