import { describe, expect, it } from 'vitest';
import type { StoreAnswer, StoreClaim } from '../../../../lib/config/options/token-store.js';
import { ClientCredential } from '../../../../lib/secrets/client-credential.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { FleetMemory } from '../../../../lib/token/fleet/fleet-memory.js';
import { FleetOutage } from '../../../../lib/token/fleet/fleet-outage.js';
import { FleetRenewal } from '../../../../lib/token/fleet/fleet-renewal.js';
import { type GuardedStore, StoreClock } from '../../../../lib/token/fleet/guarded-store.js';
import { Deadline } from '../../../../lib/time/deadline.js';
import { ENTRY } from '../../../support/fleet/fleet-store.js';
import { FakeClock, settled } from '../../../support/token/fake-clock.js';
import {
  CANARY,
  failureOf,
  HOUR,
  profileOf,
  SteeredSource,
  tokenOf,
  Watched,
  takeFreePlace,
} from '../../../support/token/token-fixtures.js';

/** What the store answers to a claim. Without an answer the store fails. */
type Answer = (claim: StoreClaim) => StoreAnswer | undefined | Promise<StoreAnswer | undefined>;

/** One renewal. The test gives the answers of the store, in order; the last is repeated. */
function givenRenewal(answers: Answer[], { knowsClock = true, hasFailed = false } = {}) {
  const clock = new FakeClock();
  const storeClock = new StoreClock(clock);
  if (knowsClock) storeClock.record(clock.wall(), Deadline.after(clock, 0));
  const claims: { claim: StoreClaim }[] = [];
  const releases: object[] = [];
  const published: object[] = [];
  const store = {
    clockOf: () => storeClock,
    claim: (claim: StoreClaim) => {
      claims.push({ claim });
      return Promise.resolve((answers[claims.length - 1] ?? answers.at(-1))?.(claim));
    },
    publish: (publication: object) => void published.push(publication),
    release: (release: object) => void releases.push(release),
  };
  const ages: number[] = [];
  const outage = new FleetOutage(clock, { continueOutage: (ageMs) => void ages.push(ageMs), ended() {} });
  if (hasFailed) outage.recordFailure(failureOf(), undefined, ENTRY.name, clock.wall());
  const memory = new FleetMemory({ expiryLeewayMs: 0 }, clock);
  const inner = new SteeredSource();
  const renewal = new FleetRenewal(
    ENTRY,
    { reason: 'expired', ends: Deadline.after(clock, 17_000) },
    {
      inner,
      takePlace: takeFreePlace,
      store: store as unknown as GuardedStore,
      entryOf: (credential) => FleetEntry.of(profileOf(), credential),
      secret: { lastUsed: undefined, read: async () => new ClientCredential(CANARY.secret) },
      settings: { timeoutMs: 5_000 },
      memory,
      outage,
      clock,
      random: () => 0.5,
    },
  );
  const found = (value: string): StoreAnswer => {
    const now = clock.wall();
    const sealed = ENTRY.sealToken(tokenOf(clock, value), { obtainedAt: now, endsAt: now + HOUR });
    return { state: 'found', now, value: sealed, expiresAt: now + HOUR };
  };
  /** Another process has the lease since `age` milliseconds. */
  const held = (age = 0, ms = 2_000, isSent?: true): StoreAnswer & { holder: string } => {
    const now = clock.wall();
    return {
      state: 'held',
      now,
      holder: ENTRY.sealLease({ takenAt: now - age, ms, isSent }),
      expiresAt: now + 2_000,
    };
  };
  const leased = (): StoreAnswer => ({ state: 'leased', now: clock.wall() });
  return { clock, claims, releases, published, ages, outage, memory, inner, renewal, found, held, leased };
}

type Given = ReturnType<typeof givenRenewal>;

/** The renewal of a process whose first claim is answered after so long. */
function givenLateAnswer(ms: number, answer: (given: Given) => StoreAnswer, options = {}): Given {
  const given: Given = givenRenewal(
    [
      () => {
        given.clock.setMonotonicBy(ms);
        given.clock.setWallBy(ms);
        return answer(given);
      },
      () => answer(given),
    ],
    options,
  );
  return given;
}

