import type { Profile, TokenSettings } from '../../config/options/profile.js';
import type { StoreAnswer } from '../../config/options/token-store.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Secret } from '../../secrets/secret.js';
import { type Clock, pause, type TimerKind } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { Random } from '../../time/random.js';
import type { CurrentSecret } from '../current-secret.js';
import type { Outage } from '../outage.js';
import { LONGEST_WAIT_MS } from '../retrying-source.js';
import { timerKind, type TokenNeed, type TokenSource } from '../token-source.js';
import { FleetEntry } from './fleet-entry.js';
import { FleetLease } from './fleet-lease.js';
import { FleetMemory } from './fleet-memory.js';
import { FleetOutage, type SharedFailure } from './fleet-outage.js';
import {
  LEASE_MS,
  LONGEST_LEASE_MS,
  openLease,
  openNote,
  openToken,
  type StoredToken,
} from './fleet-records.js';
import type { GuardedStore } from './guarded-store.js';

interface Dependencies {
  readonly inner: TokenSource;
  readonly store: GuardedStore;
  readonly profile: Profile;
  readonly secret: Pick<CurrentSecret, 'read' | 'lastUsed'>;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'maxAttempts' | 'expiryLeewayMs'>;
  readonly outage: Pick<Outage, 'joined' | 'ended'>;
  readonly clock: Clock;
  readonly random: Random;
}

type Held = Extract<StoreAnswer, { state: 'held' }>;

/** What to do about an answer of the store: read on at once, without this lease or note, or a moment later, or go alone. */
type NextStep = { readonly insteadOf: string } | 'wait' | 'alone';

const FIRST_POLL_MS = 20;
/** With its jitter about as long as the shortest note. */
const LONGEST_POLL_MS = 150;
/** What may pass between the end of another's renewal and this process's learning of it. */
const GRACE_MS = 1_000;
/** While a failure stands, callers are to be answered at once. */
const LONGEST_LOOK_MS = 250;
/** Entries, leases and notes that mean nothing, met in one renewal: something else is writing there. */
const MOST_UNUSABLE = 3;

/**
 * One token for the whole fleet (B10), by the protocol of `docs/fleet-protocol.md`: what another process has obtained, else
 * the lease, which is the right to ask for all, else what the process with the lease brings. Each of them may fail to come:
 * then this process asks alone, as without a store.
 *
 * Stands above the cool-down: while this process leaves the token endpoint alone, the fleet's token still
 * serves. Callers wait for one trip to the store in each renewal, and for a second one if the store's clock is not
 * known yet. The process that fetches makes one more, for which no caller waits.
 */
