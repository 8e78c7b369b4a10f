import { TokenRequestError } from '../../errors/token-request.error.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { Outage } from '../outage.js';
import { type FailureNote, LEASE_MS, LONGEST_LEASE_MS } from './fleet-records.js';

const LOOK_AGAIN_MS = 1_000;
/** How long a note may hold back: the longest pause of an outage with its jitter (B18), and a refusal or a `Retry-After` (B7). */
const LONGEST_NOTE_MS = { outage: 6_000, asked: 60_000 } as const;

/** This process's own failure, until it has a token again. */
interface Failure {
  readonly error: TokenRequestError;
  /** The entry that it was met with; a changed secret has another (B7). */
  readonly name: string | undefined;
  readonly until: Deadline;
  /** When it was met, by the store's clock. */
  readonly at: number | undefined;
}

/** A note as it was read from the store. */
interface HeardNote extends FailureNote {
  /** The sealed text. */
  readonly text: string;
}

/** A failure that the others are to hear of. */
export interface SharedFailure {
  readonly note: FailureNote;
  readonly ms: number;
}

/**
 * What a process knows of an outage. It has tried itself, or it has not; only a process that has tried lets the notes of
 * the others hold it back. Its callers then get its own error, never another's.
 */
export class FleetOutage {
  readonly #clock: Clock;
  readonly #outage: Pick<Outage, 'joined' | 'ended'>;
  #failure: Failure | undefined;
  /** The first failure of this outage in the whole fleet, as far as known, by the store's clock. */
  #since: number | undefined;
  #nextLook: Deadline | undefined;
  #pauseMs = 0;
  /** The note that held this process back last. */
  #heeded: string | undefined;

  constructor(clock: Clock, outage: Pick<Outage, 'joined' | 'ended'>) {
    this.#clock = clock;
    this.#outage = outage;
  }

  /** A failure that callers get at once. */
  get standing(): Failure | undefined {
    return this.#failure?.until.hasCome(this.#clock) === false ? this.#failure : undefined;
  }

  /** How long this process may keep the others from asking: in an outage as long as the pauses are. */
  get leaseMs(): number {
    return Math.min(Math.max(LEASE_MS, this.#pauseMs), LONGEST_LEASE_MS);
  }

  /** This process's own last failure with this entry, if it has had no token since. */
  failureWith(name: string): Failure | undefined {
    return this.#failure?.name === name ? this.#failure : undefined;
  }

  /** Whether it is time to look for another's token. If so, the next time is a second away. */
  lookNow(): boolean {
    if (this.#nextLook?.hasCome(this.#clock) === false) return false;
    this.#lookLater();
    return true;
  }

  /** This process has failed itself. */
  failed(
    error: TokenRequestError,
    name: string | undefined,
    at: number | undefined,
  ): SharedFailure | undefined {
    this.#failure = { error, name, at, until: Deadline.after(this.#clock, this.#left(error)) };
    this.#since ??= at;
    this.#lookLater();
    // What only concerns this process, its secret, its certificates or its proxy, says nothing to the others.
    const ms = error.failure.local ? 0 : Math.ceil(Math.min(this.#left(error), longestNote(error)));
    this.#pauseMs = ms;
    if (ms === 0 || at === undefined) return undefined;
    return { note: { since: this.#since ?? at, endsAt: at + ms }, ms };
  }

  /**
   * Another process has failed. Says whether this one is to try all the same, because it has not tried in this outage. Else
   * its callers get its own error until the note ends. No note holds back twice: it would do so for longer than this
   * process's own kind of failure allows, or the store's clock was set back.
   */
  heard({ text, since, endsAt }: HeardNote, name: string, now: number): 'try' | TokenRequestError {
    const failure = this.failureWith(name);
    this.#since = Math.min(this.#since ?? since, since);
    if (failure === undefined || (failure.at ?? -Infinity) < since || this.#heeded === text) {
      this.joined(now - this.#since);
      return 'try';
    }
    this.#heeded = text;
    const ms = Math.min(endsAt - now, longestNote(failure.error));
    const until = Deadline.after(this.#clock, ms);
    const error = failure.error.until(until.date);
    this.#failure = { ...failure, error, until };
    this.#lookLater();
    return error;
  }

  /** The others have been failing for so long: what this process tries now is part of that outage. */
  joined(ageMs: number): void {
    this.#outage.joined(ageMs);
  }

  over(): void {
    this.#failure = undefined;
    this.#since = undefined;
    this.#pauseMs = 0;
    this.#outage.ended();
  }

  #lookLater(): void {
    this.#nextLook = Deadline.after(this.#clock, LOOK_AGAIN_MS);
  }

  #left({ retryAt }: TokenRequestError): number {
    return retryAt === undefined ? 0 : Math.max(0, retryAt.getTime() - this.#clock.wall());
  }
}

function longestNote({ code, retryAfterMs }: TokenRequestError): number {
  return code === 'TOKEN_REJECTED' || retryAfterMs !== undefined
    ? LONGEST_NOTE_MS.asked
    : LONGEST_NOTE_MS.outage;
}
