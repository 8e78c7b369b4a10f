import type { Secret } from '../../secrets/secret.js';

/**
 * Where the processes of a fleet share tokens. The entry `/redis` has `RedisTokenStore`. You can also write your own store:
 * `tokenStoreChecks` of the entry `/testing` shows whether it behaves as described here.
 *
 * A store keeps sealed text under a name and knows nothing about tokens. Each name has at most one entry and at most one
 * lease. The process with the lease requests a token, and the other processes wait for its entry. All times are
 * milliseconds since 1970 by the store's clock, because the clocks of the processes can be different.
 *
 * A claim has three kinds of results: an entry or the lease, the lease of another process, or a failed store, which rejects.
 * Each operation is atomic. An operation that takes longer than `timeoutMs` counts as failed, but may still happen later.
 */
export interface TokenStore {
  /** Milliseconds for one operation. After that, the process continues without the store. @default 250 */
  readonly timeoutMs?: number;

  /** Where the store is, for the log: `redis.internal:6379`. Never a URL, because a URL may hold a password. */
  readonly host?: string | undefined;

  /**
   * Gives a text of at least 32 bytes. It seals the entries of clients that have neither a secret nor a private key, and each
   * process that knows it can open them. Undefined if the store has none: then such a client cannot use the store.
   */
  readonly sealKey?: (() => Promise<Secret>) | undefined;

  /**
   * Returns the entry. If there is no entry, takes the lease, if the claim asks for a lease and no other process has it. The
   * owner of the lease can claim again to extend the lease.
   */
  claim(claim: StoreClaim): Promise<StoreAnswer>;

  /**
   * Writes the entry until its `expiresAt`, and removes the writer's lease and any note. A writer without the lease writes
   * only if there is no entry: it never replaces the entry of a process that had the lease.
   */
  publish(publication: StorePublication): Promise<void>;

  /** Removes the owner's lease, or replaces it by a note. Does nothing if the owner does not have the lease any more. */
  release(release: StoreRelease): Promise<void>;
}

/** A request of a process to a store: the entry, or the lease if there is no entry. */
export interface StoreClaim {
  /** Letters, digits, `-` and `_` only. */
  readonly name: string;
  /** An entry with exactly this value counts as missing. `remove` also deletes it. Any other entry stays. */
  readonly unwanted?:
    | {
        /** The value of the entry that counts as missing. */
        readonly value: string;
        /** Whether the entry is deleted. */
        readonly remove: boolean;
      }
    | undefined;
  /** The lease to take. Without it, the claim takes no lease. */
  readonly lease?:
    | {
        /** The process that claims. Each process has another owner. Letters, digits, `-` and `_` only. */
        readonly owner: string;
        /** How many milliseconds the lease lasts. */
        readonly ms: number;
        /**
         * A lease of exactly this owner, or a note with exactly this text, counts as missing and is replaced. A store that
         * never returns a `holder` can ignore this member. A process then requests a token without the lease.
         */
        readonly insteadOf?: string | undefined;
      }
    | undefined;
}

/** The answer of a store to a claim. `now` and `expiresAt` are milliseconds since 1970 by the store's clock. */
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
      /** The process that claims has the lease. */
      readonly state: 'leased';
      /** The store's clock. */
      readonly now: number;
    }
  | {
      /** Another process has the lease, or has left a note. */
      readonly state: 'held';
      /** The store's clock. */
      readonly now: number;
      /** The note of the last owner of the lease: sealed text. */
      readonly note?: string | undefined;
      /** The `owner` that has the lease. A store can leave this out. */
      readonly holder?: string | undefined;
      /** When the lease or the note ends. */
      readonly expiresAt: number;
    }
  | {
      /** There is no entry and no lease. Only for a claim without `lease`. */
      readonly state: 'free';
      /** The store's clock. */
      readonly now: number;
    };

/** An entry to write. */
export interface StorePublication {
  /** The name of the entry: letters, digits, `-` and `_` only. */
  readonly name: string;
  /** The process that writes. Without the lease, it writes only if there is no entry. */
  readonly owner: string;
  /** Sealed text: letters, digits, `-` and `_` only. */
  readonly value: string;
  /** When the entry ends. An entry that has already ended is not written. */
  readonly expiresAt: number;
}

/** A lease to release. */
export interface StoreRelease {
  /** The name of the entry of the lease. */
  readonly name: string;
  /** The process that had the lease. */
  readonly owner: string;
  /** While the note exists, other processes get the note instead of the lease. */
  readonly note?:
    | {
        /** Sealed text: letters, digits, `-` and `_` only. */
        readonly value: string;
        /** How many milliseconds the note exists. */
        readonly ms: number;
      }
    | undefined;
}
