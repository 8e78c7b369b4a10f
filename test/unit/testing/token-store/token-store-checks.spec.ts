import { beforeEach, expect, it, vi } from 'vitest';
import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../../../../lib/config/options/token-store.js';
import { MemoryTokenStore, tokenStoreChecks } from '../../../../lib/testing/index.js';
import { NOW } from '../../../support/token/fake-clock.js';

/** A clock that goes on with each question, so that no check waits. */
let now = NOW;
beforeEach(() => {
  now = NOW;
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1));
});

type Held = Extract<StoreAnswer, { state: 'held' }>;
type Found = Extract<StoreAnswer, { state: 'found' }>;

const LONG_MS = 60_000;
const NOTE = { value: 'a made-up note', ms: LONG_MS };

/** What a broken store does instead of the right one behind it. */
interface Errors {
  claim?: (claim: StoreClaim, right: MemoryTokenStore) => Promise<StoreAnswer>;
  publish?: (publication: StorePublication, right: MemoryTokenStore) => Promise<void>;
  release?: (release: StoreRelease, right: MemoryTokenStore) => Promise<void>;
}

function storeWith({ claim, publish, release }: Errors, right = new MemoryTokenStore()): TokenStore {
  return {
    sealKey: () => right.sealKey(),
    claim: (one) => (claim ? claim(one, right) : right.claim(one)),
    publish: (one) => (publish ? publish(one, right) : right.publish(one)),
    release: (one) => (release ? release(one, right) : right.release(one)),
  };
}

/** The names of the checks that a store does not pass, with what they say. */
async function failedBy(create: () => TokenStore): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  const runs = tokenStoreChecks(create).map(async ({ name, run }) => {
    await run().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_ASSERTION') throw error;
      failed[name] = error.message;
    });
  });
  await Promise.all(runs);
  return failed;
}

const answering = (change: (answer: StoreAnswer, claim: StoreClaim) => StoreAnswer): Errors => ({
  claim: async (claim, right) => change(await right.claim(claim), claim),
});
const ifHeld = (change: (held: Held) => Partial<Held>): Errors =>
  answering((answer) => (answer.state === 'held' ? { ...answer, ...change(answer) } : answer));
const ifFound = (change: (found: Found) => Partial<Found>): Errors =>
  answering((answer) => (answer.state === 'found' ? { ...answer, ...change(answer) } : answer));
const claiming = (change: (claim: StoreClaim) => StoreClaim): Errors => ({
  claim: (claim, right) => right.claim(change(claim)),
});
const publishing = (change: (publication: StorePublication) => Partial<StorePublication>): Errors => ({
  publish: (publication, right) => right.publish({ ...publication, ...change(publication) }),
});
const withLease = (change: (lease: NonNullable<StoreClaim['lease']>) => object): Errors =>
  claiming(({ lease, ...rest }) => ({ ...rest, ...(lease && { lease: { ...lease, ...change(lease) } }) }));
const leaseToAll = answering((answer) =>
  answer.state === 'held' ? { state: 'leased', now: answer.now } : answer,
);

async function heldIn(store: MemoryTokenStore, name: string): Promise<Held | undefined> {
  const answer = await store.claim({ name });
  return answer.state === 'held' ? answer : undefined;
}

