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
   * Returns the entry. If there's none, takes the lease, provided that the claim asks for it, no other process has it, and
   * there's no note.
   */
  claim(claim: StoreClaim): Promise<StoreAnswer>;

  /**
   * Writes the entry until its `expiresAt`, and removes the writer's lease and any note. A writer without the lease writes only
   * if there is no entry that ends at the same time or later.
   */
  publish(publication: StorePublication): Promise<void>;

  /** Removes the owner's lease, or replaces it with a note. Does nothing if the owner no longer has the lease. */
  release(release: StoreRelease): Promise<void>;
}

/** A process's request to a store for the entry or, if there is none, for the lease. */
export interface StoreClaim {
  /** Letters, digits, `-` and `_` only. */
  readonly name: string;
  /** The entry with exactly this value counts as missing for this claim. It stays until another entry replaces it. */
  readonly unwanted?:
    | {
        /** The sealed text of the entry. */
        readonly value: string;
      }
    | undefined;
  /** The lease to take. Without it, the claim takes no lease. */
  readonly lease?:
    | {
        /** The process that claims. Each process has another owner. Letters, digits, `-` and `_` only. */
        readonly owner: string;
        /** How many milliseconds the lease lasts. */
        readonly ms: number;
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
  /** The process that writes. */
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
