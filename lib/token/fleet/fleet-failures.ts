import { TokenRequestError } from '../../errors/token-request.error.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import { sharedFor } from './stored-failure.js';

const LOOK_AGAIN_MS = 1_000;
const FIRST_MS = 250;
const LONGEST_MS = 5_000;

interface Failure {
  readonly error: TokenRequestError;
  /** The entry that it was met with; a changed secret has another (B7). */
  readonly name: string | undefined;
  readonly until: Deadline;
}

/**
 * What a process knows of failures in the fleet, its own and those that others tell: callers get them at once, and no
 * more than once a second somebody looks whether another process has a token by now (B6).
 */
export class FleetFailures {
  readonly #clock: Clock;
  #standing: Failure | undefined;
  #nextLook: Deadline | undefined;
  /** In a row, whoever met them: the whole fleet grows patient together. */
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get standing(): Failure | undefined {
    return this.#standing?.until.hasCome(this.#clock) === false ? this.#standing : undefined;
  }

  /** Whether it is time to look; if so, the next time is a second away. */
  mayLook(): boolean {
    if (this.#nextLook?.hasCome(this.#clock) === false) return false;
    this.#lookLater();
    return true;
  }

  /** How long the others shall take this error for theirs: 0 for one that is only this process's own. */
  spanFor(error: TokenRequestError): number {
    const patience = Math.min(FIRST_MS * 2 ** this.#count, LONGEST_MS);
    return sharedFor(error, Math.max(patience, this.#left(error)));
  }

  met(error: TokenRequestError, name: string | undefined): void {
    this.#count += 1;
    this.#standing = { error, name, until: Deadline.after(this.#clock, this.#left(error)) };
    this.#lookLater();
  }

  over(): void {
    this.#standing = undefined;
    this.#count = 0;
  }

  #lookLater(): void {
    this.#nextLook = Deadline.after(this.#clock, LOOK_AGAIN_MS);
  }

  #left({ retryAt }: TokenRequestError): number {
    return retryAt === undefined ? 0 : Math.max(0, retryAt.getTime() - this.#clock.wall());
  }
}
