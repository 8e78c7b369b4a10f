import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { StoreAnswer, TokenStore } from '../../config/options/token-store.js';
import { pause, systemClock } from '../../time/clock.js';

/** A check of one rule of `TokenStore`. */
export interface TokenStoreCheck {
  /** A sentence, for `it(name, run)`. */
  readonly name: string;
  /** Rejects if the store breaks the rule. */
  readonly run: () => Promise<void>;
}

/** What one check works with: a store, and a name without an entry or a lease. */
interface Fixture {
  readonly store: TokenStore;
  readonly name: string;
}

const VALUE = 'a-sealed-value';
const OTHER = 'another-sealed-value';
const LONG_MS = 60_000;
const DAY_MS = 24 * 60 * LONG_MS;
/** Long enough for a busy machine, and short enough for a test. */
const SHORT_MS = 400;

/**
 * Returns the checks that a store must pass, for any test runner. No check depends on another. Each uses its own random name,
 * so you can also check a store that's in use.
 *
 * @example
 * for (const { name, run } of tokenStoreChecks(() => new MyTokenStore())) it(name, run);
 */
export function tokenStoreChecks(create: () => TokenStore | Promise<TokenStore>): readonly TokenStoreCheck[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: async () => check({ store: await create(), name: randomUUID() }),
  }));
}

