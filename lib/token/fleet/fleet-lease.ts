import { randomUUID } from 'node:crypto';
import type { StoreClaim, StorePublication } from '../../config/options/token-store.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { FleetEntry } from './fleet-entry.js';
import { type FailureNote, sealLease, sealNote, sealToken } from './fleet-records.js';
import type { GuardedStore } from './guarded-store.js';
import type { StoreClock } from './store-clock.js';

/** The messages of one renewal to the store: its claims, then its token or its note. */
export class FleetLease {
  readonly entry: FleetEntry;
  readonly #store: GuardedStore;
  readonly #clock: Clock;
  readonly #ms: number;
  #owner: string = randomUUID();
  #hasClaimed = false;
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

  /**
   * A claim that asks for the lease. A lease contains the moment of its claim by the store's clock. If that clock is
   * not known yet, the claim only looks.
   */
  claim(unwanted: StoreClaim['unwanted'], insteadOf?: string): StoreClaim {
    this.#unwanted = unwanted;
    const takenAt = this.#storeClock.latest;
    if (takenAt === undefined) return { name: this.entry.name, unwanted };
    this.#hasClaimed = true;
    this.#owner = sealLease(this.entry, { takenAt, ms: this.#ms });
    this.#ends = Deadline.after(this.#clock, this.#ms);
    return { name: this.entry.name, unwanted, lease: { owner: this.#owner, ms: this.#ms, insteadOf } };
  }

  /**
   * Publishes the token and ends the lease. Returns the sealed text of the entry. If the store's clock has become unknown
   * since the claim, the token cannot be stored, and only the lease ends: the others need not wait for it.
   *
   * @param place the entry of the secret that the token was obtained with (S5). The secret may have changed meanwhile.
   */
  publish(token: AccessToken, place: FleetEntry): string | undefined {
    const obtainedAt = this.#storeClock.earliest;
    if (obtainedAt === undefined) {
      if (this.#hasClaimed) this.giveUp();
      return undefined;
    }
    if (place.name !== this.entry.name) this.giveUp();
    // A moment, not a duration: a store that hangs and executes this later must not make the token live longer.
    const endsAt = Math.floor(obtainedAt + token.remainingMs(this.#clock));
    const value = sealToken(place, token, { obtainedAt, endsAt });
    void this.#write({ name: place.name, owner: this.#owner, value, expiresAt: endsAt });
    return value;
  }

  /**
   * Stores a token. Without the lease, the store does not replace an entry. So if the lease has ended, the entry that this
   * token replaces is removed first: it may still be there, because tokens are renewed before they end.
   */
  async #write(publication: StorePublication): Promise<void> {
    const { name } = publication;
    if (this.#unwanted && name === this.entry.name && this.#ends.hasCome(this.#clock)) {
      const unwanted = { value: this.#unwanted.value, remove: true };
      await this.#store.claim({ name, unwanted }, 'background');
    }
    this.#store.publish(publication);
  }

  /** Ends the lease, so that the next process may take it at once. */
  giveUp(): void {
    this.#store.release({ name: this.entry.name, owner: this.#owner });
  }

  /**
   * Leaves a note about a failure for the other processes. If the lease has ended, it is claimed again first, unless
   * another process has it.
   */
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
