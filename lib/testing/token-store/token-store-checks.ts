import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { StoreAnswer, TokenStore } from '../../config/options/token-store.js';

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
/** What ends during a check. */
const SHORT_MS = 50;
/** How late it may end. */
const LATE_MS = 500;
/** A clock that has not moved after so many answers stands still. */
const MOST_LOOKS = 10_000;

/**
 * Returns the checks that a store must pass, for any test runner. No check depends on another. Each uses its own random name,
 * so you can also check a store that's in use. Checks of what ends ask the store until its own clock has gone on.
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

  'gives the lease again to an owner that claims again': async (fixture) => {
    await claim(fixture, 'one');
    strictEqual((await claim(fixture, 'one')).state, 'leased');
    strictEqual((await claim(fixture, 'two')).state, 'held');
  },

  'ends a lease after its time': async (fixture) => {
    const { now } = await claim(fixture, 'one', SHORT_MS);
    await becomes('leased', fixture, now + SHORT_MS, () => claim(fixture, 'two'));
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
    const expiresAt = await publish(fixture, 'one', { lifeMs: SHORT_MS });
    await becomes('free', fixture, expiresAt, () => look(fixture));
  },

  'writes no entry that has already ended': async (fixture) => {
    await publish(fixture, 'one', { lifeMs: -1 });
    strictEqual((await look(fixture)).state, 'free');
  },

  'removes the lease when its owner publishes': async (fixture) => {
    const expiresAt = await publish(fixture, 'one', { lifeMs: SHORT_MS });
    await becomes('leased', fixture, expiresAt, () => claim(fixture, 'two'));
  },

  'lets a writer without the lease write if there is no entry, and keeps the lease': async (fixture) => {
    const { now } = await claim(fixture, 'one');
    await fixture.store.publish({ name: fixture.name, owner: 'two', value: VALUE, expiresAt: now + LONG_MS });
    strictEqual((await look(fixture)).state, 'found');
    strictEqual((await look(fixture, VALUE)).state, 'held');
  },

  'lets a writer without the lease replace an entry only with one that ends later': async (fixture) => {
    const expiresAt = await publish(fixture, 'one');
    const write = (endsAt: number): Promise<void> =>
      fixture.store.publish({ name: fixture.name, owner: 'two', value: OTHER, expiresAt: endsAt });
    await write(expiresAt - SHORT_MS);
    strictEqual(valueOf(await look(fixture)), VALUE);
    await write(expiresAt + SHORT_MS);
    strictEqual(valueOf(await look(fixture)), OTHER);
  },

  'ignores and keeps an entry with exactly the unwanted value, and lets the owner of the lease replace it':
    async (fixture) => {
      const expiresAt = await publish(fixture, 'one');
      const states = ['two', 'three'].map(
        async (owner) => (await claim(fixture, owner, LONG_MS, VALUE)).state,
      );
      deepStrictEqual(await Promise.all(states), ['leased', 'held']);
      strictEqual(valueOf(await look(fixture)), VALUE);
      await fixture.store.publish({
        name: fixture.name,
        owner: 'two',
        value: OTHER,
        expiresAt: expiresAt - SHORT_MS,
      });
      strictEqual(valueOf(await look(fixture)), OTHER);
    },

  'returns an entry with any other value than the unwanted value': async (fixture) => {
    await publish(fixture, 'one');
    strictEqual(valueOf(await look(fixture, OTHER)), VALUE);
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
    const { now } = await claim(fixture, 'one', SHORT_MS);
    await becomes('free', fixture, now + SHORT_MS, () => look(fixture));
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    strictEqual((await claim(fixture, 'two')).state, 'leased');
  },

  'returns the note of an owner to every owner': async (fixture) => {
    await claim(fixture, 'one');
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    for (const answer of [await claim(fixture, 'one'), await claim(fixture, 'two'), await look(fixture)]) {
      ok(answer.state === 'held');
      strictEqual(answer.note, OTHER);
      ok(answer.expiresAt > answer.now && answer.expiresAt <= answer.now + LONG_MS);
    }
  },

  'ends a note after its time': async (fixture) => {
    await claim(fixture, 'one');
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: SHORT_MS } });
    const { now } = await look(fixture);
    await becomes('leased', fixture, now + SHORT_MS, () => claim(fixture, 'two'));
  },

  'removes a note when any owner publishes': async (fixture) => {
    const { now } = await claim(fixture, 'one');
    await fixture.store.release({ name: fixture.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    await fixture.store.publish({ name: fixture.name, owner: 'two', value: VALUE, expiresAt: now + LONG_MS });
    strictEqual((await look(fixture, VALUE)).state, 'free');
  },

  'returns the end of the lease': async (fixture) => {
    const { now } = await claim(fixture, 'one');
    for (const answer of [await claim(fixture, 'two'), await look(fixture)]) {
      ok(answer.state === 'held');
      ok(Math.abs(answer.expiresAt - now - LONG_MS) <= 100, 'the end of the lease is not the claimed end');
    }
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
      await until(fixture, last);
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

function look({ store, name }: Fixture, unwanted?: string): Promise<StoreAnswer> {
  return store.claim({ name, unwanted: entryOf(unwanted) });
}

function claim(
  { store, name }: Fixture,
  owner: string,
  ms = LONG_MS,
  unwanted?: string,
): Promise<StoreAnswer> {
  return store.claim({
    name,
    unwanted: entryOf(unwanted),
    lease: { owner, ms },
  });
}

function valueOf(answer: StoreAnswer): string | undefined {
  return answer.state === 'found' ? answer.value : undefined;
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

/** On a busy machine, a store's clock goes on within an operation. Then an entry or a lease ends a little later than its answer says. */
async function becomes(
  state: StoreAnswer['state'],
  fixture: Fixture,
  moment: number,
  ask: () => Promise<StoreAnswer>,
): Promise<void> {
  await until(fixture, moment);
  let answer = await ask();
  for (let looks = 0; answer.state !== state && answer.now <= moment + LATE_MS; looks += 1) {
    ok(looks < MOST_LOOKS, "the store's clock stands still");
    await setImmediate();
    answer = await ask();
  }
  strictEqual(answer.state, state);
}

/** Asks the store until its own clock is after this moment. */
async function until(fixture: Fixture, moment: number): Promise<void> {
  for (let looks = 0, last = 0; last <= moment; looks += 1) {
    const { now } = await look(fixture);
    if (now > last) looks = 0;
    ok(looks < MOST_LOOKS, "the store's clock stands still");
    last = now;
    await setImmediate();
  }
}

function entryOf(value: string | undefined): { value: string } | undefined {
  return value === undefined ? undefined : { value };
}