/** One store for each check, in the order of the checks, with an error that this check must find. */
const BROKEN: Readonly<Record<string, readonly [what: string, errors: Errors]>> = {
  'gives the lease to the first owner that claims, and answers "held" with its end to the others': [
    'looks see no lease',
    answering((answer, { lease }) => (lease === undefined ? { state: 'free', now: answer.now } : answer)),
  ],
  'gives one lease if many owners claim at once': ['each owner gets a lease', leaseToAll],
  'takes no lease for a claim that only looks': [
    'looks take a lease',
    {
      claim: async (claim, right) => {
        const answer = await right.claim(claim);
        if (answer.state === 'free') await right.claim({ ...claim, lease: { owner: 'a look', ms: LONG_MS } });
        return answer;
      },
    },
  ],
  'gives the lease again to an owner that claims again': [
    'a lease is held against its own owner',
    {
      claim: async (claim, right) => (await heldIn(right, claim.name)) ?? right.claim(claim),
    },
  ],
  'ends a lease after its time': ['leases last a minute', withLease(() => ({ ms: LONG_MS }))],
  'returns a published entry to every owner, with its end': [
    'the end of an entry is late',
    ifFound(({ expiresAt }) => ({ expiresAt: expiresAt + 6 })),
  ],
  'returns a value unchanged': [
    'values have 30,000 characters at most',
    publishing(({ value }) => ({ value: value.slice(0, 30_000) })),
  ],
  'ends an entry after its life, and writes none that has ended': [
    'ended entries are written',
    publishing(({ expiresAt }) => ({ expiresAt: Math.max(expiresAt, Date.now() + LONG_MS) })),
  ],
  'removes the lease when its owner publishes': [
    'a lease survives its entry',
    {
      publish: async (publication, right) => {
        await right.publish(publication);
        const { name, owner, value } = publication;
        await right.claim({ name, unwanted: { value }, lease: { owner, ms: LONG_MS } });
      },
    },
  ],
  'lets a writer without the lease write if there is no entry, and keeps the lease': [
    'only the owner of a lease writes',
    {
      publish: async (publication, right) => {
        const { owner } = publication;
        const { state } = await right.claim({ name: publication.name, lease: { owner, ms: LONG_MS } });
        if (state === 'leased') await right.publish(publication);
      },
    },
  ],
  'lets a writer without the lease replace an entry only with one that ends later': [
    'anyone replaces an entry',
    {
      publish: async (publication, right) => {
        const { name, owner } = publication;
        const answer = await right.claim({ name });
        const unwanted = answer.state === 'found' ? { value: answer.value } : undefined;
        await right.claim({ name, unwanted, lease: { owner, ms: LONG_MS } });
        await right.publish(publication);
      },
    },
  ],
  'ignores and keeps an entry with exactly the unwanted value, and lets the owner of the lease replace it': [
    'unwanted entries are found',
    claiming((claim) => ({ ...claim, unwanted: undefined })),
  ],
  'removes the lease when its owner releases it, and only then': [
    'any owner releases a lease',
    {
      release: async ({ name, note }, right) => {
        for (const owner of ['one', 'two', 'three']) await right.release({ name, owner, note });
      },
    },
  ],
  'takes no note of an owner whose lease has ended': [
    'notes need no lease',
    {
      release: async (release, right) => {
        await right.claim({ name: release.name, lease: { owner: release.owner, ms: LONG_MS } });
        await right.release(release);
      },
    },
  ],
  'returns the note of an owner to every owner': [
    'the end of a note is late',
    ifHeld(({ note, expiresAt, now }) => (note === undefined ? {} : { expiresAt: expiresAt + now })),
  ],
  'ends a note after its time': [
    'notes last a minute',
    {
      release: ({ note, ...release }, right) =>
        right.release({ ...release, note: note && { ...note, ms: LONG_MS } }),
    },
  ],
  'removes a note when any owner publishes': [
    'a note survives an entry',
    {
      publish: async (publication, right) => {
        const { name, value } = publication;
        const { note } = (await heldIn(right, name)) ?? {};
        await right.publish(publication);
        if (note === undefined) return;
        const lease = { owner: 'a publication', ms: LONG_MS };
        await right.claim({ name, unwanted: { value }, lease });
        await right.release({ name, owner: lease.owner, note: NOTE });
      },
    },
  ],
  'keeps names apart': [
    'all names have one entry',
    {
      claim: (claim, right) => right.claim({ ...claim, name: 'x' }),
      publish: (one, right) => right.publish({ ...one, name: 'x' }),
    },
  ],
  'has a clock that goes forward, and returns it in every answer': [
    'a lease has the time of another clock',
    answering((answer) => (answer.state === 'leased' ? { ...answer, now: 1 } : answer)),
  ],
};

it.each(Object.entries(BROKEN))(
  'B10: the check "%s" refuses a store with an error',
  async (check, [, errors]) => {
    expect(Object.keys(await failedBy(() => storeWith(errors)))).toContain(check);
  },
);

it('B10: these are all checks, and the right store passes them, also twice', async () => {
  const store = new MemoryTokenStore();
  expect(tokenStoreChecks(() => store).map(({ name }) => name)).toEqual(Object.keys(BROKEN));
  expect([await failedBy(() => store), await failedBy(() => store)]).toEqual([{}, {}]);
});

it.each<[message: string, errors: Errors]>([
  ['the end of the entry is not the published end', ifFound(() => ({ expiresAt: 1 }))],
  ['the end of the lease is not the claimed end', ifHeld(() => ({ expiresAt: 1 }))],
  ['the clock is wrong', answering((answer) => (answer.state === 'leased' ? { ...answer, now: 1 } : answer))],
])('B10: a check says what is wrong: %s', async (message, errors) => {
  expect(Object.values(await failedBy(() => storeWith(errors)))).toContain(message);
});

it('B10: a check does not wait for a clock that stands still', async () => {
  const failed = await failedBy(() => new MemoryTokenStore(() => NOW));
  expect(Object.values(failed)).toContain("the store's clock stands still");
});

it('B10: a store in memory takes a clock, and its key is in no log', async () => {
  const [one, other] = [new MemoryTokenStore(() => 7), new MemoryTokenStore()];
  expect([(await one.claim({ name: 'x' })).now, (await other.claim({ name: 'x' })).now]).toEqual([
    7,
    NOW + 1,
  ]);
  const [key, again] = [await one.sealKey(), await one.sealKey()];
  expect([key, key.reveal()]).toEqual([again, expect.stringMatching(/^[\w-]{43}$/)]);
  expect([String(key).includes(key.reveal()), (await other.sealKey()).reveal() === key.reveal()]).toEqual([
    false,
    false,
  ]);
});
