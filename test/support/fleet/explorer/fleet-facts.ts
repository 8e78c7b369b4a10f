/** A lease that the store has given, as the explorer counts it. The store and the processes do not see this record. */
export interface LeaseFact {
  readonly name: string;
  readonly entry: string;
  readonly process: string;
  /** While the time is before this moment, no other process may ask for this entry with a lease. */
  readonly liveUntil: number;
}

/** A token request under way. */
export interface RequestFact {
  readonly process: string;
  /** The name of the lease that the process has taken for this request. Undefined if the process asks alone. */
  readonly lease: string | undefined;
  /** Whether this process may ask alone. */
  readonly mayAskAlone: boolean;
}

/** A token that a caller of a process has got in the last step. */
export interface HandedOutFact {
  readonly process: string;
  readonly token: string;
  /** The entries of all secrets that this process has had. */
  readonly entries: readonly string[];
  /** The entry for which the token endpoint has given this token. */
  readonly entryOfToken: string;
  readonly wasRefusedHere: boolean;
  /** By the explorer's own time, not by the clocks of the process. */
  readonly hasExpired: boolean;
  /**
   * For a token from the store: by how many milliseconds the store's clock was behind when the process read the token, compared with
   * the moment when another process got it from the token endpoint. Negative if the clock was not set back.
   */
  readonly clockBehindMs: number | undefined;
}

/** A publication that the store has executed in the last step. */
export interface PublicationFact {
  readonly process: string;
  readonly hadLease: boolean;
  readonly entryBefore: string | undefined;
  readonly entryAfter: string | undefined;
  /** The entry that the publication names, and the entry for which the token endpoint has given the token. */
  readonly entry: string;
  readonly entryOfToken: string | undefined;
}

/** A process that can reach the token endpoint and waits, while no request reaches the token endpoint. */
export interface WaitFact {
  readonly process: string;
  readonly ms: number;
}

/** What the invariants are checked against: after each step of a history. */
export interface FleetFacts {
  readonly now: number;
  readonly leases: readonly LeaseFact[];
  readonly requests: readonly RequestFact[];
  /** Empty after any other fault than `cut`. */
  readonly waitsForOthers: readonly WaitFact[];
  readonly handedOut: readonly HandedOutFact[];
  readonly publications: readonly PublicationFact[];
  /** Processes that live and have no token that the API accepts, when nothing is left to do. Empty before. */
  readonly unfinished: readonly string[];
}