export class SharedSource implements TokenSource {
  readonly #deps: Dependencies;
  readonly #outage: FleetOutage;
  readonly #memory: FleetMemory;

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
    this.#memory = new FleetMemory(dependencies.settings, dependencies.clock);
    this.#outage = new FleetOutage(dependencies.clock, dependencies.outage);
  }

  async obtain(asked: TokenNeed): Promise<AccessToken> {
    const { secret: source, settings } = this.#deps;
    const failure = this.#outage.standing;
    if (failure && !this.#outage.lookNow()) throw failure.error;
    this.#memory.refuse(asked.refused);
    const secret = source.read(failure ? LONGEST_LOOK_MS : settings.timeoutMs, timerKind(asked));
    const need = { ...asked, secret };
    const entry = await this.#entry(secret);
    let token: AccessToken | undefined;
    if (failure && (entry === undefined || entry.name === failure.name)) {
      token = entry && (await this.#look(entry, need));
      if (token === undefined) throw failure.error;
    }
    token ??= await (entry ? this.#share(entry, need) : this.#withoutEntry(need));
    this.#outage.over();
    return token;
  }

  /** Undefined if the secret cannot be read. The sources below get the same failed reading, and cool down. */
  async #entry(reading: Promise<Secret>): Promise<FleetEntry | undefined> {
    const secret = await reading.catch(() => undefined);
    return secret && new FleetEntry(this.#deps.profile, secret);
  }

  /** From the first claim to a token or an error: reads, waits, asks for all, or asks alone. */
  async #share(entry: FleetEntry, firstNeed: TokenNeed): Promise<AccessToken> {
    const { store, clock } = this.#deps;
    let need = firstNeed;
    const lease = new FleetLease(entry, store, clock, this.#outage.leaseMs);
    const started = clock.monotonic();
    let unwanted = this.#memory.unwanted(entry);
    let insteadOf: string | undefined;
    for (let unusable = 0, polls = 0; unusable < MOST_UNUSABLE && !need.signal?.aborted;) {
      const claim = lease.claim(unwanted, insteadOf);
      const asked = Deadline.after(clock, 0);
      const answer = await store.claim(claim, timerKind(need));
      if (answer === undefined) break;
      const waitedMs = clock.monotonic() - started;
      if (answer.state === 'leased') {
        // Two requests have been under way for so long: this looks like an outage, in which a single attempt does (B18).
        if (waitedMs >= 2 * LEASE_MS) this.#outage.joined(waitedMs);
        return this.#fetchForAll(lease, need, polls > 0 ? 0 : LEASE_MS);
      }
      if (answer.state === 'free') {
        if (claim.lease) break;
        // The first claim only looks if the store's clock was not known. It is known now.
        unusable += 1;
        continue;
      }
      if (answer.state === 'found') {
        const stored = openToken(entry, answer, asked);
        if (stored && this.#memory.isAnswer(stored, need)) return this.#keep(stored, entry);
        unwanted = {
          value: answer.value,
          remove: stored === undefined || this.#memory.isRefused(stored.token),
        };
        unusable += 1;
        continue;
      }
      const next = this.#afterHeld(entry, answer, waitedMs);
      if (next === 'alone' || (next !== 'wait' && next.insteadOf === insteadOf)) break;
      if (next === 'wait') {
        unusable = 0;
        // The secret may change while this process waits, so an attempt after the wait reads it again (B8).
        need = { ...need, secret: undefined };
        await this.#poll((polls += 1), need);
      } else {
        insteadOf = next.insteadOf;
        unusable += 1;
      }
    }
    return this.#fetchAlone(lease, need);
  }

  /** Another process has the lease or has left a note. Throws this process's own error where a note holds it back. */
  #afterHeld(entry: FleetEntry, { now, note, holder, expiresAt }: Held, waitedMs: number): NextStep {
    const failure = this.#outage.failureWith(entry.name);
    // A process that has failed itself has had its turn; it asks again only with the lease, or an outage would cost more.
    if (failure && waitedMs >= LONGEST_LEASE_MS + GRACE_MS) throw failure.error;
    if (waitedMs >= this.#patienceMs) return 'alone';
    if (note !== undefined) {
      const told = openNote(entry, note);
      const endsAt = told && Math.min(told.endsAt, expiresAt);
      if (told === undefined || endsAt === undefined || endsAt <= now) return { insteadOf: note };
      const verdict = this.#outage.heard({ text: note, since: told.since, endsAt }, entry.name, now);
      if (verdict === 'try') return { insteadOf: note };
      throw verdict;
    }
    // A store that does not tell the holder ends leases itself. One that lasts longer than ours do is not ours.
    if (holder === undefined) return expiresAt - now > LONGEST_LEASE_MS ? 'alone' : 'wait';
    const lease = openLease(entry, holder);
    const age = now - (lease?.takenAt ?? -Infinity);
    // A process knows the store's clock only to the length of a trip, so its lease may seem to begin a little later.
    const stands = age >= -LONGEST_LEASE_MS && age < (failure ? (lease?.ms ?? 0) : LEASE_MS);
    return stands ? 'wait' : { insteadOf: holder };
  }

  /**
   * This process has the lease. A token that another process publishes meanwhile ends this process's own request.
   *
   * @param lookAfterMs when another process may have a token: at once where this process has waited for one.
   */
  async #fetchForAll(lease: FleetLease, need: TokenNeed, lookAfterMs: number): Promise<AccessToken> {
    const read = new AbortController();
    const signal = need.signal ? AbortSignal.any([need.signal, read.signal]) : read.signal;
    const ended = new AbortController();
    const fetched = this.#fetch(lease, { ...need, signal }, read.signal).finally(() => ended.abort());
    const token = await Promise.race([
      fetched,
      this.#lookWhile(lease.entry, need, lookAfterMs, ended.signal),
    ]);
    if (token === undefined) return fetched;
    // If another token came first, no code listens to this request.
    fetched.catch(() => {});
    read.abort();
    return token;
  }

  /** @param read another process's token has come first: what this request brings counts no more. */
  async #fetch(lease: FleetLease, need: TokenNeed, read: AbortSignal): Promise<AccessToken> {
    try {
      const token = await this.#deps.inner.obtain(need);
      if (read.aborted) lease.giveUp();
      return read.aborted ? token : this.#bring(lease, token);
    } catch (error) {
      const told = this.#failed(error, need, lease.entry.name);
      if (told) void lease.leaveNote(told.note, told.ms);
      else lease.giveUp();
      throw error;
    }
  }

  async #lookWhile(
    entry: FleetEntry,
    need: TokenNeed,
    afterMs: number,
    ended: AbortSignal,
  ): Promise<AccessToken | undefined> {
    await pause(this.#deps.clock, afterMs, 'background', ended);
    for (let polls = 1; !ended.aborted; polls += 1) {
      await this.#poll(polls, need, ended);
      const answer = ended.aborted ? 'no store' : await this.#read(entry, need, 'background');
      if (answer === 'no store' || ended.aborted) return undefined;
      if (answer) return this.#keep(answer, entry);
    }
    return undefined;
  }

  /** Without the lease: what this process gets is given to the others where they have nothing. */
  async #fetchAlone(lease: FleetLease, need: TokenNeed): Promise<AccessToken> {
    try {
      return this.#bring(lease, await this.#deps.inner.obtain(need));
    } catch (error) {
      this.#failed(error, need, lease.entry.name);
      throw error;
    }
  }

  /** The secret cannot be read: there is no place to share at. */
  async #withoutEntry(need: TokenNeed): Promise<AccessToken> {
    try {
      return this.#memory.keep({ token: await this.#deps.inner.obtain(need) });
    } catch (error) {
      this.#failed(error, need, undefined);
      throw error;
    }
  }

  /** Only whether another process has a token by now. */
  async #look(entry: FleetEntry, need: TokenNeed): Promise<AccessToken | undefined> {
    const answer = await this.#read(entry, need, timerKind(need));
    return answer && answer !== 'no store' ? this.#keep(answer, entry) : undefined;
  }

  async #read(
    entry: FleetEntry,
    need: TokenNeed,
    kind: TimerKind,
  ): Promise<StoredToken | 'no store' | undefined> {
    const asked = Deadline.after(this.#deps.clock, 0);
    const claim = { name: entry.name, unwanted: this.#memory.unwanted(entry) };
    const answer = await this.#deps.store.claim(claim, kind);
    if (answer === undefined) return 'no store';
    const stored = answer.state === 'found' ? openToken(entry, answer, asked) : undefined;
    return stored && this.#memory.isAnswer(stored, need) ? stored : undefined;
  }

  #keep({ token, value, readAt }: StoredToken, { name }: FleetEntry): AccessToken {
    return this.#memory.keep({ token, name, value, gotAt: readAt });
  }

  #bring(lease: FleetLease, token: AccessToken): AccessToken {
    const { secret, profile, store } = this.#deps;
    // An endpoint that gives the refused token again has nothing for the others.
    if (this.#memory.isRefused(token)) {
      lease.giveUp();
      return this.#memory.keep({ token });
    }
    const place = secret.lastUsed ? new FleetEntry(profile, secret.lastUsed) : lease.entry;
    const value = lease.publish(token, place);
    return this.#memory.keep({
      token,
      name: place.name,
      value,
      gotAt: store.clockOf(lease.entry.name).earliest,
    });
  }

  /** What the others are to hear of it, if anything. A renewal that was given up, or a fault of ours, is no failure. */
  #failed(error: unknown, need: TokenNeed, name: string | undefined): SharedFailure | undefined {
    if (!(error instanceof TokenRequestError) || need.signal?.aborted) return undefined;
    const at = name === undefined ? undefined : this.#deps.store.clockOf(name).earliest;
    return this.#outage.failed(error, name, at);
  }

  /** Waiting for another process takes no longer than its renewal may take (B6). */
  get #patienceMs(): number {
    const { maxAttempts, timeoutMs } = this.#deps.settings;
    return maxAttempts * timeoutMs + LONGEST_WAIT_MS + GRACE_MS;
  }

  #poll(polls: number, need: TokenNeed, signal = need.signal): Promise<void> {
    const { clock, random } = this.#deps;
    const ms = Math.min(FIRST_POLL_MS * 1.5 ** polls, LONGEST_POLL_MS) * (0.5 + random());
    return pause(clock, ms, timerKind(need), signal);
  }
}