const CHECKS: Readonly<Record<string, (fixture: Fixture) => Promise<void>>> = {
  'gives the lease to the first owner that claims, and answers "held" to the others': async (fixture) => {
    strictEqual((await claim(fixture, 'one')).state, 'leased');
    strictEqual((await claim(fixture, 'two')).state, 'held');
    strictEqual((await look(fixture)).state, 'held');
  },

  'gives one lease if many owners claim at once': async (fixture) => {
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    const states = await Promise.all(owners.map(async (owner) => (await claim(fixture, owner)).state));
    strictEqual(states.filter((state) => state === 'leased').length, 1);
    strictEqual(states.filter((state) => state === 'held').length, owners.length - 1);
  },

  'takes no lease for a claim that only looks': async (fixture) => {
    strictEqual((await look(fixture)).state, 'free');
    strictEqual((await claim(fixture, 'one')).state, 'leased');
  },

  'extends the lease of an owner that claims again': async (fixture) => {
    await claim(fixture, 'one', SHORT_MS);
    strictEqual((await claim(fixture, 'one', LONG_MS)).state, 'leased');
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(fixture, 'two')).state, 'held');
  },

  'ends a lease after its time': async (fixture) => {
    await claim(fixture, 'one', SHORT_MS);
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(fixture, 'two')).state, 'leased');
  },

  'returns a published entry to every owner, with its end': async (fixture) => {
    const expiresAt = await publish(fixture, 'one', { lifeMs: DAY_MS });
    for (const answer of [await claim(fixture, 'two'), await look(fixture)]) {
      ok(answer.state === 'found');
      strictEqual(answer.value, VALUE);
      ok(Math.abs(answer.expiresAt - expiresAt) <= 5, 'the end of the entry is not the published end');
    }
  },

  'returns a value unchanged': async (fixture) => {
    const value = `-_AZaz09${'x'.repeat(30_000)}`;
    await publish(fixture, 'one', { value });
    const answer = await look(fixture);
    ok(answer.state === 'found');
    strictEqual(answer.value, value);
  },

  'ends an entry after its life': async (fixture) => {
    await publish(fixture, 'one', { lifeMs: SHORT_MS });
    await later(SHORT_MS * 1.5);
    strictEqual((await look(fixture)).state, 'free');
  },

  'writes no entry that has already ended': async (fixture) => {
    await publish(fixture, 'one', { lifeMs: -1 });
    strictEqual((await look(fixture)).state, 'free');
  },

  'removes the lease when its owner publishes': async (fixture) => {
    await publish(fixture, 'one', { lifeMs: SHORT_MS });
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(fixture, 'two')).state, 'leased');
  },

  'lets a writer without the lease write if there is no entry, and keeps the lease': async (fixture) => {
    const { now } = await claim(fixture, 'one');
    await fixture.store.publish({ name: fixture.name, owner: 'two', value: VALUE, expiresAt: now + LONG_MS });
    strictEqual((await look(fixture)).state, 'found');
    const unwanted = { value: VALUE, remove: true };
    strictEqual((await fixture.store.claim({ name: fixture.name, unwanted })).state, 'held');
  },

  'lets no writer without the lease replace an entry': async (fixture) => {
    const expiresAt = await publish(fixture, 'one');
    await fixture.store.publish({ name: fixture.name, owner: 'two', value: OTHER, expiresAt });
    const answer = await look(fixture);
    ok(answer.state === 'found');
    strictEqual(answer.value, VALUE);
  },

  'ignores and keeps an entry with exactly the unwanted value, and lets the owner of the lease replace it':
    async (fixture) => {
      const expiresAt = await publish(fixture, 'one');
      const unwanted = { value: VALUE, remove: false };
      const lease = { owner: 'two', ms: LONG_MS };
      strictEqual((await fixture.store.claim({ name: fixture.name, unwanted, lease })).state, 'leased');
      strictEqual((await look(fixture)).state, 'found');
      await fixture.store.publish({ name: fixture.name, owner: 'two', value: OTHER, expiresAt });
      const answer = await look(fixture);
      ok(answer.state === 'found');
      strictEqual(answer.value, OTHER);
    },

  'removes an entry with exactly the unwanted value once': async (fixture) => {
    await publish(fixture, 'one');
    const unwanted = { value: VALUE, remove: true };
    const answers = await Promise.all(
      ['two', 'three', 'four'].map((owner) =>
        fixture.store.claim({ name: fixture.name, unwanted, lease: { owner, ms: LONG_MS } }),
      ),
    );
    deepStrictEqual(answers.map(({ state }) => state).toSorted(), ['held', 'held', 'leased']);
    strictEqual((await look(fixture)).state, 'held');
  },

  'returns an entry with any other value than the unwanted value': async (fixture) => {
    await publish(fixture, 'one');
    const answer = await fixture.store.claim({
      name: fixture.name,
      unwanted: { value: OTHER, remove: true },
    });
    strictEqual(answer.state, 'found');
    strictEqual((await look(fixture)).state, 'found');
  },

  'removes the lease when its owner releases it': async (fixture) => {
    await claim(fixture, 'one');
    await fixture.store.release({ name: fixture.name, owner: 'one' });
    strictEqual((await claim(fixture, 'two')).state, 'leased');
  },

  'lets only the owner release a lease': async (fixture) => {
    await claim(fixture, 'one');
    for (const note of [{ value: OTHER, ms: LONG_MS }, undefined]) {
      await fixture.store.release({ name: fixture.name, owner: 'two', note });
      const answer = await claim(fixture, 'three');
      ok(answer.state === 'held');
      strictEqual(answer.note, undefined);
    }
  },

  'takes no note of an owner whose lease has ended': async (fixture) => {
    await claim(fixture, 'one', SHORT_MS);
    await later(SHORT_MS * 1.5);
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    strictEqual((await claim(fixture, 'two')).state, 'leased');
  },

  'returns the note of an owner to every owner, until the note ends': async (fixture) => {
    await claim(fixture, 'one');
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: SHORT_MS } });
    for (const answer of [await claim(fixture, 'one'), await claim(fixture, 'two'), await look(fixture)]) {
      ok(answer.state === 'held');
      strictEqual(answer.note, OTHER);
      ok(answer.expiresAt > answer.now && answer.expiresAt <= answer.now + SHORT_MS);
    }
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(fixture, 'two')).state, 'leased');
  },

  'removes a note when any owner publishes': async (fixture) => {
    const { now } = await claim(fixture, 'one');
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    await fixture.store.publish({ name: fixture.name, owner: 'two', value: VALUE, expiresAt: now + LONG_MS });
    const unwanted = { value: VALUE, remove: true };
    strictEqual((await fixture.store.claim({ name: fixture.name, unwanted })).state, 'free');
  },

  'returns the end of the lease': async (fixture) => {
    const { now } = await claim(fixture, 'one');
    for (const answer of [await claim(fixture, 'two'), await look(fixture)]) {
      ok(answer.state === 'held');
      ok(Math.abs(answer.expiresAt - now - LONG_MS) <= 100, 'the end of the lease is not the claimed end');
    }
  },

  'returns the owner of the lease as holder, or no holder': async (fixture) => {
    await claim(fixture, 'one');
    for (const answer of [await claim(fixture, 'two'), await look(fixture)]) {
      ok(answer.state === 'held');
      ok(answer.holder === undefined || answer.holder === 'one');
    }
  },

  'replaces the lease that a claim names once, if it returns holders': async (fixture) => {
    await claim(fixture, 'one');
    if (!(await returnsHolders(fixture))) return;
    const answers = await Promise.all(
      ['two', 'three', 'four'].map((owner) => replace(fixture, owner, 'one')),
    );
    deepStrictEqual(answers.map(({ state }) => state).toSorted(), ['held', 'held', 'leased']);
    // The first owner does not have the lease any more.
    await fixture.store.release({ name: fixture.name, owner: 'one' });
    strictEqual((await look(fixture)).state, 'held');
  },

  'replaces the note that a claim names once, if it returns holders': async (fixture) => {
    await claim(fixture, 'one');
    const supported = await returnsHolders(fixture);
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    if (!supported) return;
    const answers = await Promise.all(
      ['two', 'three', 'four'].map((owner) => replace(fixture, owner, OTHER)),
    );
    deepStrictEqual(answers.map(({ state }) => state).toSorted(), ['held', 'held', 'leased']);
    const answer = await look(fixture);
    ok(answer.state === 'held');
    strictEqual(answer.note, undefined);
  },

  'replaces no other lease and no other note than the claim names': async (fixture) => {
    await claim(fixture, 'one');
    strictEqual((await replace(fixture, 'two', OTHER)).state, 'held');
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    strictEqual((await replace(fixture, 'two', VALUE)).state, 'held');
    strictEqual((await replace(fixture, 'two', 'one')).state, 'held');
  },

  'keeps names apart': async (fixture) => {
    await publish(fixture, 'one');
    const elsewhere = { ...fixture, name: randomUUID() };
    strictEqual((await look(elsewhere)).state, 'free');
    strictEqual((await claim(elsewhere, 'two')).state, 'leased');
  },

  'has a clock that goes forward, and returns it in every answer': async (fixture) => {
    const { store, name } = fixture;
    const { now: first } = await look(fixture);
    let last = first;
    const next = async (state: StoreAnswer['state'], answer: () => Promise<StoreAnswer>): Promise<void> => {
      await later(20);
      const { now, state: got } = await answer();
      strictEqual(got, state);
      ok(now > last && now - first < LONG_MS, `the clock is wrong in an answer with the state "${state}"`);
      last = now;
    };
    await next('free', () => look(fixture));
    await next('leased', () => claim(fixture, 'one'));
    await next('held', () => claim(fixture, 'two'));
    await store.release({ name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    await next('held', () => claim(fixture, 'two'));
    await store.publish({ name, owner: 'two', value: VALUE, expiresAt: last + LONG_MS });
    await next('found', () => look(fixture));
  },
};

function look({ store, name }: Fixture): Promise<StoreAnswer> {
  return store.claim({ name });
}

function claim({ store, name }: Fixture, owner: string, ms = LONG_MS): Promise<StoreAnswer> {
  return store.claim({ name, lease: { owner, ms } });
}

function replace({ store, name }: Fixture, owner: string, insteadOf: string): Promise<StoreAnswer> {
  return store.claim({ name, lease: { owner, ms: LONG_MS, insteadOf } });
}

/** A store that returns the holder of a lease can also replace the lease. */
async function returnsHolders(fixture: Fixture): Promise<boolean> {
  const answer = await look(fixture);
  return answer.state === 'held' && answer.holder !== undefined;
}

/** Claims the lease and publishes an entry. Returns the end of the entry. */
async function publish(
  fixture: Fixture,
  owner: string,
  { value = VALUE, lifeMs = LONG_MS }: { value?: string; lifeMs?: number } = {},
): Promise<number> {
  const { now } = await claim(fixture, owner);
  await fixture.store.publish({ name: fixture.name, owner, value, expiresAt: now + lifeMs });
  return now + lifeMs;
}

function later(ms: number): Promise<void> {
  return pause(systemClock, ms, 'awaited');
}
