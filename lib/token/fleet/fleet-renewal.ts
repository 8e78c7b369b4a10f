import type { TokenSettings } from '../../config/options/profile.js';
import type { StoreAnswer, StoreClaim } from '../../config/options/token-store.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { type Clock, pause } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import { backoffMs, jitterFactor, type Random } from '../../time/backoff.js';
import { settledWithin } from '../../time/within.js';
import { type CurrentSecret, LONGEST_LOOK_MS } from '../current-secret.js';
import type { TakePlace } from '../request-places.js';
import type { TokenNeed, TokenSource } from '../token-source.js';
import {
  type FleetEntry,
  type Found,
  type Lease,
  LEASE_MS,
  LONGEST_LEASE_MS,
  type StoredToken,
  UNSENT_LEASE_MS,
} from './fleet-entry.js';
import { FleetLease } from './fleet-lease.js';
import type { FleetMemory } from './fleet-memory.js';
import type { FleetOutage, SharedFailure } from './fleet-outage.js';
import type { GuardedStore } from './guarded-store.js';

/** The place for a token that is requested with a credential. Undefined if this token must not be stored. */
export type EntryOf = (credential: ClientCredential) => FleetEntry | undefined;

export interface FleetParts {
  readonly inner: TokenSource;
  readonly takePlace: TakePlace;
  readonly store: GuardedStore;
  readonly secret: Pick<CurrentSecret, 'read' | 'lastUsed'>;
  readonly settings: Pick<TokenSettings, 'timeoutMs'>;
  readonly clock: Clock;
  readonly random: Random;
}

interface Dependencies extends FleetParts {
  readonly entryOf: EntryOf;
  readonly memory: FleetMemory;
  readonly outage: FleetOutage;
}

type Held = Extract<StoreAnswer, { state: 'held' }>;

/** What follows from an answer of the store: the renewal ends, sends another claim, or asks without the store. */
type Step = AccessToken | 'again' | 'alone';

/** The longest pause with its jitter is about as long as the shortest note. */
const POLL = { firstMs: 20, longestMs: 150, factor: 1.5 };
const POLL_JITTER = 0.5;
/** The time between the end of another process's renewal and the moment when this process reads its result. */
const READING_MS = 1_000;
/** After so many unusable entries, leases and notes in a row, something else writes to this place of the store. */
const MOST_UNUSABLE = 3;

/** One renewal of one process, from its first claim to a token or an error. */
export class FleetRenewal {
  #entry: FleetEntry;
  readonly #deps: Dependencies;
  #lease: FleetLease;
  #started: number;
  #need: TokenNeed;
  /** The entry that the next claim refuses. */
  #unwanted: StoreClaim['unwanted'];
  /** The lease or note that the next claim replaces. */
  #insteadOf: string | undefined;
  /** Counted in a row: entries, leases and notes. */
  #unusableRecords = 0;
  #polls = 0;
  /** How long this process waits for others. */
  readonly #patienceMs: number;
  /** When this process has waited out one lease of processes that have not reached the token endpoint. */
  #hurriesFrom: number;

  /** @param need with the end of the renewal, because the wait for others is part of its time (B6). */
  constructor(entry: FleetEntry, need: TokenNeed & { readonly ends: Deadline }, dependencies: Dependencies) {
    const { store, clock, random, memory, outage, settings } = dependencies;
    const { timeoutMs } = settings;
    this.#entry = entry;
    this.#need = need;
    // A lease, or one attempt of another process, ends before. If the endpoint hangs, most processes ask without the lease: so not
    // all at once, and each so early that its attempt ends in time.
    const earliest = Math.max(timeoutMs, LEASE_MS) + READING_MS;
    const latest = need.ends.remaining(clock) - timeoutMs - READING_MS / 2;
    this.#patienceMs = earliest + random() * Math.max(0, latest - earliest);
    this.#deps = dependencies;
    this.#lease = new FleetLease(entry, store, clock, outage.leaseMs);
    this.#started = clock.monotonic();
    this.#hurriesFrom = this.#started + LEASE_MS;
    this.#unwanted = memory.unwanted(entry);
  }