describe('a renewal while another process has the lease', () => {
  it.each([
    [5_999, 'waiting'],
    [6_000, 'failed'],
  ])('F12: of a process that has failed ends after 6 s with its own error: %i ms, %s', async (ms, state) => {
    const { renewal, claims, inner } = givenLateAnswer(ms, ({ held }) => held(), { hasFailed: true });
    const asked = new Watched(renewal.obtain());
    await settled();
    expect(asked.state).toBe(state);
    expect([claims.length, inner.asked.length]).toEqual([1, 0]);
  });

  it.each([
    [8_749, 0],
    [8_750, 1],
  ])(
    'B6: asks alone so early that its attempt ends in the time of a renewal: %i ms, %i request',
    async (ms, requests) => {
      const { renewal, inner } = givenLateAnswer(ms, ({ held }) => held());
      void renewal.obtain();
      await settled();
      expect(inner.asked).toHaveLength(requests);
    },
  );

  it.each([
    [5_000, 0],
    [5_001, 1],
  ])(
    'F7: waits for a lease without a holder that ends in 5 s, and no longer: %i ms',
    async (ms, requests) => {
      const { renewal, inner } = givenLateAnswer(0, ({ clock }) => ({
        state: 'held',
        now: clock.wall(),
        expiresAt: clock.wall() + ms,
      }));
      void renewal.obtain();
      await settled();
      expect(inner.asked).toHaveLength(requests);
    },
  );

  it.each([
    ['that begins 5 s later by this clock', -5_000, true],
    ['that begins later than that', -5_001, false],
    ['of less than 2 s', 1_999, true],
    ['of 2 s', 2_000, false],
  ])('F7: waits for a lease %s or not', async (_, age, waits) => {
    const { renewal, claims, held } = givenRenewal([() => held(age)]);
    void renewal.obtain();
    await settled();
    // A lease that has ended is replaced at once.
    expect(claims[1]?.claim.lease?.insteadOf !== undefined).toBe(!waits);
    expect(claims.length > 1).toBe(!waits);
  });

  it.each([
    [1_999, 1_500, true],
    [2_000, 1_500, false],
    [2_000, 999, true],
    [2_000, 1_000, false],
  ])(
    'F28: after %i ms of waiting for processes that have not reached the endpoint, a lease of %i ms is respected: %s',
    async (ms, age, waits) => {
      const { renewal, claims } = givenLateAnswer(ms, ({ held }) => held(age));
      void renewal.obtain();
      await settled();
      expect(claims[1]?.claim.lease?.insteadOf === undefined).toBe(waits);
    },
  );

  it.each([
    ['the longer it waits', 0, [30, 45, 67.5]],
    ['as often as at first, as soon as it has waited out one lease', 2_000, [30, 30, 30]],
  ])('B10: looks again after pauses: %s', async (_, waitedMs, pauses) => {
    const given = givenLateAnswer(waitedMs, ({ held }) => held());
    void given.renewal.obtain();
    await settled();
    await given.clock.advance(80);
    expect(given.clock.history.slice(0, 3).map(({ ms }) => ms)).toEqual(pauses);
  });

  it('B10: looks again after longer pauses even if the store returns no holder', async () => {
    const given = givenLateAnswer(0, ({ clock }) => ({
      state: 'held',
      now: clock.wall(),
      expiresAt: clock.wall() + 2_000,
    }));
    void given.renewal.obtain();
    await given.clock.advance(80);
    expect(given.clock.history.slice(0, 3).map(({ ms }) => ms)).toEqual([30, 45, 67.5]);
  });

  it('F7: replaces a lease that this library did not seal, also if the process has failed', async () => {
    const { renewal, claims, held } = givenRenewal([() => ({ ...held(), holder: 'foreign' })], {
      hasFailed: true,
    });
    void renewal.obtain().catch(() => undefined);
    await settled();
    expect(claims[1]?.claim.lease).toMatchObject({ insteadOf: 'foreign' });
  });
});

function noteIn({ clock }: Given, noteMs: number, entryMs: number): StoreAnswer {
  const now = clock.wall();
  const note = ENTRY.sealNote({ since: now - 1, endsAt: now + noteMs });
  return { state: 'held', now, note, expiresAt: now + entryMs };
}

describe('a renewal that reads a note', () => {
  it.each([
    ['the note', 400, 2_000],
    ['its entry', 2_000, 400],
  ])('F12: is held back until the end of %s', async (_, noteMs, entryMs) => {
    const given = givenLateAnswer(0, (all) => noteIn(all, noteMs, entryMs), { hasFailed: true });
    const asked = new Watched(given.renewal.obtain());
    await settled();
    expect(asked.error).toMatchObject({ retryAt: new Date(given.clock.wall() + 400) });
  });

  it.each([
    ['the note ends in this moment', 0, 2_000],
    ['its entry ends in this moment', 2_000, 0],
  ])('F11: replaces the note if %s', async (_, noteMs, entryMs) => {
    const given = givenLateAnswer(0, (all) => noteIn(all, noteMs, entryMs), { hasFailed: true });
    const asked = new Watched(given.renewal.obtain());
    await settled();
    expect(asked.state).toBe('waiting');
    expect(given.claims[1]?.claim.lease?.insteadOf).toBeTypeOf('string');
  });
});

