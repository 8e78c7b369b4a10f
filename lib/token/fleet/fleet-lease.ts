import { randomUUID } from 'node:crypto';
import type { StoreClaim, StorePublication } from '../../config/options/token-store.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { FleetEntry, FailureNote } from './fleet-entry.js';
import type { GuardedStore, StoreClock } from './guarded-store.js';

/** Other processes may replace a lease between two messages. */
const MOST_REPLACED = 3;

/** The messages of one renewal to the store: its claims, then its token or its note. */
export class FleetLease {
  #owner: string = randomUUID();
  /** When this process last claimed the lease, by the store's clock. */
  #takenAt: number | undefined;
  #ends: Deadline;
  #unwanted: StoreClaim['unwanted'];
  /** Settles when the lease says that the request is sent. The messages after that name the lease as it is then. */
  #marked: Promise<void> | undefined;

  /** @param ms how long this process keeps the others from asking. */
  constructor(
    readonly entry: FleetEntry,
    private readonly store: GuardedStore,
    private readonly clock: Clock,
    private readonly ms: number,
  ) {
    this.#ends = Deadline.after(clock, ms);
  }

  /** A claim that asks for the lease. If the store's clock, which a lease needs, is not known yet, the claim only looks. */
  claim(unwanted: StoreClaim['unwanted'], insteadOf?: string): StoreClaim {
    this.#unwanted = unwanted;
    const takenAt = this.#storeClock.latest;
    if (takenAt === undefined) return { name: this.entry.name, unwanted };
    this.#takenAt = takenAt;
    this.#owner = this.entry.sealLease({ takenAt, ms: this.ms });
    this.#ends = Deadline.after(this.clock, this.ms);
    return { name: this.entry.name, unwanted, lease: { owner: this.#owner, ms: this.ms, insteadOf } };
  }

  /** This process asks without the lease, whatever the reason. */
  notGranted(): void {
    this.#ends = Deadline.after(this.clock, 0);
  }

  /**
   * The request has reached the token endpoint. The lease says so from now on, with the same end. It replaces the lease of
   * another process that has taken over and whose request is not sent yet.
   */
  markSent(): void {
    this.#marked ??= this.#mark();
  }

  async #mark(): Promise<void> {
    const { name } = this.entry;
    let insteadOf = this.#owner;
    for (let tries = 0; tries < MOST_REPLACED && this.#takenAt !== undefined; tries += 1) {
      const ms = Math.floor(this.#ends.remaining(this.clock));
      if (ms === 0) return;
      const owner = this.entry.sealLease({ takenAt: this.#takenAt, ms: this.ms, isSent: true });
      const claim = { name, unwanted: this.#unwanted, lease: { owner, ms, insteadOf } };
      const answer = await this.store.claim(claim);
      if (answer?.state === 'leased') this.#owner = owner;
      const holder = answer?.state === 'held' ? answer.holder : undefined;
      if (holder === undefined || this.entry.openLease(holder)?.isSent) return;
      insteadOf = holder;
    }
  }

  /**
   * Publishes the token and ends the lease. Returns the sealed text of the entry. If the store's clock has become unknown
   * since the claim, only the lease ends.
   *
   * @param place the entry of the secret that the token was obtained with (S5). The secret may have changed meanwhile.
   */
  publish(token: AccessToken, place: FleetEntry): string | undefined {
    const obtainedAt = this.#storeClock.earliest;
    if (obtainedAt === undefined) {
      if (this.#takenAt !== undefined) void this.giveUp();
      return undefined;
    }
    if (place.name !== this.entry.name) void this.giveUp();
    // A moment, not a duration: a store that hangs and executes this later must not make the token live longer.
    const endsAt = Math.floor(obtainedAt + token.remainingMs(this.clock));
    const value = place.sealToken(token, { obtainedAt, endsAt });
    void this.#write({ name: place.name, value, expiresAt: endsAt });
    return value;
  }

  /** Without the lease, the store does not replace an entry. So if the lease has ended, the entry that this token replaces is removed first. */
  async #write(publication: Omit<StorePublication, 'owner'>): Promise<void> {
    const { name } = publication;
    await this.#marked;
    if (this.#unwanted && name === this.entry.name && this.#ends.hasCome(this.clock)) {
      const unwanted = { value: this.#unwanted.value, remove: true };
      await this.store.claim({ name, unwanted });
    }
    this.store.publish({ ...publication, owner: this.#owner });
  }

  /** Ends the lease, so that the next process may take it at once. */
  async giveUp(): Promise<void> {
    await this.#marked;
    this.store.release({ name: this.entry.name, owner: this.#owner });
  }

  /** Leaves a note about a failure for the others. If the lease has ended, it is claimed again first, unless another process has it. */
  async leaveNote(note: FailureNote, ms: number): Promise<void> {
    await this.#marked;
    if (this.#ends.hasCome(this.clock)) {
      const answer = await this.store.claim(this.claim(undefined));
      if (answer?.state !== 'leased') return;
    }
    const value = this.entry.sealNote(note);
    this.store.release({ name: this.entry.name, owner: this.#owner, note: { value, ms } });
  }

  get #storeClock(): StoreClock {
    return this.store.clockOf(this.entry.name);
  }
}
