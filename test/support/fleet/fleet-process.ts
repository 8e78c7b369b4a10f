import { strictEqual } from 'node:assert';
import { vi } from 'vitest';
import type { Profile, TokenSettings } from '../../../lib/config/options/profile.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { Fleet } from '../../../lib/token/fleet/fleet.js';
import { GuardedStore } from '../../../lib/token/fleet/guarded-store.js';
import { Outage } from '../../../lib/token/outage.js';
import { Renewal } from '../../../lib/token/renewal.js';
import type { TokenNeed } from '../../../lib/token/token-need.js';
import { TokenOrigin } from '../../../lib/token/token-origins.js';
import { FakeClock, settled } from '../token/fake-clock.js';
import {
  failureOf,
  HOUR,
  profileOf,
  SteeredSecret,
  SteeredSource,
  tokenOf,
  Watched,
} from '../token/token-fixtures.js';

/** A clock, a store, and as many processes as a test likes. */
export function givenFleet({ storeAheadMs = 0 } = {}) {
  const clock = new FakeClock();
  const store = new MemoryTokenStore(() => clock.wall() + storeAheadMs);
  return {
    clock,
    store,
    claims: vi.spyOn(store, 'claim'),
    process: (
      settings: Partial<TokenSettings> = {},
      secret = new SteeredSecret(),
      random = 0.5,
      credential: Profile['credential'] = 'secret',
    ) => new Process(clock, store, settings, secret, random, credential),
  };
}

/** What one process has of the chain, with a token endpoint that the test plays. */
export class Process {
  readonly endpoint = new SteeredSource();
  readonly lines: string[] = [];
  readonly usedSecrets: string[] = [];
  readonly #renewal: Renewal;
  readonly #outage: SteeredOutage;

  constructor(
    private readonly clock: FakeClock,
    store: TokenStore,
    settings: Partial<TokenSettings>,
    readonly secret: SteeredSecret,
    random: number,
    credential: Profile['credential'],
  ) {
    const line = (text: unknown): void => void this.lines.push(String(text));
    const outage = new SteeredOutage(clock, () => random);
    this.#outage = outage;
    const common = {
      profile: profileOf({ clientSecret: secret, credential }),
      settings: { timeoutMs: 5_000, maxAttempts: 3, expiryLeewayMs: 0, ...settings },
      outage,
      clock,
      random: () => random,
    };
    const origin = new TokenOrigin(clock);
    const guarded = new GuardedStore(store, clock, () => 0.5, { warn: line, log: line });
    this.#renewal = new Renewal({
      ...common,
      endpoint: {
        request: async (used: ClientCredential, _, { signal } = {}) => {
          this.usedSecrets.push(used.reveal());
          return this.endpoint.obtain({ reason: 'cold', signal }).catch(throwFinal);
        },
      },
      fleet: new Fleet({ ...common, store: guarded }),
      slot: (ends) => origin.slot('own', ends),
      report: { attemptTimedOut() {} },
    });
  }

  /** The endpoint refuses the secret, which has changed, and gets another request (B8). */
  async usesAnotherSecret(): Promise<void> {
    this.endpoint.last.fail(failureOf('TOKEN_REJECTED'));
    await settled();
  }

  /** The length of its next cool-downs. */
  coolsFor(ms: number | undefined): void {
    this.#outage.coolDownMs = ms;
  }

  get requests(): number {
    return this.endpoint.asked.length;
  }

  /** Whether its next try is a single attempt. */
  get isInOutage(): boolean {
    return this.#outage.isOn;
  }

  asks(need: TokenNeed = { reason: 'cold' }): Watched<AccessToken> {
    if (need.refused) this.#renewal.refused(need.refused);
    return new Watched(this.#renewal.obtain(need));
  }

  /** Asks, and has to fetch: the token endpoint gives this. */
  async fetches(
    value: string,
    { need = { reason: 'cold' }, lifetimeMs = HOUR }: { need?: TokenNeed; lifetimeMs?: number } = {},
  ): Promise<AccessToken> {
    const before = this.requests;
    const asked = this.asks(need);
    await settled();
    strictEqual(this.requests, before + 1);
    const token = tokenOf(this.clock, value, lifetimeMs);
    this.endpoint.last.give(token);
    await settled();
    strictEqual(asked.result, token);
    return token;
  }

  /** Asks, and reads what another has fetched. */
  async reads(need: TokenNeed = { reason: 'cold' }): Promise<AccessToken> {
    const before = this.requests;
    const asked = this.asks(need);
    await settled();
    strictEqual(this.requests, before);
    if (asked.result === undefined) throw new Error(`There was nothing to read: ${String(asked.error)}`);
    return asked.result;
  }

  /** Asks, has to fetch, and fails. Its cool-down then takes so many milliseconds. */
  async fails(error = failureOf(), coolDownMs?: number): Promise<unknown> {
    this.coolsFor(coolDownMs);
    const before = this.requests;
    const asked = this.asks();
    await settled();
    strictEqual(this.requests, before + 1);
    this.endpoint.last.fail(error);
    await settled();
    strictEqual(asked.state, 'failed');
    return asked.error;
  }
}

/** The test chooses the length of a cool-down. */
class SteeredOutage extends Outage {
  coolDownMs: number | undefined;

  override failed(error: TokenRequestError, since?: number): TokenRequestError {
    const standing = super.failed(error, since);
    const { coolDownMs, failure } = this;
    return coolDownMs === undefined || failure === undefined ? standing : this.standFor(coolDownMs, failure);
  }
}

/** A failure that is not tried again in the same renewal. */
function throwFinal(error: unknown): never {
  throw error instanceof TokenRequestError
    ? new TokenRequestError(error, { ...error.failure, transient: false })
    : error;
}
