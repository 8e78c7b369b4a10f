import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../../config/options/token-store.js';

interface Lasting {
  readonly text: string;
  readonly ends: number;
}

/**
 * A `TokenStore` in this process's memory: lets several applications of one test share tokens as a fleet does, and shows
 * in a few lines what a store has to do.
 */
export class MemoryTokenStore implements TokenStore {
  readonly #entries = new Map<string, Lasting>();
  readonly #leases = new Map<string, Lasting>();
  readonly #notes = new Map<string, Lasting>();
  readonly #now: () => number;

  /** @param now The store's clock: milliseconds since 1970. */
  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  async claim({ name, unwanted, lease }: StoreClaim): Promise<StoreAnswer> {
    const now = this.#now();
    const entry = this.#living(this.#entries, name);
    if (entry && entry.text !== unwanted?.value)
      return { state: 'found', now, value: entry.text, expiresAt: entry.ends };
    if (unwanted?.remove) this.#entries.delete(name);
    const note = this.#living(this.#notes, name);
    if (note && note.text !== lease?.insteadOf)
      return { state: 'held', now, note: note.text, expiresAt: note.ends };
    const holder = this.#living(this.#leases, name);
    if (holder && holder.text !== lease?.owner && holder.text !== lease?.insteadOf)
      return { state: 'held', now, holder: holder.text, expiresAt: holder.ends };
    if (lease === undefined) return { state: 'free', now };
    this.#leases.set(name, { text: lease.owner, ends: now + lease.ms });
    this.#notes.delete(name);
    return { state: 'leased', now };
  }

  async publish({ name, owner, value, expiresAt }: StorePublication): Promise<void> {
    const mine = this.#living(this.#leases, name)?.text === owner;
    if (expiresAt > this.#now() && (mine || !this.#living(this.#entries, name)))
      this.#entries.set(name, { text: value, ends: expiresAt });
    if (mine) this.#leases.delete(name);
    this.#notes.delete(name);
  }

  async release({ name, owner, note }: StoreRelease): Promise<void> {
    if (this.#living(this.#leases, name)?.text !== owner) return;
    this.#leases.delete(name);
    if (note) this.#notes.set(name, { text: note.value, ends: this.#now() + note.ms });
  }

  #living(all: Map<string, Lasting>, name: string): Lasting | undefined {
    const one = all.get(name);
    if (one && one.ends > this.#now()) return one;
    all.delete(name);
    return undefined;
  }
}
