import type { Profile, TokenSettings } from '../../config/profile.js';
import type { StoreAnswer, StoreClaim } from '../../config/token-store.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import type { AccessToken } from '../../secrets/access-token.js';
import { type Clock, pause } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { Random } from '../../time/random.js';
import type { CurrentSecret } from '../current-secret.js';
import { FleetEntry } from './fleet-entry.js';
import { FleetFailures } from './fleet-failures.js';
import { FleetLease } from './fleet-lease.js';
import { FleetMemory } from './fleet-memory.js';
import type { GuardedStore } from './guarded-store.js';
import { LONGEST_WAIT_MS } from '../retrying-source.js';
import { openFailure } from './stored-failure.js';
import { openToken } from './stored-token.js';
import { timerKind, type TokenNeed, type TokenSource } from '../token-source.js';

interface Collaborators {
  readonly inner: TokenSource;
  readonly store: GuardedStore;
  readonly profile: Profile;
  readonly secret: Pick<CurrentSecret, 'foresee' | 'lastUsed'>;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'maxAttempts' | 'expiryLeewayMs'>;
  readonly clock: Clock;
  readonly random: Random;
}

const FIRST_POLL_MS = 20;
/** With its jitter shorter than the shortest note that a failed renewal leaves. */
const LONGEST_POLL_MS = 150;
/** What may pass between the end of another's renewal and this process's learning of it. */
const GRACE_MS = 1_000;
/** While a failure stands, callers are to be answered at once. */
const LONGEST_LOOK_MS = 250;
/** Entries that are no answer, met in a row: something else is writing there. */
const LONGEST_QUARREL = 3;

/**
 * One token for the whole fleet (B10): what another process has obtained, else the right to obtain it for all, else what
 * the process that has that right brings. Each of them may fail to come: then alone, as without a store.
 *
 * Stands above the cool-down: while this process is told to leave the token endpoint alone, the fleet's token still
 * serves. A renewal costs one trip to the store that somebody waits for; the process that fetches makes one more, for
 * which nobody waits.
 */
export class SharedSource implements TokenSource {
  readonly #with: Collaborators;
  readonly #failures: FleetFailures;
  readonly #memory: FleetMemory;

  constructor(collaborators: Collaborators) {
    this.#with = collaborators;
    this.#memory = new FleetMemory(collaborators.settings, collaborators.clock);
    this.#failures = new FleetFailures(collaborators.clock);
  }