  /** Takes the token of another process, waits for one, asks the token endpoint for all, or asks it alone. */
  async obtain(): Promise<AccessToken> {
    try {
      for (;;) {
        if (this.#need.place === undefined) await this.#takePlace();
        const step = await this.#claim();
        if (step === 'alone') return await this.#fetchAlone();
        if (step !== 'again') return step;
      }
    } finally {
      this.#need.place?.giveBack();
    }
  }

  /**
   * Before the claim, because other processes wait for the owner of a lease. The time does not count as a wait for other processes,
   * and shortens no attempt.
   */
  async #takePlace(): Promise<void> {
    const { signal, ends } = this.#need;
    const place = await this.#deps.takePlace(signal);
    this.#started += place.waitedMs;
    this.#hurriesFrom += place.waitedMs;
    this.#need = { ...this.#need, place, ends: ends?.plus(place.waitedMs) };
  }

  /** Takes a token that another process has obtained. Sends one claim, and no token request. */
  async takeIfThere(): Promise<AccessToken | undefined> {
    const answer = await this.#read();
    return typeof answer === 'object' ? this.#remember(answer) : undefined;
  }

  async #claim(): Promise<Step> {
    const { store, clock } = this.#deps;
    if (this.#unusableRecords >= MOST_UNUSABLE || this.#need.signal?.aborted) return 'alone';
    const claim = this.#lease.claim(this.#unwanted, this.#insteadOf);
    const askedAt = Deadline.after(clock, 0);
    const answer = await store.claim(claim);
    switch (answer?.state) {
      case 'found':
        return this.#afterFound(answer, askedAt);
      case 'held':
        return this.#afterHeld(answer);
      case 'leased':
        return (await this.#moves()) ? 'again' : this.#fetchForAll();
      case 'free':
        if (claim.lease) return 'alone';
        // The store's clock was not known, so this claim asked for no lease. The answer has brought the clock.
        this.#unusableRecords += 1;
        return 'again';
      case undefined:
      default:
        // No answer: the store fails.
        return 'alone';
    }
  }

  #afterFound(answer: Found, askedAt: Deadline): Step {
    const { memory } = this.#deps;
    const stored = this.#entry.openToken(answer, askedAt);
    if (stored && memory.isAnswer(stored, this.#need)) return this.#remember(stored);
    const remove = stored === undefined || memory.isRefused(stored.token);
    this.#unwanted = { value: answer.value, remove };
    this.#unusableRecords += 1;
    return 'again';
  }

  /** Another process has the lease or has left a note. */
  #afterHeld(answer: Held): Step | Promise<Step> {
    const { outage } = this.#deps;
    const failure = outage.failureWith(this.#entry.name);
    const longestMs = failure ? LONGEST_LEASE_MS + READING_MS : Infinity;
    if (this.#waitedMs >= Math.min(this.#patienceMs, longestMs)) {
      // A process that has failed itself must not ask without the lease, or an outage would cost more requests.
      if (failure) throw failure.error;
      outage.continueOutage(this.#waitedMs);
      return 'alone';
    }
    if (answer.note !== undefined) return this.#afterNote(answer.note, answer);
    const { now, holder, expiresAt } = answer;
    // A store that returns no holder ends leases itself. We never take a lease that lasts longer than this.
    if (holder === undefined) return expiresAt - now > LONGEST_LEASE_MS ? 'alone' : this.#wait();
    const lease = this.#entry.openLease(holder);
    if (lease === undefined) return this.#replace(holder);
    const age = now - lease.takenAt;
    // Each process knows the store's clock only to the length of one trip, so a lease may seem to begin a little later.
    const respectedMs = failure ? lease.ms : this.#respectedMs(lease);
    if (age < -LONGEST_LEASE_MS || age >= respectedMs) return this.#replace(holder);
    if (lease.isSent) this.#hurriesFrom = this.#deps.clock.monotonic() + LEASE_MS;
    return this.#wait(respectedMs < LEASE_MS);
  }

  /**
   * How long this process respects a lease. If the request of its owner has reached the endpoint, the endpoint is slow, and each
   * lease counts 2 s: the fleet sends one further request each 2 s. If not, the network may lose the packets of this owner and
   * of the next ones. So this process waits out one lease in all (B10), and then gives each next owner only the time to connect.
   */
  #respectedMs({ isSent }: Lease): number {
    if (isSent || this.#overdueMs < 0) return LEASE_MS;
    return Math.max(UNSENT_LEASE_MS.shortest, UNSENT_LEASE_MS.longest - this.#overdueMs);
  }

  /** How long ago this process has waited out one lease. Negative as long as it has not. */
  get #overdueMs(): number {
    return this.#deps.clock.monotonic() - this.#hurriesFrom;
  }

  #afterNote(text: string, { now, expiresAt }: Held): Step {
    const note = this.#entry.openNote(text);
    if (note === undefined) return this.#replace(text);
    const endsAt = Math.min(note.endsAt, expiresAt);
    if (endsAt <= now) return this.#replace(text);
    const verdict = this.#deps.outage.obeyNote({ ...note, text, endsAt }, this.#entry.name, now);
    if (verdict !== 'try') throw verdict;
    return this.#replace(text);
  }

  /** The next claim replaces this lease or note. If the store returns the same record again, it does not replace records. */
  #replace(record: string): Step {
    if (this.#insteadOf === record) return 'alone';
    this.#insteadOf = record;
    this.#unusableRecords += 1;
    return 'again';
  }

  /** @param isHurried looks as often as a process that has just begun. */
  async #wait(isHurried = false): Promise<Step> {
    this.#unusableRecords = 0;
    this.#polls = isHurried ? 1 : this.#polls + 1;
    // Another account may send its request meanwhile.
    this.#need.place?.giveBack();
    // The secret may change while this process waits, so an attempt after the wait reads it again (B8).
    this.#need = { ...this.#need, secret: undefined, place: undefined };
    await this.#poll(this.#polls, this.#need.signal);
    return 'again';
  }

  /**
   * The secret may have changed while this process waited. Then the others have, or will have, a token at another place of the
   * store, and this process looks there first: otherwise each process that has waited would ask, one after the other (B10).
   */
  async #moves(): Promise<boolean> {
    // Before a wait, the place is that of the secret that was just read.
    if (this.#need.secret !== undefined) return false;
    const { secret, entryOf, store, clock, memory, outage, settings } = this.#deps;
    const reading = secret.read(settings.timeoutMs);
    this.#need = { ...this.#need, secret: reading };
    // A slow source must not keep this process from looking for a token: its request waits for the same reading, and looks meanwhile.
    const credential = await settledWithin(LONGEST_LOOK_MS, reading, clock, 'background').catch(
      () => undefined,
    );
    const entry = credential && entryOf(credential);
    if (entry === undefined || entry.name === this.#entry.name) return false;
    void this.#lease.giveUp();
    this.#entry = entry;
    this.#lease = new FleetLease(entry, store, clock, outage.leaseMs);
    this.#unwanted = memory.unwanted(entry);
    this.#insteadOf = undefined;
    return true;
  }

  /** This process has the lease and asks. If another process publishes a token first, this process takes it and ends its request. */
  async #fetchForAll(): Promise<AccessToken> {
    const { signal: givenUp } = this.#need;
    const overtaken = new AbortController();
    const signal = givenUp ? AbortSignal.any([givenUp, overtaken.signal]) : overtaken.signal;
    const ended = new AbortController();
    const onSent = (): void => void this.#markSent(ended.signal);
    const fetched = this.#fetch({ signal, onSent }, overtaken.signal).finally(() => ended.abort());
    const token = await Promise.race([fetched, this.#takeFromOthers(ended.signal)]);
    if (token === undefined) return fetched;
    // If another token came first, no code listens to this request.
    fetched.catch(() => {});
    overtaken.abort();
    return token;
  }

  /** @param overtaken another process's token has come first: the result of this request does not count any more. */
  async #fetch(watched: Pick<TokenNeed, 'signal' | 'onSent'>, overtaken: AbortSignal): Promise<AccessToken> {
    const lease = this.#lease;
    const need = { ...this.#need, ...watched };
    try {
      const token = await this.#ask(need);
      if (overtaken.aborted) void lease.giveUp();
      return overtaken.aborted ? token : this.#publish(token);
    } catch (error) {
      const failure = this.#recordFailure(error, need);
      if (failure) void lease.leaveNote(failure.note, failure.ms);
      else void lease.giveUp();
      throw error;
    }
  }

  /** The others need to know it when they have waited for 2 s. So the first process that asks saves this message if its answer comes soon. */
  async #markSent(ended: AbortSignal): Promise<void> {
    const ms = this.#polls > 0 ? 0 : LEASE_MS / 2 - this.#waitedMs;
    await pause(this.#deps.clock, ms, 'background', ended);
    if (!ended.aborted) this.#lease.markSent();
  }

  /** While this process asks, looks for a token of another process. Undefined when the store fails or the request ends. */
  async #takeFromOthers(ended: AbortSignal): Promise<AccessToken | undefined> {
    // After a wait, the request of another process may be under way. Without a wait, no process asks before this lease ends.
    await pause(this.#deps.clock, this.#polls > 0 ? 0 : LEASE_MS, 'background', ended);
    for (let polls = 1; !ended.aborted; polls += 1) {
      await this.#poll(polls, ended);
      const answer = ended.aborted ? 'no store' : await this.#read();
      if (answer === 'no store' || ended.aborted) return undefined;
      if (answer) return this.#remember(answer);
    }
    return undefined;
  }

  /** Without the lease. The token is published all the same, if there is no other entry than the one that it replaces. */
  async #fetchAlone(): Promise<AccessToken> {
    this.#lease.notGranted();
    try {
      return this.#publish(await this.#ask(this.#need));
    } catch (error) {
      this.#recordFailure(error, this.#need);
      throw error;
    }
  }

  #ask(need: TokenNeed): Promise<AccessToken> {
    const { inner, outage } = this.#deps;
    // Others have failed to get a token for so long that this is probably an outage: a single attempt is enough (B18).
    if (this.#waitedMs >= 2 * LEASE_MS || this.#overdueMs >= UNSENT_LEASE_MS.longest / 4)
      outage.continueOutage(this.#waitedMs);
    return inner.obtain(need);
  }

  async #read(): Promise<StoredToken | 'no store' | undefined> {
    const { clock, memory, store } = this.#deps;
    const askedAt = Deadline.after(clock, 0);
    const claim = { name: this.#entry.name, unwanted: memory.unwanted(this.#entry) };
    const answer = await store.claim(claim);
    if (answer === undefined) return 'no store';
    const stored = answer.state === 'found' ? this.#entry.openToken(answer, askedAt) : undefined;
    return stored && memory.isAnswer(stored, this.#need) ? stored : undefined;
  }

  #remember({ token, value, readAt }: StoredToken): AccessToken {
    return this.#deps.memory.remember({ token, name: this.#entry.name, value, gotAt: readAt });
  }

  #publish(token: AccessToken): AccessToken {
    const { memory, secret, entryOf, store } = this.#deps;
    const place = secret.lastUsed ? entryOf(secret.lastUsed) : this.#entry;
    // The endpoint has returned the refused token again: that token is of no use to the others.
    if (place === undefined || memory.isRefused(token)) {
      void this.#lease.giveUp();
      return memory.remember({ token });
    }
    const value = this.#lease.publish(token, place);
    const gotAt = store.clockOf(this.#entry.name).earliest;
    return memory.remember({ token, name: place.name, value, gotAt });
  }

  #recordFailure(error: unknown, { signal }: TokenNeed): SharedFailure | undefined {
    const { name } = this.#entry;
    return this.#deps.outage.recordFailure(error, signal, name, this.#deps.store.clockOf(name).earliest);
  }

  get #waitedMs(): number {
    return this.#deps.clock.monotonic() - this.#started;
  }

  #poll(polls: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock, random } = this.#deps;
    const ms = backoffMs(POLL, polls) * jitterFactor(random, POLL_JITTER);
    return pause(clock, ms, 'background', signal);
  }
}
