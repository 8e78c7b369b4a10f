import { randomBytes } from 'node:crypto';
import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../../config/options/token-store.js';
import { Secret } from '../../secrets/secret.js';

interface Stored {
  readonly text: string;
  readonly ends: number;
}

/**
 * A `TokenStore` in this process's memory. It lets several apps in one test share tokens, as a fleet does. Its source shows in
 * a few lines what a store must do.
 */
export class MemoryTokenStore implements TokenStore {
  readonly #entries = new Map<string, Stored>();
  readonly #leases = new Map<string, Stored>();
  readonly #notes = new Map<string, Stored>();
  readonly #sealKey = new Secret(randomBytes(32).toString('base64url'));

  /** @param now The store's clock: milliseconds since 1970. */
  constructor(private readonly now: () => number = () => Date.now()) {}

  /** A different key for each store. The key and the entries disappear with the store. */
  sealKey(): Promise<Secret> {
    return Promise.resolve(this.#sealKey);
  }

  async claim({ name, unwanted, lease }: StoreClaim): Promise<StoreAnswer> {
    const now = this.now();
    const entry = this.#find(this.#entries, name);
    if (entry && entry.text !== unwanted?.value)
      return { state: 'found', now, value: entry.text, expiresAt: entry.ends };
    const note = this.#find(this.#notes, name);
    if (note) return { state: 'held', now, note: note.text, expiresAt: note.ends };
    const held = this.#find(this.#leases, name);
    if (held && held.text !== lease?.owner) return { state: 'held', now, expiresAt: held.ends };
    if (lease === undefined) return { state: 'free', now };
    this.#leases.set(name, { text: lease.owner, ends: now + lease.ms });
    return { state: 'leased', now };
  }

  async publish({ name, owner, value, expiresAt }: StorePublication): Promise<void> {
    const isOwner = this.#find(this.#leases, name)?.text === owner;
    const entryEnds = this.#find(this.#entries, name)?.ends ?? 0;
    if (expiresAt > this.now() && (isOwner || expiresAt > entryEnds))
      this.#entries.set(name, { text: value, ends: expiresAt });
    if (isOwner) this.#leases.delete(name);
    this.#notes.delete(name);
  }

  async release({ name, owner, note }: StoreRelease): Promise<void> {
    if (this.#find(this.#leases, name)?.text !== owner) return;
    this.#leases.delete(name);
    if (note) this.#notes.set(name, { text: note.value, ends: this.now() + note.ms });
  }

  #find(all: Map<string, Stored>, name: string): Stored | undefined {
    const one = all.get(name);
    if (one && one.ends > this.now()) return one;
    all.delete(name);
    return undefined;
  }
}
