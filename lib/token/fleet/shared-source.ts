import type { Profile, TokenSettings } from '../../config/options/profile.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Secret } from '../../secrets/secret.js';
import { Deadline } from '../../time/deadline.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import { type CurrentSecret, LONGEST_LOOK_MS, mayEnd } from '../current-secret.js';
import { LONGEST_WAIT_MS } from '../endpoint-source.js';
import type { Outage } from '../outage.js';
import type { TokenNeed, TokenSource } from '../token-source.js';
import { FleetEntry } from './fleet-entry.js';
import { FleetMemory } from './fleet-memory.js';
import { FleetOutage } from './fleet-outage.js';
import { type EntryOf, type FleetParts, FleetRenewal } from './fleet-renewal.js';

interface Dependencies extends FleetParts {
  readonly profile: Profile;
  readonly secret: Pick<CurrentSecret, 'read' | 'look' | 'lastUsed' | 'lookAfterMs' | 'readAndCompare'>;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'maxAttempts' | 'expiryLeewayMs'>;
  readonly outage: Pick<Outage, 'continueOutage' | 'ended'>;
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

/**
 * One token for a whole fleet (B10): all processes with the same token URL, client id and client secret. The protocol is
 * described in `docs/fleet-protocol.md`. A renewal passes the classes of this folder in this order:
 *
 * 1. `SharedSource` reads the client secret, because the secret names the fleet's place in the store.
 * 2. `FleetOutage` knows the last failure of this process.
 * 3. `FleetEntry` makes the name of the place and the key from the secret. It seals and opens what is stored there.
 * 4. `FleetMemory` knows which tokens this process must not take.
 * 5. `FleetRenewal` is one renewal: it takes a token, waits, or requests one for the fleet or for itself.
 * 6. `FleetLease` makes its claims, publishes its token, or leaves its note. `FleetEntry` seals all three.
 * 7. `GuardedStore` passes each message to the store within a deadline.
 *
 * `SharedSource` is above the cool-down: while this process leaves the token endpoint alone, it still uses a token of the fleet.
 */
export class SharedSource implements TokenSource {
  readonly #outage: FleetOutage;
  readonly #memory: FleetMemory;

  constructor(private readonly deps: Dependencies) {
    this.#memory = new FleetMemory(deps.settings, deps.clock);
    this.#outage = new FleetOutage(deps.clock, deps.outage);
  }

  async obtain(asked: TokenNeed): Promise<AccessToken> {
    const { profile, secret: source, settings, store, clock } = this.deps;
    const failure = this.#outage.standingFailure;
    if (failure && !this.#outage.claimLook(source.lookAfterMs)) throw failure.error;
    this.#memory.addRefused(asked.refused);
    const { timeoutMs, maxAttempts } = settings;
    // Reading the secret and the seal key is part of the time that a renewal may take (B6).
    const ends = Deadline.after(clock, maxAttempts * timeoutMs + LONGEST_WAIT_MS);
    const secret = failure ? source.look(timeoutMs) : source.read(timeoutMs);
    const need = { ...asked, secret, ends };
    const readKey = (): Promise<Secret | undefined> =>
      failure ? store.lookAtSealKey(LONGEST_LOOK_MS) : store.sealKey(timeoutMs);
    const sealKey = hasOwnKey(profile) ? undefined : readKey();
    // If the secret cannot be read, the sources below get the same failed reading, and cool down.
    const credential = await secret.catch(() => undefined);
    const key = await sealKey;
    const entryOf = entriesOf(profile, key);
    const entry = credential && entryOf(credential);
    const parts = { ...this.deps, entryOf, memory: this.#memory, outage: this.#outage };
    const renewal = entry && new FleetRenewal(entry, need, parts);
    let token: AccessToken | undefined;
    // Without an entry for this credential, the cool-down below knows whether a changed credential ends the failure. A key that is
    // late, or cannot be read, hides the entry.
    const isHidden =
      credential === undefined || (failure?.name !== undefined && sealKey && key === undefined);
    if (failure && (isHidden || (entry && entry.name === failure.name))) {
      token = await renewal?.takeIfThere();
      // The name does not show all that a refusal may be about, such as the id of the key (B7).
      if (token === undefined && !(await mayEnd(failure.error, source, timeoutMs, secret)))
        throw failure.error;
    }
    token ??= await (renewal ? renewal.obtain() : this.#withoutEntry(need));
    this.#outage.ended();
    return token;
  }

  /** Without the secret, or for a client that no entry can be bound to, there is no place to share a token at. */
  async #withoutEntry(need: TokenNeed): Promise<AccessToken> {
    try {
      return this.#memory.remember({ token: await this.deps.inner.obtain(need) });
    } catch (error) {
      this.#outage.recordFailure(error, need.signal);
      throw error;
    }
  }
}
