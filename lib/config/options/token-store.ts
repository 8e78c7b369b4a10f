import type { Secret } from '../../secrets/secret.js';

/**
 * Where the processes of a fleet share tokens. Use `RedisTokenStore` from `nestjs-provider-auth/redis`, or write your own
 * store, and check it with `tokenStoreChecks` from `nestjs-provider-auth/testing`.
 *
 * A store keeps sealed text under a name and knows nothing about tokens. Each name has at most one entry and at most one
 * lease. The process with the lease requests a token, and the other processes wait for its entry. All times are milliseconds
 * since 1970 on the store's clock, because the processes' clocks may differ.
 *
 * A claim returns the entry or the lease, shows that another process has the lease, or rejects if the store fails. Each
 * operation must be atomic. An operation that takes longer than `timeoutMs` counts as failed, but may still take effect later.
 */
export interface TokenStore {
  /** How many milliseconds one operation may take. After that, the process continues without the store. @default 250 */
  readonly timeoutMs?: number | undefined;

  /** The store's host for the log, such as `redis.internal:6379`. Not a URL, because a URL may contain a password. */
  readonly host?: string | undefined;

  /**
   * Returns a string of at least 32 bytes that seals the entries of clients with neither a secret nor a private key. Every
   * process of the fleet needs the same one. Without it, such clients can't use the store.
   */
  readonly sealKey?: (() => Promise<Secret>) | undefined;

  /**
   * Returns the entry. If there's none, takes the lease, provided that the claim asks for it and no other process has it. The
   * owner can claim again to extend its lease.
   */
  claim(claim: StoreClaim): Promise<StoreAnswer>;

  /**
   * Writes the entry until its `expiresAt`, and removes the writer's lease and any note. A writer without the lease writes
   * only if there is no entry: it never replaces the entry of a process that had the lease.
   */
  publish(publication: StorePublication): Promise<void>;

  /** Removes the owner's lease, or replaces it with a note. Does nothing if the owner no longer has the lease. */
  release(release: StoreRelease): Promise<void>;
}

/** The end of the name of a claim that only tries the store. In a cluster, its key belongs on the node of the name before it. @internal */
export const TRIAL = '-trial';

/** A process's request to a store for the entry or, if there is none, for the lease. */
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

/** A store's answer to a claim. `now` and `expiresAt` are milliseconds since 1970 on the store's clock. */
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
  /** When the entry expires. An expired entry isn't written. */
  readonly expiresAt: number;
}

/** A lease to release. */
export interface StoreRelease {
  /** The name of the entry that the lease is for. */
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