  async obtain(need: TokenNeed): Promise<AccessToken> {
    const failure = this.#failures.standing;
    if (failure && !this.#failures.mayLook()) throw failure.error;
    this.#memory.refuse(need.refused);
    const entry = await this.#entry(need, failure ? LONGEST_LOOK_MS : this.#with.settings.timeoutMs);
    if (failure && (entry === undefined || entry.name === failure.name)) {
      const token = entry && (await this.#look(entry, need));
      if (token === undefined) throw failure.error;
      return token;
    }
    try {
      const token = await (entry ? this.#share(entry, need) : this.#alone(need));
      this.#failures.over();
      return token;
    } catch (error) {
      if (error instanceof TokenRequestError && !need.signal?.aborted) this.#failures.met(error, entry?.name);
      throw error;
    }
  }

  /** Undefined when the secret cannot be read: the sources below meet the same failure, and cool down. */
  async #entry(need: TokenNeed, withinMs: number): Promise<FleetEntry | undefined> {
    const { secret, profile } = this.#with;
    const current = await secret.foresee(withinMs, timerKind(need)).catch(() => undefined);
    return current && new FleetEntry(profile, current);
  }

  /** Only whether another process has a token by now. */
  async #look(entry: FleetEntry, need: TokenNeed): Promise<AccessToken | undefined> {
    const asked = Deadline.after(this.#with.clock, 0);
    const claim = { name: entry.name, unwanted: this.#memory.unwanted(entry) };
    const answer = await this.#with.store.claim(claim, timerKind(need));
    if (answer?.state !== 'found') return undefined;
    const token = openToken(entry, answer.value, { asked, now: answer.now, expiresAt: answer.expiresAt });
    if (token === undefined || !this.#memory.isAnswer(token, need)) return undefined;
    this.#failures.over();
    return this.#memory.keep({ token, name: entry.name, value: answer.value });
  }

  async #share(entry: FleetEntry, need: TokenNeed): Promise<AccessToken> {
    const { store, clock } = this.#with;
    const lease = new FleetLease(entry, store, clock);
    const patience = this.#patience();
    let unwanted = this.#memory.unwanted(entry);
    for (let quarrels = 0, polls = 0; quarrels < LONGEST_QUARREL;) {
      const claim = lease.wish(unwanted);
      const asked = Deadline.after(clock, 0);
      const answer = await store.claim(claim, timerKind(need));
      if (answer === undefined) break;
      lease.saw(answer.now);
      if (answer.state === 'leased') return this.#fetch(lease, claim, need);
      if (answer.state === 'found') {
        const token = openToken(entry, answer.value, { asked, now: answer.now, expiresAt: answer.expiresAt });
        if (token && this.#memory.isAnswer(token, need))
          return this.#memory.keep({ token, name: entry.name, value: answer.value });
        unwanted = { value: answer.value, remove: token === undefined || this.#memory.isRefused(token) };
        quarrels += 1;
        continue;
      }
      if (answer.state === 'free' || !this.#mayWait(entry, answer, patience)) break;
      await this.#poll((polls += 1), need);
      if (need.signal?.aborted) break;
    }
    const token = await this.#with.inner.obtain(need);
    return this.#bring(lease, token);
  }

  /** This process fetches, for all. */
  async #fetch(lease: FleetLease, claim: StoreClaim, need: TokenNeed): Promise<AccessToken> {
    lease.hold(claim);
    let token: AccessToken;
    try {
      token = await this.#with.inner.obtain(need);
    } catch (error) {
      if (!(error instanceof TokenRequestError) || need.signal?.aborted) {
        lease.giveUp();
        throw error;
      }
      const span = this.#failures.spanFor(error);
      lease.giveUp(error, span);
      // This process keeps to what it told the others.
      const retryAt = new Date(this.#with.clock.wall() + span);
      throw span === 0 || (error.retryAt && error.retryAt >= retryAt) ? error : error.until(retryAt);
    }
    return this.#bring(lease, token);
  }

  async #alone(need: TokenNeed): Promise<AccessToken> {
    return this.#memory.keep({ token: await this.#with.inner.obtain(need) });
  }

  #bring(lease: FleetLease, token: AccessToken): AccessToken {
    const { secret, profile } = this.#with;
    // An endpoint that gives the refused token again has nothing for the others.
    if (this.#memory.isRefused(token)) {
      lease.giveUp();
      return this.#memory.keep({ token });
    }
    const place = secret.lastUsed ? new FleetEntry(profile, secret.lastUsed) : lease.entry;
    return this.#memory.keep({ token, name: place.name, value: lease.publish(token, place) });
  }

  /** Waiting for another process takes no longer than its renewal may take (B6). */
  #patience(): Deadline {
    const { clock, settings } = this.#with;
    return Deadline.after(clock, settings.maxAttempts * settings.timeoutMs + LONGEST_WAIT_MS + GRACE_MS);
  }

  /** Whether there is something to wait for. Rejects with what the other process was told. */
  #mayWait(entry: FleetEntry, held: Extract<StoreAnswer, { state: 'held' }>, patience: Deadline): boolean {
    const { clock, profile } = this.#with;
    if (held.note === undefined) return !patience.hasCome(clock);
    const retryAt = new Date(clock.wall() + Math.max(0, held.expiresAt - held.now));
    const error = openFailure(entry, held.note, profile, retryAt);
    if (error) throw error;
    return false;
  }

  #poll(polls: number, need: TokenNeed): Promise<void> {
    const { clock, random } = this.#with;
    const ms = Math.min(FIRST_POLL_MS * 1.5 ** polls, LONGEST_POLL_MS) * (0.5 + random());
    return pause(clock, ms, timerKind(need), need.signal);
  }
}
