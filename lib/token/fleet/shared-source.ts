import type { Profile, TokenSettings } from '../../config/options/profile.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Secret } from '../../secrets/secret.js';
import type { Clock } from '../../time/clock.js';
import type { Random } from '../../time/backoff.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import type { CurrentSecret } from '../current-secret.js';
import type { Outage } from '../outage.js';
import { timerKind, type TokenNeed, type TokenSource } from '../token-source.js';
import { FleetEntry } from './fleet-entry.js';
import { FleetMemory } from './fleet-memory.js';
import { FleetOutage } from './fleet-outage.js';
import { type EntryOf, FleetRenewal } from './fleet-renewal.js';
import type { GuardedStore } from './guarded-store.js';

interface Dependencies {
  readonly inner: TokenSource;
  readonly store: GuardedStore;
  readonly profile: Profile;
  readonly secret: Pick<CurrentSecret, 'read' | 'lastUsed'>;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'maxAttempts' | 'expiryLeewayMs'>;
  readonly outage: Pick<Outage, 'continueOutage' | 'ended'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** None if the certificate has changed since it was read: the token may be bound to either of the two (B32). */
const entriesOf =
  (profile: Profile, sealKey?: Secret): EntryOf =>
  (credential) => {
    const current = profile.credential === 'certificate' ? profile.tls?.certificate() : undefined;
    return current === undefined || current === credential.reveal()
      ? FleetEntry.of(profile, credential, sealKey)
      : undefined;
  };

/** While callers get the error of a failure at once, a slow source of the secret delays them no longer than this. */
const LONGEST_READ_MS = 250;

/**
 * One token for a whole fleet (B10): all processes with the same token URL, client id and client secret. The protocol is
 * described in `docs/fleet-protocol.md`. A renewal passes the classes of this folder in this order:
 *
 * 1. `SharedSource` reads the client secret, because the secret names the fleet's place in the store.
 * 2. `FleetOutage` knows the last failure of this process. While this failure counts, callers get its error. Once a second
 *    this process looks for a token of another process.
 * 3. `FleetEntry` makes the name of the place and the key from the secret. It seals and opens what is stored there.
 * 4. `FleetMemory` knows which tokens this process must not take: refused tokens and the token that it replaces.
 * 5. `FleetRenewal` is one renewal. It sends claims and decides after each answer: take the token, wait, request a
 *    token for the fleet, or request one for itself.
 * 6. `FleetLease` makes these claims, publishes the token of this renewal, or leaves its note.
 * 7. `GuardedStore` passes each message to the store within a deadline. A store that fails is left alone for a while, and
 *    `StoreReport` logs that. Each entry has a `StoreClock`, because all moments are by the store's clock.
 * 8. `fleet-records.ts` writes and reads the three sealed records: token, lease and note.
 *
 * `SharedSource` is above the cool-down: while this process leaves the token endpoint alone, it still uses a token of the
 * fleet. Callers wait for one trip to the store in each renewal. If the store's clock is not known yet, they wait for a
 * second trip. The process that fetches makes one more trip, for which no caller waits.
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
    const { profile, secret: source, settings, store } = this.#deps;
    const failure = this.#outage.standingFailure;
    if (failure && !this.#outage.claimLook()) throw failure.error;
    this.#memory.addRefused(asked.refused);
    const withinMs = failure ? LONGEST_READ_MS : settings.timeoutMs;
    const secret = source.read(withinMs, timerKind(asked));
    const need = { ...asked, secret };
    const sealKey = hasOwnKey(profile) ? undefined : store.sealKey(withinMs, timerKind(asked));
    // If the secret cannot be read, the sources below get the same failed reading, and cool down.
    const credential = await secret.catch(() => undefined);
    const entryOf = entriesOf(profile, sealKey && (await sealKey));
    const entry = credential && entryOf(credential);
    const renewal = entry && this.#renewalOf(entry, need, entryOf);
    let token: AccessToken | undefined;
    // Without an entry for this credential, the cool-down below knows whether a changed credential ends the failure.
    if (failure && (credential === undefined || (entry && entry.name === failure.name))) {
      token = await renewal?.takeIfThere();
      if (token === undefined) throw failure.error;
    }
    token ??= await (renewal ? renewal.obtain() : this.#withoutEntry(need));
    this.#outage.ended();
    return token;
  }

  #renewalOf(entry: FleetEntry, need: TokenNeed, entryOf: EntryOf): FleetRenewal {
    return new FleetRenewal(entry, need, {
      ...this.#deps,
      entryOf,
      memory: this.#memory,
      outage: this.#outage,
    });
  }

  /** Without the secret, or for a client that no entry can be bound to, there is no place to share a token at. */
  async #withoutEntry(need: TokenNeed): Promise<AccessToken> {
    try {
      return this.#memory.remember({ token: await this.#deps.inner.obtain(need) });
    } catch (error) {
      this.#outage.recordFailure(error, need.signal);
      throw error;
    }
  }
}
