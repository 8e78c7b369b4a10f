import { randomUUID } from 'node:crypto';
import type { Profile, TokenSettings } from '../../config/options/profile.js';
import type { StoreAnswer, StoreClaim, StoreRelease } from '../../config/options/token-store.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import { AccessToken } from '../../secrets/access-token.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { backoffMs, jitterFactor, type Random } from '../../time/backoff.js';
import { type Clock, Deadline, pause } from '../../time/clock.js';
import type { Failure, Outage } from '../outage.js';
import { LEASE_MS, LONGEST_NOTE_MS, LONGEST_TURN_MS, POLL, READING_MS } from '../pauses.js';
import type { TokenNeed } from '../token-need.js';
import type { Slot } from '../token-origins.js';
import type { GuardedStore } from './guarded-store.js';
import { FleetPlace, type StoredToken } from './place.js';

interface Parts {
  readonly profile: Profile;
  readonly store: GuardedStore;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'expiryLeewayMs'>;
  readonly outage: Outage;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a process may do after its claim: ask the token endpoint, with the lease for all or without it. */
interface Turn {
  readonly place: FleetPlace;
  readonly owner: string;
  readonly isLeased: boolean;
  readonly hasWaited: boolean;
  /** The moment by the store's clock. Undefined if the store did not answer. */
  readonly storeNow: () => number | undefined;
}

/** Asks the token endpoint. Rejects with the error that callers get until its `retryAt`. */
type Ask = (need: TokenNeed) => Promise<AccessToken>;

/** The place of the secret that the token was obtained with. Undefined if no entry can be bound to the client any more. */
type PlaceNow = () => Promise<FleetPlace | undefined>;

/** The last token of this process. If the store has it: its place, its sealed text, and when this process got it, by the store's clock. */
interface Last {
  readonly token: AccessToken;
  readonly name?: string;
  readonly value?: string;
  readonly gotAt?: number;
}

type Held = Extract<StoreAnswer, { state: 'held' }>;

/** After so many unusable entries in a row, something else writes to this place. */
const MOST_UNUSABLE = 3;

/**
 * One token for a whole fleet: all processes with the same token URL, client id and client secret. `docs/fleet-protocol.md`
 * describes the protocol. A process claims the fleet's place in the store. It gets the token, or the lease, or waits and claims
 * again. With the lease it asks for all. A process whose request fails leaves a note: a process that has failed itself waits for the
 * note's end, any other one tries once.
 */
export class Fleet {
  #last: Last | undefined;
  /** When this process got the last refused token. A writer of the store may have kept any number of older tokens. */
  #refusedGotAt = -Infinity;
  /** The place with whose secret this process has failed since its last token. */
  #failedName: string | undefined;
  /** The end of the last note that held this process back, as it was sealed. Only a note that ends later does so, too. */
  #obeyedUntil = -Infinity;

  constructor(private readonly parts: Parts) {}

  /** The fleet's place for a secret. Undefined if the secret cannot be read, or if no entry can be bound to the client. */
  async placeOf(
    secret: ClientCredential | Promise<ClientCredential>,
    signal?: AbortSignal,
  ): Promise<FleetPlace | undefined> {
    const { profile, store, settings } = this.parts;
    const key = hasOwnKey(profile) ? undefined : store.sealKey(settings.timeoutMs, signal);
    const credential = await Promise.resolve(secret).catch(() => undefined);
    // The certificate may have changed since it was read: the token may be bound to either of the two.
    const current = profile.credential === 'certificate' ? profile.tls?.certificate() : undefined;
    if (credential === undefined || (current !== undefined && current !== credential.reveal()))
      return undefined;
    return FleetPlace.of(profile, credential, await key);
  }

  /** The API has refused this token. Nothing as old is taken from the store. */
  refused(token: AccessToken): void {
    const last = this.#last;
    if (last?.token.equals(token)) this.#refusedGotAt = last.gotAt ?? this.#refusedGotAt;
  }

