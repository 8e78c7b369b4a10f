import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { StoreAnswer, TokenStore } from '../../config/options/token-store.js';
import { pause, systemClock } from '../../time/clock.js';

/** One promise of `TokenStore`, as a check: `run` rejects where the store does not keep it. */
export interface TokenStoreCheck {
  /** A sentence: for `it(name, run)`. */
  readonly name: string;
  /** Rejects where the store does not keep the promise. */
  readonly run: () => Promise<void>;
}

/** The setting of one check: a store, and a name under which nothing lies yet. */
interface Bench {
  readonly store: TokenStore;
  readonly name: string;
}

const VALUE = 'a-sealed-value';
const OTHER = 'another-sealed-value';
const LONG_MS = 60_000;
/** Long enough for a busy machine, short enough to wait for. */
const SHORT_MS = 400;

/**
 * The checks that a store must pass, for whichever test runner you use. No check depends on another; each works under a
 * name of its own, so a store in use may be checked too.
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

const CHECKS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'gives the lease to the first who claims, and tells the others that it is held': async (bench) => {
    strictEqual((await claim(bench, 'one')).state, 'leased');
    strictEqual((await claim(bench, 'two')).state, 'held');
    strictEqual((await look(bench)).state, 'held');
  },

  'gives one lease, however many claim at once': async (bench) => {
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    const states = await Promise.all(owners.map(async (owner) => (await claim(bench, owner)).state));
    strictEqual(states.filter((state) => state === 'leased').length, 1);
    strictEqual(states.filter((state) => state === 'held').length, owners.length - 1);
  },

  'takes no lease for a claim that only looks': async (bench) => {
    strictEqual((await look(bench)).state, 'free');
    strictEqual((await claim(bench, 'one')).state, 'leased');
  },

  'prolongs the lease of an owner who claims again': async (bench) => {
    await claim(bench, 'one', SHORT_MS);
    strictEqual((await claim(bench, 'one', LONG_MS)).state, 'leased');
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(bench, 'two')).state, 'held');
  },

  'ends a lease after its time': async (bench) => {
    await claim(bench, 'one', SHORT_MS);
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(bench, 'two')).state, 'leased');
  },

  'gives a published entry to everybody, with the end that it was given': async (bench) => {
    const expiresAt = await publish(bench, 'one');
    for (const answer of [await claim(bench, 'two'), await look(bench)]) {
      ok(answer.state === 'found');
      strictEqual(answer.value, VALUE);
      ok(
        Math.abs(answer.expiresAt - expiresAt) <= 5,
        'the end of the entry is not the one that was published',
      );
    }
  },

  'gives a value back to the letter': async (bench) => {
    const value = `-_AZaz09${'x'.repeat(30_000)}`;
    await publish(bench, 'one', { value });
    const answer = await look(bench);
    ok(answer.state === 'found');
    strictEqual(answer.value, value);
  },

  'ends an entry with its life': async (bench) => {
    await publish(bench, 'one', { lifeMs: SHORT_MS });
    await later(SHORT_MS * 1.5);
    strictEqual((await look(bench)).state, 'free');
  },

  'writes no entry that has ended already': async (bench) => {
    await publish(bench, 'one', { lifeMs: -1 });
    strictEqual((await look(bench)).state, 'free');
  },

  'takes the lease away when its owner publishes': async (bench) => {
    await publish(bench, 'one', { lifeMs: SHORT_MS });
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(bench, 'two')).state, 'leased');
  },

  'lets a writer without the lease write where there is no entry, and leaves the lease': async (bench) => {
    const { now } = await claim(bench, 'one');
    await bench.store.publish({ name: bench.name, owner: 'two', value: VALUE, expiresAt: now + LONG_MS });
    strictEqual((await look(bench)).state, 'found');
    const unwanted = { value: VALUE, remove: true };
    strictEqual((await bench.store.claim({ name: bench.name, unwanted })).state, 'held');
  },

  'lets no writer without the lease replace an entry': async (bench) => {
    const expiresAt = await publish(bench, 'one');
    await bench.store.publish({ name: bench.name, owner: 'two', value: OTHER, expiresAt });
    const answer = await look(bench);
    ok(answer.state === 'found');
    strictEqual(answer.value, VALUE);
  },

  'passes over an entry of exactly the unwanted value, keeps it, and lets the lease replace it': async (
    bench,
  ) => {
    const expiresAt = await publish(bench, 'one');
    const unwanted = { value: VALUE, remove: false };
    const lease = { owner: 'two', ms: LONG_MS };
    strictEqual((await bench.store.claim({ name: bench.name, unwanted, lease })).state, 'leased');
    strictEqual((await look(bench)).state, 'found');
    await bench.store.publish({ name: bench.name, owner: 'two', value: OTHER, expiresAt });
    const answer = await look(bench);
    ok(answer.state === 'found');
    strictEqual(answer.value, OTHER);
  },

  'removes an entry of exactly the unwanted value, once': async (bench) => {
    await publish(bench, 'one');
    const unwanted = { value: VALUE, remove: true };
    const answers = await Promise.all(
      ['two', 'three', 'four'].map((owner) =>
        bench.store.claim({ name: bench.name, unwanted, lease: { owner, ms: LONG_MS } }),
      ),
    );
    deepStrictEqual(answers.map(({ state }) => state).toSorted(), ['held', 'held', 'leased']);
    strictEqual((await look(bench)).state, 'held');
  },

  'gives any entry but the unwanted one': async (bench) => {
    await publish(bench, 'one');
    const answer = await bench.store.claim({ name: bench.name, unwanted: { value: OTHER, remove: true } });
    strictEqual(answer.state, 'found');
    strictEqual((await look(bench)).state, 'found');
  },

  'frees the lease that its owner releases': async (bench) => {
    await claim(bench, 'one');
    await bench.store.release({ name: bench.name, owner: 'one' });
    strictEqual((await claim(bench, 'two')).state, 'leased');
  },

  'lets nobody but the owner release a lease': async (bench) => {
    await claim(bench, 'one');
    await bench.store.release({ name: bench.name, owner: 'two', note: { value: OTHER, ms: LONG_MS } });
    const answer = await claim(bench, 'three');
    ok(answer.state === 'held');
    strictEqual(answer.note, undefined);
  },

  'shows the note that an owner leaves, to everybody and for its time': async (bench) => {
    await claim(bench, 'one');
    await bench.store.release({ name: bench.name, owner: 'one', note: { value: OTHER, ms: SHORT_MS } });
    for (const answer of [await claim(bench, 'one'), await claim(bench, 'two'), await look(bench)]) {
      ok(answer.state === 'held');
      strictEqual(answer.note, OTHER);
      ok(answer.expiresAt > answer.now && answer.expiresAt <= answer.now + SHORT_MS);
    }
    await later(SHORT_MS * 1.5);
    strictEqual((await claim(bench, 'two')).state, 'leased');
  },

  'takes a note away when anybody publishes': async (bench) => {
    const { now } = await claim(bench, 'one');
    await bench.store.release({ name: bench.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    await bench.store.publish({ name: bench.name, owner: 'two', value: VALUE, expiresAt: now + LONG_MS });
    const unwanted = { value: VALUE, remove: true };
    strictEqual((await bench.store.claim({ name: bench.name, unwanted })).state, 'free');
  },

  'tells who has the lease, if it tells that at all': async (bench) => {
    await claim(bench, 'one');
    for (const answer of [await claim(bench, 'two'), await look(bench)]) {
      ok(answer.state === 'held');
      ok(answer.holder === undefined || answer.holder === 'one');
    }
  },

  'replaces the lease that a claim names, once, if it tells who has it': async (bench) => {
    await claim(bench, 'one');
    if (!(await tellsHolders(bench))) return;
    const answers = await Promise.all(['two', 'three', 'four'].map((owner) => replace(bench, owner, 'one')));
    deepStrictEqual(answers.map(({ state }) => state).toSorted(), ['held', 'held', 'leased']);
    // The first owner has lost it.
    await bench.store.release({ name: bench.name, owner: 'one' });
    strictEqual((await look(bench)).state, 'held');
  },

  'replaces the note that a claim names, once, if it tells who has leases': async (bench) => {
    await claim(bench, 'one');
    const supported = await tellsHolders(bench);
    await bench.store.release({ name: bench.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    if (!supported) return;
    const answers = await Promise.all(['two', 'three', 'four'].map((owner) => replace(bench, owner, OTHER)));
    deepStrictEqual(answers.map(({ state }) => state).toSorted(), ['held', 'held', 'leased']);
    const answer = await look(bench);
    ok(answer.state === 'held');
    strictEqual(answer.note, undefined);
  },

  'replaces no lease and no note but the one that a claim names': async (bench) => {
    await claim(bench, 'one');
    strictEqual((await replace(bench, 'two', OTHER)).state, 'held');
    await bench.store.release({ name: bench.name, owner: 'one', note: { value: OTHER, ms: LONG_MS } });
    strictEqual((await replace(bench, 'two', VALUE)).state, 'held');
    strictEqual((await replace(bench, 'two', 'one')).state, 'held');
  },

  'keeps names apart': async (bench) => {
    await publish(bench, 'one');
    const elsewhere = { ...bench, name: randomUUID() };
    strictEqual((await look(elsewhere)).state, 'free');
    strictEqual((await claim(elsewhere, 'two')).state, 'leased');
  },

  'tells a clock that goes on': async (bench) => {
    const first = (await look(bench)).now;
    await later(20);
    const second = (await look(bench)).now;
    ok(second > first && second - first < LONG_MS);
  },
};

function look({ store, name }: Bench): Promise<StoreAnswer> {
  return store.claim({ name });
}

function claim({ store, name }: Bench, owner: string, ms = LONG_MS): Promise<StoreAnswer> {
  return store.claim({ name, lease: { owner, ms } });
}

function replace({ store, name }: Bench, owner: string, insteadOf: string): Promise<StoreAnswer> {
  return store.claim({ name, lease: { owner, ms: LONG_MS, insteadOf } });
}

/** A store that tells who has a lease can also replace it. */
async function tellsHolders(bench: Bench): Promise<boolean> {
  const answer = await look(bench);
  return answer.state === 'held' && answer.holder !== undefined;
}

/** Claims the lease and publishes under it; gives the end of the entry. */
async function publish(
  bench: Bench,
  owner: string,
  { value = VALUE, lifeMs = LONG_MS }: { value?: string; lifeMs?: number } = {},
): Promise<number> {
  const { now } = await claim(bench, owner);
  await bench.store.publish({ name: bench.name, owner, value, expiresAt: now + lifeMs });
  return now + lifeMs;
}

function later(ms: number): Promise<void> {
  return pause(systemClock, ms, 'awaited');
}
