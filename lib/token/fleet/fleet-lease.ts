import { randomUUID } from 'node:crypto';
import type { StoreClaim, StorePublication } from '../../config/options/token-store.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { FleetEntry } from './fleet-entry.js';
import { type FailureNote, sealLease, sealNote, sealToken } from './fleet-records.js';
import type { GuardedStore } from './guarded-store.js';
import type { StoreClock } from './store-clock.js';

/** What one renewal asks of the store, from its first claim to the token or the note that it leaves. */
export class FleetLease {
  readonly entry: FleetEntry;
  readonly #store: GuardedStore;
  readonly #clock: Clock;
  readonly #ms: number;
  #owner: string = randomUUID();
  #ends: Deadline;
  #unwanted: StoreClaim['unwanted'];

  /** @param ms how long this process keeps the others from asking. */
  constructor(entry: FleetEntry, store: GuardedStore, clock: Clock, ms: number) {
    this.entry = entry;
    this.#store = store;
    this.#clock = clock;
    this.#ms = ms;
    this.#ends = Deadline.after(clock, ms);
  }

  /** Asks for the lease where the store's clock is known, because a lease is sealed with the time of taking. Else looks. */
  claim(unwanted: StoreClaim['unwanted'], insteadOf?: string): StoreClaim {
    this.#unwanted = unwanted;
    const takenAt = this.#storeClock.latest;
    if (takenAt === undefined) return { name: this.entry.name, unwanted };
    this.#owner = sealLease(this.entry, { takenAt, ms: this.#ms });
    this.#ends = Deadline.after(this.#clock, this.#ms);
    return { name: this.entry.name, unwanted, lease: { owner: this.#owner, ms: this.#ms, insteadOf } };
  }

  /**
   * Gives the token to the fleet, and the lease back. `place` is another entry where the secret has changed meanwhile:
   * the token belongs to the secret that it was obtained with (S5).
   */
  publish(token: AccessToken, place: FleetEntry): string | undefined {
    const obtainedAt = this.#storeClock.earliest;
    if (obtainedAt === undefined) return undefined;
    if (place.name !== this.entry.name) this.giveUp();
    // A moment, not a span: a store that was frozen with this in its inbox must not make the token live longer.
    const endsAt = Math.floor(obtainedAt + token.remainingMs(this.#clock));
    const value = sealToken(place, token, { obtainedAt, endsAt });
    void this.#write({ name: place.name, owner: this.#owner, value, expiresAt: endsAt });
    return value;
  }

  /**
   * Who has no lease writes only where there is no entry. An entry that this token is to replace may still live, if tokens
   * are renewed before they end: with the lease it is replaced, without the lease it is removed first.
   */
  async #write(publication: StorePublication): Promise<void> {
    const { name } = publication;
    if (this.#unwanted && name === this.entry.name && this.#ends.hasCome(this.#clock)) {
      const unwanted = { value: this.#unwanted.value, remove: true };
      await this.#store.claim({ name, unwanted }, 'background');
    }
    this.#store.publish(publication);
  }

  /** The next process may take the lease at once. */
  giveUp(): void {
    this.#store.release({ name: this.entry.name, owner: this.#owner });
  }

  /** The others hear of a failure. A lease that has run out is taken again first, unless another process has it. */
  async leaveNote(note: FailureNote, ms: number): Promise<void> {
    if (this.#ends.hasCome(this.#clock)) {
      const answer = await this.#store.claim(this.claim(undefined), 'background');
      if (answer?.state !== 'leased') return;
    }
    const value = sealNote(this.entry, note);
    this.#store.release({ name: this.entry.name, owner: this.#owner, note: { value, ms } });
  }

  get #storeClock(): StoreClock {
    return this.#store.clockOf(this.entry.name);
  }
}
