import { strictEqual } from 'node:assert';
import { vi } from 'vitest';
import type { Profile, TokenSettings } from '../../../lib/config/options/profile.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { CurrentSecret } from '../../../lib/token/current-secret.js';
import { GuardedStore, StoreReport } from '../../../lib/token/fleet/guarded-store.js';
import { SharedSource } from '../../../lib/token/fleet/shared-source.js';
import { Outage } from '../../../lib/token/outage.js';
import type { TokenNeed } from '../../../lib/token/token-source.js';
import { FakeClock, settled } from '../token/fake-clock.js';
import {
  failureOf,
  HOUR,
  profileOf,
  SteeredSecret,
  SteeredSource,
  tokenOf,
  Watched,
  takeFreePlace,
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
  readonly #shared: SharedSource;
  readonly #secret: CurrentSecret;

  constructor(
    private readonly clock: FakeClock,
    store: TokenStore,
    settings: Partial<TokenSettings>,
    readonly secret: SteeredSecret,
    random: number,
    credential: Profile['credential'],
  ) {
    const profile = profileOf({ clientSecret: secret, credential });
    const current = new CurrentSecret(profile, clock);
    this.#secret = current;
    const logger = {
      warn: (line: string) => this.lines.push(line),
      log: (line: string) => this.lines.push(line),
    };
    this.#shared = new SharedSource({
      inner: {
        obtain: async (need) => {
          const used = await current.use(1_000, need.secret);
          this.usedSecrets.push(used.reveal());
          return this.endpoint.obtain(need);
        },
      },
      takePlace: takeFreePlace,
      store: new GuardedStore(store, clock, () => 0.5, new StoreReport(logger)),
      profile,
      secret: current,
      settings: { timeoutMs: 5_000, maxAttempts: 3, expiryLeewayMs: 0, ...settings },
      outage: new Outage(clock, () => random),
      clock,
      random: () => random,
    });
  }

  /** Another attempt of the token request under way, as after a refusal (B8). */
  async usesAnotherSecret(): Promise<void> {
    await this.#secret.useIfChanged(1_000);
  }

  get requests(): number {
    return this.endpoint.asked.length;
  }

  asks(need: TokenNeed = { reason: 'cold' }): Watched<AccessToken> {
    return new Watched(this.#shared.obtain(need));
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

  /** Asks, has to fetch, and fails; `coolDownMs` is what the cool-down below makes of it. */
  async fails(error = failureOf(), coolDownMs = 250): Promise<unknown> {
    const before = this.requests;
    const asked = this.asks();
    await settled();
    strictEqual(this.requests, before + 1);
    this.endpoint.last.fail(error.copy(new Date(this.clock.wall() + coolDownMs)));
    await settled();
    strictEqual(asked.state, 'failed');
    return asked.error;
  }
}
