import type { Profile, TokenSettings } from '../../config/options/profile.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Secret } from '../../secrets/secret.js';
import type { Clock } from '../../time/clock.js';
import type { Random } from '../../time/backoff.js';
import type { CurrentSecret } from '../current-secret.js';
import type { Outage } from '../outage.js';
import { timerKind, type TokenNeed, type TokenSource } from '../token-source.js';
import { FleetEntry } from './fleet-entry.js';
import { FleetMemory } from './fleet-memory.js';
import { FleetOutage } from './fleet-outage.js';
import { FleetRenewal } from './fleet-renewal.js';
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
 * 5. `FleetRenewal` is one renewal. It sends claims and decides after each answer: take the token, wait, ask for all, or
 *    ask alone.
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
    const { secret: source, settings } = this.#deps;
    const failure = this.#outage.standingFailure;
    if (failure && !this.#outage.claimLook()) throw failure.error;
    this.#memory.addRefused(asked.refused);
    const secret = source.read(failure ? LONGEST_READ_MS : settings.timeoutMs, timerKind(asked));
    const need = { ...asked, secret };
    const entry = await this.#entry(secret);
    const renewal = entry && this.#renewalOf(entry, need);
    let token: AccessToken | undefined;
    if (failure && (entry === undefined || entry.name === failure.name)) {
      token = await renewal?.takeIfThere();
      if (token === undefined) throw failure.error;
    }
    token ??= await (renewal ? renewal.obtain() : this.#withoutEntry(need));
    this.#outage.ended();
    return token;
  }

  /** Undefined if the secret cannot be read. The sources below get the same failed reading, and cool down. */
  async #entry(reading: Promise<Secret>): Promise<FleetEntry | undefined> {
    const secret = await reading.catch(() => undefined);
    return secret && new FleetEntry(this.#deps.profile, secret);
  }

  #renewalOf(entry: FleetEntry, need: TokenNeed): FleetRenewal {
    return new FleetRenewal(entry, need, { ...this.#deps, memory: this.#memory, outage: this.#outage });
  }

  /** Without the secret there is no place to share a token at. */
  async #withoutEntry(need: TokenNeed): Promise<AccessToken> {
    try {
      return this.#memory.remember({ token: await this.#deps.inner.obtain(need) });
    } catch (error) {
      this.#outage.recordFailure(error, need.signal);
      throw error;
    }
  }
}