  async look(place: FleetPlace, need: TokenNeed): Promise<AccessToken | undefined> {
    const askedAt = Deadline.after(this.parts.clock, 0);
    const answer = await this.parts.store.claim({ name: place.name, unwanted: this.#unwanted(place) });
    const stored = answer?.state === 'found' ? place.openToken(answer, askedAt) : undefined;
    return stored && this.#isUsable(stored, need) ? this.#take(place, stored) : undefined;
  }

  /** Takes the fleet's token, or waits for the turn to ask for one. Throws the last error of this process if it must wait longer. */
  async obtain(
    place: FleetPlace,
    need: TokenNeed,
    slot: Slot,
    ask: Ask,
    placeNow: PlaceNow,
  ): Promise<AccessToken> {
    const turn = await this.#takeOrWait(place, need, slot);
    if (turn instanceof AccessToken) return turn;
    const ended = new AbortController();
    const signal = need.signal ? AbortSignal.any([need.signal, ended.signal]) : ended.signal;
    const asked = this.#askAndPublish(turn, { ...need, signal }, ask, placeNow);
    try {
      return (await Promise.race([asked, this.#watch(turn, need, ended.signal)])) ?? (await asked);
    } finally {
      ended.abort();
    }
  }

  async #takeOrWait(place: FleetPlace, need: TokenNeed, slot: Slot): Promise<AccessToken | Turn> {
    const { store, clock, random, outage } = this.parts;
    const owner = randomUUID();
    let started = clock.monotonic();
    const patienceMs = this.#patienceMs(place, slot.remainingMs);
    let unwanted = this.#unwanted(place);
    let unusable = 0;
    for (let polls = 0; ;) {
      // Before the claim, because other processes wait for the owner of a lease.
      started += await slot.take(need.signal);
      const waitedMs = clock.monotonic() - started;
      const askedAt = Deadline.after(clock, 0);
      const isHopeless = unusable >= MOST_UNUSABLE || need.signal?.aborted === true;
      const claim = { name: place.name, unwanted, lease: { owner, ms: LEASE_MS } };
      const answer = isHopeless ? undefined : await store.claim(claim);
      if (answer?.state === 'found') {
        const stored = place.openToken(answer, askedAt);
        if (stored && this.#isUsable(stored, need)) return this.#take(place, stored);
        unwanted = { value: answer.value };
        unusable += 1;
        continue;
      }
      if (answer?.state !== 'held' || !this.#looksAgain(answer, place, waitedMs < patienceMs)) {
        // The fleet has failed to get a token for so long that this is probably an outage: a single attempt is enough.
        if (waitedMs >= Math.min(patienceMs, 2 * LEASE_MS)) outage.continueOutage(waitedMs);
        const isLeased = answer?.state === 'leased';
        return { place, owner, isLeased, hasWaited: polls > 0, storeNow: clockFrom(answer, clock) };
      }
      unusable = 0;
      polls += 1;
      slot.giveBack();
      await pause(clock, backoffMs(POLL, polls) * jitterFactor(random, POLL.jitter), need.signal);
    }
  }

  #patienceMs(place: FleetPlace, remainingMs: number): number {
    const { random, settings } = this.parts;
    // A lease, or one attempt of another process, ends before. If the endpoint hangs, most processes end up asking: not all at once,
    // and each so early that its attempt ends in time.
    const earliest = Math.max(settings.timeoutMs, LEASE_MS) + READING_MS;
    const latest = remainingMs - settings.timeoutMs - READING_MS / 2;
    const patienceMs = earliest + random() * Math.max(0, latest - earliest);
    // A process that has failed itself waits no longer than for a note.
    return this.#ownFailure(place) ? Math.min(patienceMs, LONGEST_NOTE_MS.outage) : patienceMs;
  }

  /** The last failure of this process, if it was with the secret of this place. */
  #ownFailure({ name }: FleetPlace): Failure | undefined {
    return this.#failedName === name ? this.parts.outage.failure : undefined;
  }

  /** Whether this process waits for another one, and does not ask now. Throws its own last error if its callers wait no longer. */
  #looksAgain({ note: text, now, expiresAt }: Held, place: FleetPlace, isPatient: boolean): boolean {
    const { outage } = this.parts;
    const own = this.#ownFailure(place);
    if (text === undefined) {
      // Our leases are shorter.
      if (expiresAt - now > LEASE_MS + READING_MS) return false;
      // A process that has failed itself must not ask without the lease, or an outage would cost more requests.
      if (!isPatient && own && outage.failedAgoMs < LONGEST_TURN_MS) throw own.error;
      return isPatient;
    }
    const note = place.open('failure', text);
    if (note === undefined) return false;
    const ms = note.endsAt - now;
    // The process that left it may have been slow, but not slower than its lease: a note that ended earlier was put back.
    if (ms <= -LEASE_MS) return false;
    const ageMs = now - note.since;
    // Processes fail one after the other when an outage begins. A process that has not failed in this outage tries once.
    const hasFailed = own !== undefined && outage.failedAgoMs <= ageMs + LONGEST_NOTE_MS.outage;
    const isSpent = ms <= 0 || note.endsAt <= this.#obeyedUntil;
    // It goes in a moment.
    if (hasFailed && isSpent && isPatient && expiresAt - now <= LEASE_MS) return true;
    if (!hasFailed || isSpent) {
      outage.continueOutage(ageMs);
      return false;
    }
    this.#obeyedUntil = note.endsAt;
    throw outage.standFor(Math.min(ms, longestNote(own.error)), own, ageMs);
  }

  /** While this process asks, looks for a token of another process. No other process asks before a new lease ends. */
  async #watch({ place, isLeased, hasWaited }: Turn, need: TokenNeed, ended: AbortSignal) {
    const { clock, store } = this.parts;
    await pause(clock, isLeased && !hasWaited ? LEASE_MS : 0, ended);
    while (!ended.aborted && !store.isFailing) {
      await pause(clock, POLL.longestMs, ended);
      const token = ended.aborted ? undefined : await this.look(place, need);
      if (token) return token;
    }
    return undefined;
  }

  async #askAndPublish(turn: Turn, need: TokenNeed, ask: Ask, placeNow: PlaceNow): Promise<AccessToken> {
    try {
      const token = await ask(need);
      // Otherwise another token has come first.
      if (!need.signal?.aborted) this.#keep({ token });
      // No caller waits for this: the seal key may be slow.
      void this.#publish(turn, need, placeNow, token);
      return token;
    } catch (error) {
      const note =
        error instanceof TokenRequestError && !need.signal?.aborted ? this.#noteOf(turn, error) : undefined;
      if (turn.isLeased) this.#release(turn, note);
      throw error;
    }
  }

