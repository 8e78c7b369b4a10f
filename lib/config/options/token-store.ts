/**
 * Where the processes of a fleet share tokens. `RedisTokenStore` of the entry `/redis` is one; any other that keeps these
 * promises will do, and `tokenStoreChecks` of the entry `/testing` tells whether it does.
 *
 * A store holds sealed text under a name and knows nothing of tokens. Under each name there is at most one entry, and at
 * most one lease: the right of one process to fetch while the others wait for what it brings. All moments are
 * milliseconds since 1970 by the store's clock, because the clocks of the processes may disagree.
 *
 * Three things are told apart: an answer, somebody else's lease, and a store that failed, which rejects. Each operation
 * happens at once or not at all. One that takes longer than `timeoutMs` counts as failed; it may still happen later.
 */
export interface TokenStore {
  /** How many milliseconds one operation may take before the process goes on without the store. @default 250 */
  readonly timeoutMs?: number;

  /**
   * Gives the entry; where there is none, takes the lease, if one is wished for and nobody else has it. The owner of the
   * lease may claim again and so prolong it.
   */
  claim(claim: StoreClaim): Promise<StoreAnswer>;

  /**
   * Writes the entry, which ends with its life, and takes away the writer's own lease and any note. A writer without the
   * lease writes only where there is no entry: it never replaces what a better-placed process has brought.
   */
  publish(publication: StorePublication): Promise<void>;

  /** Takes away the owner's lease, or puts a note in its place. Does nothing when the lease is not the owner's any more. */
  release(release: StoreRelease): Promise<void>;
}

/** What a process wants of a store: an entry or, where there is none, the lease. */
export interface StoreClaim {
  /** Letters, digits, `-` and `_` only. */
  readonly name: string;
  /** An entry of exactly this value counts as none; `remove` deletes it as well. Any other entry stands. */
  readonly unwanted?:
    | {
        /** The entry that does not count. */
        readonly value: string;
        /** Whether it is deleted as well. */
        readonly remove: boolean;
      }
    | undefined;
  /** Without it the claim only looks. `owner` tells one claimant from all others. */
  readonly lease?:
    | {
        /** Who claims; no two processes have the same. Letters, digits, `-` and `_` only. */
        readonly owner: string;
        /** How many milliseconds the lease lasts. */
        readonly ms: number;
        /**
         * A lease of exactly this owner, or a note of exactly this text, counts as none and is replaced. A store that never
         * tells a `holder` may ignore this; a process then asks for a token without the lease.
         */
        readonly insteadOf?: string | undefined;
      }
    | undefined;
}

/** What a store answers to a claim; `now` and `expiresAt` are milliseconds since 1970 by the store's clock. */
export type StoreAnswer =
  | {
      /** There is an entry. */
      readonly state: 'found';
      /** The store's clock. */
      readonly now: number;
      /** The entry: sealed text. */
      readonly value: string;
      /** When the entry ends. */
      readonly expiresAt: number;
    }
  | {
      /** The lease is the claimant's. */
      readonly state: 'leased';
      /** The store's clock. */
      readonly now: number;
    }
  | {
      /** Somebody else has the lease, or has left a note in its place. */
      readonly state: 'held';
      /** The store's clock. */
      readonly now: number;
      /** What the last holder of the lease left: sealed text. */
      readonly note?: string | undefined;
      /** The owner that holds the lease, as the claim named it. A store may leave this out. */
      readonly holder?: string | undefined;
      /** When the lease or the note ends. */
      readonly expiresAt: number;
    }
  | {
      /** Neither an entry nor a lease; only for a claim that just looks. */
      readonly state: 'free';
      /** The store's clock. */
      readonly now: number;
    };

/** An entry to write. */
export interface StorePublication {
  /** The name of the entry: letters, digits, `-` and `_` only. */
  readonly name: string;
  /** Who writes; without the lease only where there is no entry. */
  readonly owner: string;
  /** Sealed text: letters, digits, `-` and `_` only. */
  readonly value: string;
  /** When the entry ends; one that has ended by the time it arrives is not written. */
  readonly expiresAt: number;
}

/** A lease to give up. */
export interface StoreRelease {
  /** The name of the entry that the lease is for. */
  readonly name: string;
  /** Whose lease it was. */
  readonly owner: string;
  /** What the others are told, for so long, instead of getting the lease. */
  readonly note?:
    | {
        /** Sealed text: letters, digits, `-` and `_` only. */
        readonly value: string;
        /** How many milliseconds it stands. */
        readonly ms: number;
      }
    | undefined;
}
