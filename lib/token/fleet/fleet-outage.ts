import { TokenRequestError } from '../../errors/token-request.error.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { Outage } from '../outage.js';
import { type FailureNote, LEASE_MS, LONGEST_LEASE_MS } from './fleet-entry.js';

/**
 * The longest time for which a note may hold a process back. In an outage: the longest pause with its jitter (B18). After a
 * refusal or a `Retry-After`: the longest cool-down (B7).
 */
const LONGEST_NOTE_MS = { outage: 6_000, asked: 60_000 } as const;

/** The last failure of this process, until it has a token again. */
interface OwnFailure {
  readonly error: TokenRequestError;
  /** The name of the entry. A changed secret has another entry (B7). Undefined if the secret could not be read. */
  readonly name: string | undefined;
  readonly until: Deadline;
  /** When the failure happened, by the store's clock. */
  readonly at: number | undefined;
}

/** A failure that the other processes must learn about. */
export interface SharedFailure {
  readonly note: FailureNote;
  readonly ms: number;
}

/** What a process knows of an outage of its fleet. Its callers get its own error, never that of another process. */
export class FleetOutage {
  #failure: OwnFailure | undefined;
  /** The first known failure of this outage in the whole fleet, by the store's clock. */
  #since: number | undefined;
  #lastLook: Deadline | undefined;
  #pauseMs = 0;
  /** The last note that held this process back. */
  #obeyed: string | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly outage: Pick<Outage, 'continueOutage' | 'ended'>,
  ) {}

  /** The failure that callers get at once, without a request. */
  get standingFailure(): OwnFailure | undefined {
    return this.#failure?.until.hasCome(this.clock) === false ? this.#failure : undefined;
  }

  /** How long this process may keep the others from asking. In an outage this is as long as its last pause. */
  get leaseMs(): number {
    return Math.min(Math.max(LEASE_MS, this.#pauseMs), LONGEST_LEASE_MS);
  }

  /** The last failure of this process with this entry, if it has had no token since. */
  failureWith(name: string): OwnFailure | undefined {
    return this.#failure?.name === name ? this.#failure : undefined;
  }

  /**
   * Returns whether this process may look for a token of another process now.
   *
   * @param afterMs the time between two looks.
   */
  claimLook(afterMs: number): boolean {
    if (this.#lastLook?.plus(afterMs).hasCome(this.clock) === false) return false;
    this.#lookLater();
    return true;
  }

  /**
   * A renewal of this process has failed. Returns what the other processes must learn about it, if anything.
   *
   * @param name of the entry, if the secret could be read.
   * @param at the moment by the store's clock, if that is known.
   */
  recordFailure(
    error: unknown,
    signal: AbortSignal | undefined,
    name?: string,
    at?: number,
  ): SharedFailure | undefined {
    if (!(error instanceof TokenRequestError) || signal?.aborted) return undefined;
    const until = this.#untilOf(error);
    this.#failure = { error, name, at, until };
    this.#since ??= at;
    this.#lookLater();
    // A failure of this process's own secret, certificates or proxy says nothing about the endpoint.
    const ms = error.failure.local ? 0 : Math.ceil(Math.min(until.remaining(this.clock), longestNote(error)));
    this.#pauseMs = ms;
    if (ms === 0 || at === undefined) return undefined;
    return { note: { since: this.#since ?? at, endsAt: at + ms }, ms };
  }

  /**
   * Another process has left this note. Returns `try` if this process has not tried in this outage. Otherwise its callers get
   * its own error until the note ends. A note that was obeyed once is ignored: it lasts too long, or the store's clock was set
   * back.
   */
  obeyNote(
    { text, since, endsAt }: FailureNote & { readonly text: string },
    name: string,
    now: number,
  ): 'try' | TokenRequestError {
    const failure = this.failureWith(name);
    this.#since = Math.min(this.#since ?? since, since);
    if (failure === undefined || (failure.at ?? -Infinity) < since || this.#obeyed === text) {
      this.continueOutage(now - this.#since);
      return 'try';
    }
    this.#obeyed = text;
    const ms = Math.min(endsAt - now, longestNote(failure.error));
    const until = Deadline.after(this.clock, ms);
    const error = failure.error.copy(until.date);
    this.#failure = { ...failure, error, until };
    this.#lookLater();
    return error;
  }

  /** Other processes have been failing for this long. */
  continueOutage(ageMs: number): void {
    this.outage.continueOutage(ageMs);
  }

  /** This process has a token. */
  ended(): void {
    this.#failure = undefined;
    this.#since = undefined;
    this.#pauseMs = 0;
    this.outage.ended();
  }

  #lookLater(): void {
    this.#lastLook = Deadline.after(this.clock, 0);
  }

  /** A cool-down repeats one error object. Its date is by the wall clock as it was when the error happened. */
  #untilOf(error: TokenRequestError): Deadline {
    if (error === this.#failure?.error) return this.#failure.until;
    const now = this.clock.wall();
    return Deadline.after(this.clock, Math.max(0, (error.retryAt?.getTime() ?? now) - now));
  }
}

function longestNote({ code, failure }: TokenRequestError): number {
  return code === 'TOKEN_REJECTED' || failure.retryAfterMs !== undefined
    ? LONGEST_NOTE_MS.asked
    : LONGEST_NOTE_MS.outage;
}