  async #publish(turn: Turn, need: TokenNeed, placeNow: PlaceNow, token: AccessToken): Promise<void> {
    const { refused, signal } = need;
    const isUseless = signal?.aborted || (refused && token.equals(refused));
    const place = isUseless ? undefined : await placeNow();
    const obtainedAt = turn.storeNow();
    if (place?.name !== turn.place.name) this.#release(turn);
    if (place === undefined || obtainedAt === undefined) return;
    // A moment and not a duration: a store that hangs and executes this later must not make the token live longer (S11).
    const endsAt = Math.floor(obtainedAt + token.remainingMs(this.parts.clock));
    const value = place.sealToken(token, { obtainedAt, endsAt });
    this.parts.store.publish({ name: place.name, owner: turn.owner, value, expiresAt: endsAt });
    if (this.#last?.token === token) this.#last = { token, name: place.name, value, gotAt: obtainedAt };
  }

  #release({ place, owner }: Turn, note?: StoreRelease['note']): void {
    this.parts.store.release({ name: place.name, owner, note });
  }

  /** Remembers a failure of this process. Returns what to tell the others in place of the lease. */
  #noteOf({ place, isLeased, storeNow }: Turn, error: TokenRequestError): StoreRelease['note'] {
    const { clock, outage } = this.parts;
    this.#failedName = place.name;
    const now = storeNow();
    // A failure of this process's own secret, certificates or proxy says nothing about the endpoint.
    if (!isLeased || now === undefined || error.failure.local) return undefined;
    const waitMs = (error.retryAt?.getTime() ?? 0) - clock.wall();
    const ms = Math.ceil(Math.min(waitMs, longestNote(error)));
    if (ms <= 0) return undefined;
    const since = Math.floor(now - outage.ageMs);
    return { value: place.seal('failure', { since, endsAt: now + ms }), ms };
  }

  /** The entry that this process need not read again. */
  #unwanted({ name }: FleetPlace): StoreClaim['unwanted'] {
    const { name: ofLast, value } = this.#last ?? {};
    return ofLast === name && value !== undefined ? { value } : undefined;
  }

  #isUsable(stored: StoredToken, need: TokenNeed): boolean {
    const { clock, settings } = this.parts;
    const { token, value, obtainedAt, readAt } = stored;
    const last = this.#last;
    // A moment in the future is by a clock that was set back since, and says nothing about the age.
    if (obtainedAt <= this.#refusedGotAt && this.#refusedGotAt <= readAt) return false;
    if (need.refused && token.equals(need.refused)) return false;
    // Another process has asked since, and the endpoint returned the same token: there is no other token until its end.
    if (last && token.equals(last.token))
      return value !== last.value && !last.token.endsWithin(0, clock) && !token.endsWithin(0, clock);
    if (token.endsWithin(token.leewayOf(settings.expiryLeewayMs), clock)) return false;
    // A renewal in the background may be about a refused token: then any other one is better.
    if (need.reason !== 'ahead' || need.refused || last === undefined) return true;
    return token.remainingMs(clock) > last.token.remainingMs(clock);
  }

  #take({ name }: FleetPlace, { token, value, readAt }: StoredToken): AccessToken {
    return this.#keep({ token, name, value, gotAt: readAt });
  }

  #keep(last: Last): AccessToken {
    this.#last = last;
    this.#failedName = undefined;
    this.#obeyedUntil = -Infinity;
    return last.token;
  }
}

function longestNote({ code, failure }: TokenRequestError): number {
  const isAsked = code === 'TOKEN_REJECTED' || failure.retryAfterMs !== undefined;
  return isAsked ? LONGEST_NOTE_MS.refusal : LONGEST_NOTE_MS.outage;
}

/** The store's clock, counted on from its last answer. */
function clockFrom(answer: StoreAnswer | undefined, clock: Clock): () => number | undefined {
  const answeredAt = clock.monotonic();
  return () => answer && Math.floor(answer.now + clock.monotonic() - answeredAt);
}
