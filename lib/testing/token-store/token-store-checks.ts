import { fail, ok, strictEqual } from 'node:assert';
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

const VALUE = 'a-sealed-value';
const OTHER = 'another-sealed-value';
const LONG_MS = 60_000;
const DAY_MS = 24 * 60 * LONG_MS;
/** What ends during a check. */
const SHORT_MS = 50;
/** On a busy machine, a store's clock goes on within an operation. Then an entry or a lease ends a little later than its answer says. */
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
    run: async () => check(new Place(await create())),
  }));
}

/** A place in the store without an entry, a note or a lease, and what owners do there. */
class Place {
  readonly #name = randomUUID();

  constructor(private readonly store: TokenStore) {}

  another(): Place {
    return new Place(this.store);
  }

  look(unwanted?: string): Promise<StoreAnswer> {
    return this.store.claim({ name: this.#name, unwanted: entryOf(unwanted) });
  }

  claim(owner: string, ms = LONG_MS, unwanted?: string): Promise<StoreAnswer> {
    return this.store.claim({ name: this.#name, unwanted: entryOf(unwanted), lease: { owner, ms } });
  }

  publish(owner: string, expiresAt: number, value = VALUE): Promise<void> {
    return this.store.publish({ name: this.#name, owner, value, expiresAt });
  }

  /** Claims the lease and publishes an entry. Returns the end of the entry. */
  async fill(lifeMs = LONG_MS, value = VALUE): Promise<number> {
    const { now } = await this.claim('one');
    await this.publish('one', now + lifeMs, value);
    return now + lifeMs;
  }

  release(owner: string, note?: string, ms = LONG_MS): Promise<void> {
    return this.store.release({
      name: this.#name,
      owner,
      ...(note !== undefined && { note: { value: note, ms } }),
    });
  }

  /** Asks until the state is this one. It must be soon after this moment, by the store's clock. */
  async becomes(
    state: StoreAnswer['state'],
    moment: number,
    ask: () => Promise<StoreAnswer> = () => this.look(),
  ): Promise<void> {
    let answer = await ask();
    for (let looks = 0; answer.state !== state && answer.now <= moment + LATE_MS; looks += 1) {
      if (looks === MOST_LOOKS) fail("the store's clock stands still");
      const { now } = answer;
      await setImmediate();
      answer = await ask();
      if (answer.now > now) looks = 0;
    }
    strictEqual(answer.state, state);
  }
}

const CHECKS: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  'gives the lease to the first owner that claims, and answers "held" with its end to the others': async (
    place,
  ) => {
    const { state, now } = await place.claim('one');
    strictEqual(state, 'leased');
    for (const answer of [await place.claim('two'), await place.look()]) {
      strictEqual(answer.state, 'held');
      ok(isNear(answer, now + LONG_MS, 100), 'the end of the lease is not the claimed end');
    }
  },

  'gives one lease if many owners claim at once': async (place) => {
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    const states = await Promise.all(owners.map(async (owner) => (await place.claim(owner)).state));
    strictEqual(states.toSorted().join(), [...owners.slice(1).fill('held'), 'leased'].join());
  },

  'takes no lease for a claim that only looks': async (place) => {
    strictEqual((await place.look()).state, 'free');
    strictEqual((await place.claim('one')).state, 'leased');
  },

  'gives the lease again to an owner that claims again': async (place) => {
    await place.claim('one');
    strictEqual((await place.claim('one')).state, 'leased');
    strictEqual((await place.claim('two')).state, 'held');
  },

  'ends a lease after its time': async (place) => {
    const { now } = await place.claim('one', SHORT_MS);
    await place.becomes('leased', now + SHORT_MS, () => place.claim('two'));
  },

  'returns a published entry to every owner, with its end': async (place) => {
    const expiresAt = await place.fill(DAY_MS);
    for (const answer of [await place.claim('two'), await place.look()]) {
      strictEqual(valueOf(answer), VALUE);
      ok(isNear(answer, expiresAt, 5), 'the end of the entry is not the published end');
    }
  },

  'returns a value unchanged': async (place) => {
    const value = `-_AZaz09${'x'.repeat(30_000)}`;
    await place.fill(LONG_MS, value);
    strictEqual(valueOf(await place.look()), value);
  },

  'ends an entry after its life, and writes none that has ended': async (place) => {
    await place.fill(-1);
    strictEqual((await place.look()).state, 'free');
    await place.becomes('free', await place.fill(SHORT_MS));
  },

  'removes the lease when its owner publishes': async (place) => {
    await place.becomes('leased', await place.fill(SHORT_MS), () => place.claim('two'));
  },

  'lets a writer without the lease write if there is no entry, and keeps the lease': async (place) => {
    const { now } = await place.claim('one');
    await place.publish('two', now + LONG_MS);
    strictEqual((await place.look()).state, 'found');
    strictEqual((await place.look(VALUE)).state, 'held');
  },

  'lets a writer without the lease replace an entry only with one that ends later': async (place) => {
    const expiresAt = await place.fill();
    await place.publish('two', expiresAt - SHORT_MS, OTHER);
    strictEqual(valueOf(await place.look()), VALUE);
    await place.publish('two', expiresAt + SHORT_MS, OTHER);
    strictEqual(valueOf(await place.look()), OTHER);
  },

  'ignores and keeps an entry with exactly the unwanted value, and lets the owner of the lease replace it':
    async (place) => {
      const expiresAt = await place.fill();
      strictEqual((await place.claim('two', LONG_MS, VALUE)).state, 'leased');
      strictEqual((await place.claim('three', LONG_MS, VALUE)).state, 'held');
      strictEqual(valueOf(await place.look()), VALUE);
      strictEqual(valueOf(await place.look(OTHER)), VALUE);
      await place.publish('two', expiresAt - SHORT_MS, OTHER);
      strictEqual(valueOf(await place.look()), OTHER);
    },

  'removes the lease when its owner releases it, and only then': async (place) => {
    await place.claim('one');
    for (const note of [OTHER, undefined]) {
      await place.release('two', note);
      const answer = await place.claim('three');
      ok(answer.state === 'held');
      strictEqual(answer.note, undefined);
    }
    await place.release('one');
    strictEqual((await place.claim('two')).state, 'leased');
  },

  'takes no note of an owner whose lease has ended': async (place) => {
    const { now } = await place.claim('one', SHORT_MS);
    await place.becomes('free', now + SHORT_MS);
    await place.release('one', OTHER);
    strictEqual((await place.claim('two')).state, 'leased');
  },

  'returns the note of an owner to every owner': async (place) => {
    await place.claim('one');
    await place.release('one', OTHER);
    for (const answer of [await place.claim('one'), await place.claim('two'), await place.look()]) {
      ok(answer.state === 'held');
      strictEqual(answer.note, OTHER);
      ok(answer.expiresAt > answer.now && answer.expiresAt <= answer.now + LONG_MS);
    }
  },

  'ends a note after its time': async (place) => {
    await place.claim('one');
    await place.release('one', OTHER, SHORT_MS);
    const { now } = await place.look();
    await place.becomes('leased', now + SHORT_MS, () => place.claim('two'));
  },

  'removes a note when any owner publishes': async (place) => {
    const { now } = await place.claim('one');
    await place.release('one', OTHER);
    await place.publish('two', now + LONG_MS);
    strictEqual((await place.look(VALUE)).state, 'free');
  },

  'keeps names apart': async (place) => {
    await place.fill();
    const elsewhere = place.another();
    strictEqual((await elsewhere.look()).state, 'free');
    strictEqual((await elsewhere.claim('two')).state, 'leased');
  },

  'has a clock that goes forward, and returns it in every answer': async (place) => {
    const free = await place.look();
    const answers = [free, await place.claim('one'), await place.claim('two')];
    await place.release('one', OTHER);
    answers.push(await place.claim('two'));
    await place.publish('two', free.now + LONG_MS);
    answers.push(await place.look());
    strictEqual(answers.map(({ state }) => state).join(), 'free,leased,held,held,found');
    const times = answers.map(({ now }) => now - free.now);
    ok(
      times.every((time, index) => time >= (times[index - 1] ?? 0) && time < LONG_MS),
      'the clock is wrong',
    );
  },
};

function entryOf(value: string | undefined): { value: string } | undefined {
  return value === undefined ? undefined : { value };
}

function valueOf(answer: StoreAnswer): string | undefined {
  return answer.state === 'found' ? answer.value : undefined;
}

/** Whether an answer names this end, within so many milliseconds. */
function isNear(answer: StoreAnswer, end: number, ms: number): boolean {
  return 'expiresAt' in answer && Math.abs(answer.expiresAt - end) <= ms;
}
