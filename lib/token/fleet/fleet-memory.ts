import type { TokenSettings } from '../../config/options/profile.js';
import type { StoreClaim } from '../../config/options/token-store.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import type { TokenNeed } from '../token-source.js';
import type { FleetEntry, StoredToken } from './fleet-entry.js';

/** Tokens may live for a month and be refused every minute. */
const MOST_REFUSED = 1_000;

/** The last token of this process and, if the store holds this token, its place and its sealed text. */
interface Remembered {
  readonly token: AccessToken;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
  /** When this process got the token, by the store's clock. */
  readonly gotAt?: number | undefined;
}

/** Which tokens this process must not take from the store: refused tokens, and the token that it is to replace. */
export class FleetMemory {
  #last: Remembered | undefined;
  /** By fingerprint. Kept until the token ends, because a writer of the store may put a refused token back at any time. */
  readonly #refused = new Map<string, AccessToken>();
  /** When this process got the last token that was refused, by the store's clock. */
  #refusedGotAt: number | undefined;

  constructor(
    private readonly settings: Pick<TokenSettings, 'expiryLeewayMs'>,
    private readonly clock: Clock,
  ) {}

  remember(last: Remembered): AccessToken {
    this.#last = last;
    return last.token;
  }

  addRefused(token: AccessToken | undefined): void {
    if (token === undefined) return;
    for (const [fingerprint, one] of this.#refused)
      if (one.endsWithin(0, this.clock) || this.#refused.size >= MOST_REFUSED)
        this.#refused.delete(fingerprint);
    this.#refused.set(token.fingerprint, token);
    if (this.#last?.token.equals(token)) this.#refusedGotAt = this.#last.gotAt ?? this.#refusedGotAt;
  }

  isRefused(token: AccessToken): boolean {
    return this.#refused.has(token.fingerprint);
  }

  /** The entry that this process need not read again. This saves a trip, and removes a refused token for all (B10). */
  unwanted(entry: FleetEntry): StoreClaim['unwanted'] {
    const last = this.#last;
    if (last?.value === undefined || last.name !== entry.name) return undefined;
    return { value: last.value, remove: this.isRefused(last.token) };
  }

  /**
   * Whether this process can take a token of the store. After a 401 the token must be newer than the refused one, because a
   * writer of the store may have kept any number of older tokens.
   */
  isAnswer(stored: StoredToken, need: TokenNeed): boolean {
    const { token } = stored;
    if (this.isRefused(token) || this.#isOlderThanRefused(stored)) return false;
    const { token: last, value } = this.#last ?? {};
    if (last && token.equals(last)) {
      // Another process has asked since, and the endpoint returned the same token: there is no other token until its end.
      return stored.value !== value && !last.endsWithin(0, this.clock) && !token.endsWithin(0, this.clock);
    }
    if (token.endsWithin(token.leewayOf(this.settings.expiryLeewayMs), this.clock)) return false;
    // A renewal in the background may be about a refused token: then any other one is better.
    if (need.reason !== 'ahead' || need.refused || last === undefined) return true;
    return token.remainingMs(this.clock) > last.remainingMs(this.clock);
  }

  #isOlderThanRefused({ obtainedAt, readAt }: StoredToken): boolean {
    const gotAt = this.#refusedGotAt;
    // A moment in the future comes from a clock that was set back since, so it says nothing about the age.
    if (gotAt === undefined || gotAt > readAt) return false;
    return obtainedAt === undefined || obtainedAt < gotAt || obtainedAt > readAt;
  }
}
