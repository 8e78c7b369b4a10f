/** What callers have seen so far. */
export interface Counts {
  /** Calls that have ended. */
  calls: number;
  /** Calls that failed for their callers. A call that was refused, sent again and answered has not failed. */
  failed: number;
  /** Failed calls that never left: there was no token. */
  unsent: number;
  /** Calls that were refused, sent again and answered. */
  recovered: number;
  tokenRequests: number;
  failedTokenRequests: number;
}

/** What callers have seen since the fault of their scenario. */
export interface Seen extends Readonly<Counts> {
  readonly seconds: number;
  /** How long it took until a token was issued again. Absent while there is none. */
  readonly recoveredAfter?: number;
  /** Calls that failed after that. */
  readonly failedLater: number;
}

const none = (): Counts => ({
  calls: 0,
  failed: 0,
  unsent: 0,
  recovered: 0,
  tokenRequests: 0,
  failedTokenRequests: 0,
});

/** Counts what callers see: since their start, and since the fault of their scenario. */
export class Tally {
  readonly counts = none();
  readonly #now: () => number;
  #fault: { readonly at: number; readonly before: Counts } | undefined;
  #recovery: { readonly at: number; readonly failed: number } | undefined;
  #endedAt: number | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** When the callers have ended, in milliseconds since 1970. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  noteTokenRequest(isOk: boolean): void {
    this.counts.tokenRequests += 1;
    if (!isOk) this.counts.failedTokenRequests += 1;
    else if (this.#fault !== undefined) this.#recovery ??= { at: this.#now(), failed: this.counts.failed };
  }

  /** A scenario has one fault, in one step or more. */
  noteFault(): void {
    this.#fault ??= { at: this.#now(), before: { ...this.counts } };
  }

  noteEnd(): void {
    this.#endedAt ??= this.#now();
  }

  /** Undefined before the fault. */
  get seen(): Seen | undefined {
    const [fault, recovery] = [this.#fault, this.#recovery];
    if (fault === undefined) return undefined;
    const secondsTo = (at: number): number => (at - fault.at) / 1000;
    const since = none();
    for (const name of Object.keys(since) as (keyof Counts)[])
      since[name] = this.counts[name] - fault.before[name];
    return {
      ...since,
      seconds: secondsTo(this.#endedAt ?? this.#now()),
      ...(recovery !== undefined && { recoveredAfter: secondsTo(recovery.at) }),
      failedLater: recovery === undefined ? 0 : this.counts.failed - recovery.failed,
    };
  }
}
