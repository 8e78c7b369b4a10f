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

export interface StoreClaim {
  /** Letters, digits, `-` and `_` only. */
  readonly name: string;
  /** An entry of exactly this value counts as none; `remove` deletes it as well. Any other entry stands. */
  readonly unwanted?: { readonly value: string; readonly remove: boolean } | undefined;
  /** Without it the claim only looks. `owner` tells one claimant from all others. */
  readonly lease?: { readonly owner: string; readonly ms: number } | undefined;
}

export type StoreAnswer =
  | { readonly state: 'found'; readonly now: number; readonly value: string; readonly expiresAt: number }
  /** The lease is the claimant's. */
  | { readonly state: 'leased'; readonly now: number }
  /** Somebody else has the lease, or has left a note in its place. */
  | {
      readonly state: 'held';
      readonly now: number;
      readonly note?: string | undefined;
      readonly expiresAt: number;
    }
  /** Neither an entry nor a lease; only for a claim that just looks. */
  | { readonly state: 'free'; readonly now: number };

export interface StorePublication {
  readonly name: string;
  readonly owner: string;
  readonly value: string;
  /** When the entry ends; one that has ended by the time it arrives is not written. */
  readonly expiresAt: number;
}

export interface StoreRelease {
  readonly name: string;
  readonly owner: string;
  /** What the others are told, for so long, instead of getting the lease. */
  readonly note?: { readonly value: string; readonly ms: number } | undefined;
}