describe('a renewal with the lease', () => {
  it.each([
    [2_249, []],
    [2_250, [2_250]],
    [4_000, [4_000]],
  ])(
    'B18: is part of an outage if the process has waited out one lease, and some of the next: %i ms',
    async (ms, ages) => {
      const given = givenLateAnswer(ms, ({ leased }) => leased());
      void given.renewal.obtain();
      await settled();
      expect(given.ages).toEqual(ages);
      expect(given.inner.asked).toHaveLength(1);
    },
  );

  it.each([
    [3_969, []],
    [3_970, [4_000]],
  ])(
    'B18: is part of an outage after 4 s, even if the request of another process is sent: the wait of %i ms and 30 ms',
    async (ms, ages) => {
      const given: Given = givenRenewal([
        () => {
          given.clock.setMonotonicBy(ms);
          return given.held(0, 2_000, true);
        },
        () => given.leased(),
      ]);
      void given.renewal.obtain();
      await settled();
      await given.clock.advance(30);
      expect(given.ages).toEqual(ages);
      expect(given.inner.asked).toHaveLength(1);
    },
  );

  it('F27: says at once that its request is sent, if others have waited too', async () => {
    const given: Given = givenRenewal([() => given.held(), () => given.leased()]);
    void given.renewal.obtain();
    await given.clock.advance(30);
    const [, lease, sent] = given.claims;
    expect(sent?.claim.lease?.insteadOf).toBe(lease?.claim.lease?.owner);
    expect(ENTRY.openLease(sent?.claim.lease?.owner ?? '')?.isSent).toBe(true);
  });

  it('B9: holds the process by no timer while its request is under way', async () => {
    const given: Given = givenRenewal([() => given.leased()]);
    void given.renewal.obtain();
    await settled();
    expect(given.clock.pending().map(({ kind }) => kind)).toEqual(['background', 'background']);
  });

  it('F6: looks for a token of another process when its lease has ended, and ends its own request then', async () => {
    const given: Given = givenRenewal([() => given.leased(), () => given.found('of-another')]);
    given.inner.isReachable = false;
    const asked = new Watched(given.renewal.obtain());
    await given.clock.advance(1_999);
    expect(given.claims).toHaveLength(1);
    await given.clock.advance(200);
    expect(asked.result?.reveal()).toBe('of-another');
    expect(given.claims).toHaveLength(2);
    expect(given.clock.history.every(({ kind }) => kind === 'background')).toBe(true);
    expect(given.inner.last.need.signal?.aborted).toBe(true);
    // A token that comes all the same ends the lease, and is not stored.
    given.inner.last.give(tokenOf(given.clock, 'late'));
    await settled();
    expect([given.releases.length, given.published.length]).toEqual([1, 0]);
  });

  it('F6: looks at once after a wait', async () => {
    const given: Given = givenRenewal([() => given.held(), () => given.leased(), () => given.found('other')]);
    const asked = new Watched(given.renewal.obtain());
    await given.clock.advance(500);
    expect(asked.result?.reveal()).toBe('other');
  });

  it('F6: looks no more after the store has failed', async () => {
    const given: Given = givenRenewal([() => given.leased(), () => undefined]);
    given.inner.isReachable = false;
    const asked = new Watched(given.renewal.obtain());
    await given.clock.advance(10_000);
    expect([asked.state, given.claims.length]).toEqual(['waiting', 2]);
    given.inner.last.give(tokenOf(given.clock, 'own'));
    await settled();
    expect(asked.result?.reveal()).toBe('own');
  });

  it('F20: takes no token that the API refused', async () => {
    const given: Given = givenRenewal([() => given.leased(), () => given.found('refused')]);
    given.memory.addRefused(tokenOf(given.clock, 'refused'));
    const asked = new Watched(given.renewal.obtain());
    await given.clock.advance(5_000);
    expect(asked.state).toBe('waiting');
    expect(given.claims.length).toBeGreaterThan(2);
  });

  it('F6: forgets an answer that comes after its own token', async () => {
    let answer: (() => void) | undefined;
    const given: Given = givenRenewal([
      () => given.leased(),
      () =>
        new Promise((resolve) => {
          answer = () => resolve(given.found('of-another'));
        }),
    ]);
    given.inner.isReachable = false;
    const asked = new Watched(given.renewal.obtain());
    await given.clock.advance(2_200);
    given.inner.last.give(tokenOf(given.clock, 'own'));
    await settled();
    const [{ value }] = given.published as [{ value: string }];
    answer?.();
    await settled();
    expect(asked.result?.reveal()).toBe('own');
    expect(given.memory.unwanted(ENTRY)).toEqual({ value, remove: false });
  });
});

describe('a renewal without the lease', () => {
  it('F8: asks alone after three answers that bring no clock', async () => {
    const given: Given = givenRenewal([() => ({ state: 'free', now: given.clock.wall() })], {
      knowsClock: false,
    });
    void given.renewal.obtain();
    await settled();
    expect([given.claims.length, given.inner.asked.length]).toEqual([3, 1]);
  });

  it('B10: remembers its failure', async () => {
    const { renewal, inner, outage } = givenRenewal([() => undefined]);
    const asked = new Watched(renewal.obtain());
    await settled();
    const failure = failureOf();
    inner.last.fail(failure);
    await settled();
    expect(asked.error).toBe(failure);
    expect(outage.failureWith(ENTRY.name)?.error).toBe(failure);
  });

  it('B10: that only looks takes nothing from a store that fails', async () => {
    const { renewal, memory } = givenRenewal([() => undefined]);
    expect(await renewal.takeIfThere()).toBeUndefined();
    expect(memory.unwanted(ENTRY)).toBeUndefined();
  });
});
