import { randomUUID } from 'node:crypto';
import type { StoreClaim } from '../../config/token-store.js';
import type { TokenRequestError } from '../../errors/token-request.error.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import type { FleetEntry } from './fleet-entry.js';
import type { GuardedStore } from './guarded-store.js';
import { sealFailure } from './stored-failure.js';
import { sealToken } from './stored-token.js';

/**
 * How long the others wait for a process that has died while it fetched. One that lives prolongs its lease, so that a
 * slow token endpoint is no reason to ask it again.
 */
const LEASE_MS = 5_000;

/** The store's clock, and when by this process's clock it was read. */
export interface StoreMoment {
  readonly now: number;
  readonly readAt: number;
}

/** One process's wish to fetch for the fleet, from its first claim to what becomes of it. */
export class FleetLease {
  readonly entry: FleetEntry;
  readonly #store: GuardedStore;
  readonly #clock: Clock;
  readonly #owner = randomUUID();
  #moment: StoreMoment | undefined;
  #stopProlonging: (() => void) | undefined;

  constructor(entry: FleetEntry, store: GuardedStore, clock: Clock) {
    this.entry = entry;
    this.#store = store;
    this.#clock = clock;
  }

  /** A claim in this lease's name. */
  wish(unwanted: StoreClaim['unwanted']): StoreClaim {
    return { name: this.entry.name, unwanted, lease: { owner: this.#owner, ms: LEASE_MS } };
  }

  /** The store has answered, so its clock is known. */
  saw(now: number): void {
    this.#moment = { now, readAt: this.#clock.monotonic() };
  }

  /** Prolongs the lease while its owner fetches: only a fetch that takes long costs further trips. */
  hold(claim: StoreClaim): void {
    this.#stopProlonging = this.#clock.after(
      LEASE_MS / 3,
      () => {
        // However late the store answers: while the fetch lasts, the lease is not to be given back.
        void this.#store.claim(claim, 'background', () => this.#stopProlonging !== undefined);
        this.hold(claim);
      },
      'background',
    );
  }

  /**
   * Gives the token to the fleet, and the lease back. `place` is another entry where the secret has changed meanwhile:
   * the token belongs to the secret that it was obtained with (S5).
   */
  publish(token: AccessToken, place: FleetEntry): string | undefined {
    this.#endHold();
    if (this.#moment === undefined) return undefined;
    if (place.name !== this.entry.name) this.#store.release({ name: this.entry.name, owner: this.#owner });
    const { now, readAt } = this.#moment;
    // A moment, not a span: a store that was frozen with this in its inbox must not make the token live longer.
    const expiresAt = Math.floor(now + (this.#clock.monotonic() - readAt) + token.remainingMs(this.#clock));
    const value = sealToken(place, token, expiresAt, this.#clock);
    this.#store.publish({ name: place.name, owner: this.#owner, value, expiresAt });
    return value;
  }

  /** Lets another process try: at once, or after `ms`, until when the others take this failure for theirs. */
  giveUp(error?: TokenRequestError, ms = 0): void {
    this.#endHold();
    const note = error && ms > 0 ? { value: sealFailure(this.entry, error), ms: Math.ceil(ms) } : undefined;
    this.#store.release({ name: this.entry.name, owner: this.#owner, note });
  }

  #endHold(): void {
    this.#stopProlonging?.();
    this.#stopProlonging = undefined;
  }
}
