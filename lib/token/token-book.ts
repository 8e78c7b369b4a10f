import type { TokenIdentity } from './token-identity.js';

/** While all tokens are being requested, a search for one that can go ends after so many. */
const LOOKS_FOR_ROOM = 8;

/** What the book needs to know about its providers. */
interface BookedTokens {
  readonly state: string;
  /** Whether a request is under way. */
  readonly isBusy: boolean;
}

/**
 * The tokens of accounts and scopes of one pair (B33). Each has its own provider, which is made for its first use. The one that was not
 * used for longest goes first, but never one whose request is under way.
 */
export class TokenBook<Provider extends BookedTokens = BookedTokens> {
  readonly #most: number;
  readonly #create: (identity: TokenIdentity) => Provider;
  /** In the order of their last use. */
  readonly #providers = new Map<string, Provider>();

  constructor(most: number, create: (identity: TokenIdentity) => Provider) {
    this.#most = most;
    this.#create = create;
  }

  /** @param isUse without a use, a new provider is not kept. */
  of(identity: TokenIdentity, isUse = true): Provider {
    const { key } = identity;
    const known = this.#providers.get(key);
    if (!isUse) return known ?? this.#create(identity);
    if (known) this.#providers.delete(key);
    else this.#leave(this.#most - 1);
    const provider = known ?? this.#create(identity);
    this.#providers.set(key, provider);
    return provider;
  }

  /** A request has ended. While many were under way, there were too many providers. */
  trim(): void {
    this.#leave(this.#most);
  }

  /** Undefined if no token of this kind was ever used. */
  get counts(): { tokens: number; failing: number } | undefined {
    if (this.#providers.size === 0) return undefined;
    const states = [...this.#providers.values()].map(({ state }) => state);
    return { tokens: states.length, failing: states.filter((state) => state === 'failing').length };
  }

  #leave(most: number): void {
    let looks = LOOKS_FOR_ROOM;
    for (const [key, provider] of this.#providers) {
      if (this.#providers.size <= most || looks === 0) return;
      looks -= 1;
      this.#providers.delete(key);
      // One that is in use counts as used now.
      if (provider.isBusy) this.#providers.set(key, provider);
    }
  }
}
