import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
} from '../../../../lib/config/options/token-store.js';
import { MemoryTokenStore, tokenStoreChecks } from '../../../../lib/testing/index.js';
import { NOW } from '../../../support/token/fake-clock.js';

const LONG_MS = 60_000;

/** The note that a broken store makes up. */
const NOTE = { value: 'a made-up note', ms: LONG_MS };

/** The names of the checks that a store does not pass. The checks wait by fake timers. */
async function failedBy(create: () => MemoryTokenStore | Promise<MemoryTokenStore>): Promise<string[]> {
  const failed: string[] = [];
  const runs = tokenStoreChecks(create).map(async ({ name, run }) => {
    await run().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_ASSERTION') throw error;
      failed.push(name);
    });
  });
  const all = Promise.all(runs);
  await vi.runAllTimersAsync();
  await all;
  return failed;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW }));
afterEach(() => void vi.useRealTimers());

type Held = Extract<StoreAnswer, { state: 'held' }>;
type Found = Extract<StoreAnswer, { state: 'found' }>;

/** A store whose answers are changed. */
const answering = (change: (answer: StoreAnswer, claim: StoreClaim) => StoreAnswer) =>
  class extends MemoryTokenStore {
    override async claim(claim: StoreClaim): Promise<StoreAnswer> {
      return change(await super.claim(claim), claim);
    }
  };

const ifHeld = (change: (held: Held) => Partial<Held>) =>
  answering((answer) => (answer.state === 'held' ? { ...answer, ...change(answer) } : answer));

const ifFound = (change: (found: Found) => Partial<Found>) =>
  answering((answer) => (answer.state === 'found' ? { ...answer, ...change(answer) } : answer));

/** A store that changes what it is asked for. */
const claiming = (change: (claim: StoreClaim) => StoreClaim) =>
  class extends MemoryTokenStore {
    override claim(claim: StoreClaim): Promise<StoreAnswer> {
      return super.claim(change(claim));
    }
  };

const publishing = (change: (publication: StorePublication) => StorePublication) =>
  class extends MemoryTokenStore {
    override publish(publication: StorePublication): Promise<void> {
      return super.publish(change(publication));
    }
  };

const releasing = (change: (release: StoreRelease) => StoreRelease) =>
  class extends MemoryTokenStore {
    override release(release: StoreRelease): Promise<void> {
      return super.release(change(release));
    }
  };

const withLease = (change: (lease: NonNullable<StoreClaim['lease']>) => StoreClaim['lease']) =>
  claiming(({ lease, ...claim }) => (lease === undefined ? claim : { ...claim, lease: change(lease) }));

const removing = (remove: boolean) =>
  claiming(({ unwanted, ...claim }) =>
    unwanted === undefined ? claim : { ...claim, unwanted: { ...unwanted, remove } },
  );

/** The owner of the lease of a name. */
async function holderIn(store: MemoryTokenStore, name: string): Promise<string | undefined> {
  const answer = await MemoryTokenStore.prototype.claim.call(store, { name });
  return answer.state === 'held' && answer.note === undefined ? answer.holder : undefined;
}

class LookTakesLease extends MemoryTokenStore {
  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const answer = await super.claim(claim);
    if (answer.state === 'free') await super.claim({ ...claim, lease: { owner: 'a look', ms: LONG_MS } });
    return answer;
  }
}

class NeverExtends extends MemoryTokenStore {
  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const holder = await holderIn(this, claim.name);
    const isAgain = holder !== undefined && holder === claim.lease?.owner;
    return isAgain ? { state: 'leased', now: Date.now() } : super.claim(claim);
  }
}

class KeepsPublishedLease extends MemoryTokenStore {
  override async publish(publication: StorePublication): Promise<void> {
    await super.publish(publication);
    const { name, owner, value } = publication;
    await super.claim({ name, unwanted: { value, remove: false }, lease: { owner, ms: LONG_MS } });
  }
}

class OnlyOwnersPublish extends MemoryTokenStore {
  override async publish(publication: StorePublication): Promise<void> {
    if ((await holderIn(this, publication.name)) === publication.owner) await super.publish(publication);
  }
}

class PublishEndsAnyLease extends MemoryTokenStore {
  override async publish(publication: StorePublication): Promise<void> {
    const owner = await holderIn(this, publication.name);
    await super.publish(publication);
    if (owner !== undefined) await super.release({ name: publication.name, owner });
  }
}

class AnyoneReplaces extends MemoryTokenStore {
  override async publish(publication: StorePublication): Promise<void> {
    const { name } = publication;
    const answer = await super.claim({ name });
    if (answer.state === 'found')
      await super.claim({ name, unwanted: { value: answer.value, remove: true } });
    await super.publish(publication);
  }
}

class NeverReplaces extends MemoryTokenStore {
  override async publish(publication: StorePublication): Promise<void> {
    const { state } = await super.claim({ name: publication.name });
    if (state !== 'found') await super.publish(publication);
  }
}

class AnyValueIsUnwanted extends MemoryTokenStore {
  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const answer = await super.claim(claim);
    if (answer.state !== 'found' || claim.unwanted === undefined) return answer;
    return super.claim({ ...claim, unwanted: { ...claim.unwanted, value: answer.value } });
  }
}

class NeverReleases extends MemoryTokenStore {
  override release(): Promise<void> {
    return Promise.resolve();
  }
}

class ReleasesAnyLease extends MemoryTokenStore {
  override async release(release: StoreRelease): Promise<void> {
    const holder = release.note === undefined ? await holderIn(this, release.name) : undefined;
    await super.release({ ...release, owner: holder ?? release.owner });
  }
}

class TakesAnyNote extends MemoryTokenStore {
  override async release(release: StoreRelease): Promise<void> {
    const holder = await holderIn(this, release.name);
    await super.release({ ...release, owner: holder ?? release.owner });
  }
}

class TakesLateNotes extends MemoryTokenStore {
  override async release(release: StoreRelease): Promise<void> {
    await this.claim({ name: release.name, lease: { owner: release.owner, ms: LONG_MS } });
    await super.release(release);
  }
}

class PublishKeepsNotes extends MemoryTokenStore {
  override async publish(publication: StorePublication): Promise<void> {
    const { name, value } = publication;
    const before = await super.claim({ name });
    await super.publish(publication);
    if (before.state !== 'held' || before.note === undefined) return;
    const lease = { owner: 'a publication', ms: LONG_MS };
    await super.claim({ name, unwanted: { value, remove: false }, lease });
    await super.release({ name, owner: lease.owner, note: NOTE });
  }
}

class ReplacesAnything extends MemoryTokenStore {
  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const answer = await super.claim(claim);
    if (answer.state !== 'held' || claim.lease?.insteadOf === undefined) return answer;
    const insteadOf = answer.note ?? answer.holder ?? '';
    return super.claim({ ...claim, lease: { ...claim.lease, insteadOf } });
  }
}

class ReplacesAnyNote extends MemoryTokenStore {
  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const answer = await super.claim(claim);
    if (answer.state !== 'held' || answer.note === undefined || claim.lease?.insteadOf === undefined)
      return answer;
    return super.claim({ ...claim, lease: { ...claim.lease, insteadOf: answer.note } });
  }
}

class ReplacesNoNote extends MemoryTokenStore {
  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const before = await super.claim({ name: claim.name });
    return before.state === 'held' && before.note !== undefined ? before : super.claim(claim);
  }
}

class KeepsReplacedNote extends MemoryTokenStore {
  readonly #replaced = new Set<string>();

  override async claim(claim: StoreClaim): Promise<StoreAnswer> {
    const before = await super.claim({ name: claim.name });
    const answer = await super.claim(claim);
    if (answer.state === 'leased' && before.state === 'held' && before.note !== undefined)
      this.#replaced.add(claim.name);
    const isNoted = answer.state === 'held' && this.#replaced.has(claim.name);
    return isNoted
      ? { state: 'held', now: answer.now, note: NOTE.value, expiresAt: answer.expiresAt }
      : answer;
  }
}

/** Throws for a text that the interface does not allow, and for a duration that is none. */
function demand(text: string | undefined, ms = 1): void {
  if (!/^[\w-]+$/.test(text ?? '') || !(ms > 0)) throw new TypeError('Not as documented.');
}

class TakesDocumentedTexts extends MemoryTokenStore {
  override claim(claim: StoreClaim): Promise<StoreAnswer> {
    demand(claim.name);
    if (claim.lease !== undefined) demand(claim.lease.owner, claim.lease.ms);
    if (claim.lease?.insteadOf !== undefined) demand(claim.lease.insteadOf);
    if (claim.unwanted !== undefined) demand(claim.unwanted.value);
    return super.claim(claim);
  }

  override publish(publication: StorePublication): Promise<void> {
    for (const text of [publication.name, publication.owner, publication.value]) demand(text);
    return super.publish(publication);
  }

  override release(release: StoreRelease): Promise<void> {
    for (const text of [release.name, release.owner]) demand(text);
    if (release.note !== undefined) demand(release.note.value, release.note.ms);
    return super.release(release);
  }
}

const CLOCK = 'has a clock that goes forward, and returns it in every answer';
const FIRST = 'gives the lease to the first owner that claims, and answers "held" to the others';
const FOUND = 'returns a published entry to every owner, with its end';
const NOTED = 'returns the note of an owner to every owner, until the note ends';
const UNWANTED =
  'ignores and keeps an entry with exactly the unwanted value, and lets the owner of the lease replace it';
const ONCE = 'removes an entry with exactly the unwanted value once';
const WITHOUT_LEASE = 'lets a writer without the lease write if there is no entry, and keeps the lease';
const REPLACES_LEASE = 'replaces the lease that a claim names once, if it returns holders';
const REPLACES_NOTE = 'replaces the note that a claim names once, if it returns holders';
const NO_OTHER = 'replaces no other lease and no other note than the claim names';

/** In the order of the list. */
const CHECKS = [
  FIRST,
  'gives one lease if many owners claim at once',
  'takes no lease for a claim that only looks',
  'extends the lease of an owner that claims again',
  'ends a lease after its time',
  FOUND,
  'returns a value unchanged',
  'ends an entry after its life',
  'writes no entry that has already ended',
  'removes the lease when its owner publishes',
  WITHOUT_LEASE,
  'lets no writer without the lease replace an entry',
  UNWANTED,
  ONCE,
  'returns an entry with any other value than the unwanted value',
  'removes the lease when its owner releases it',
  'lets only the owner release a lease',
  'takes no note of an owner whose lease has ended',
  NOTED,
  'removes a note when any owner publishes',
  'returns the end of the lease',
  'returns the owner of the lease as holder, or no holder',
  REPLACES_LEASE,
  REPLACES_NOTE,
  NO_OTHER,
  'keeps names apart',
  CLOCK,
];

/** A lease for each owner. */
const LeasesToAll = answering((answer) =>
  answer.state === 'held' ? { state: 'leased', now: answer.now } : answer,
);

type Broken = readonly (readonly [what: string, check: string, Store: typeof MemoryTokenStore])[];

const STATES = ['free', 'leased', 'held', 'found'] as const;

const BROKEN: Broken = [
  ...STATES.flatMap((state) => [
    [
      `another clock in an answer with the state "${state}"`,
      CLOCK,
      answering((answer) => (answer.state === state ? { ...answer, now: answer.now / 1000 } : answer)),
    ] as const,
    [
      `a clock an hour ahead in an answer with the state "${state}"`,
      CLOCK,
      answering((answer) => (answer.state === state ? { ...answer, now: answer.now + 3_600_000 } : answer)),
    ] as const,
  ]),
  [
    'a clock that stands still',
    CLOCK,
    answering((answer) => ({ ...answer, now: answer.now - (answer.now % 10_000) })),
  ],
  ['a lease for each owner', FIRST, LeasesToAll],
  ['a lease for each owner at once', 'gives one lease if many owners claim at once', LeasesToAll],
  [
    'no lease for anyone',
    'gives one lease if many owners claim at once',
    answering((answer) =>
      answer.state === 'leased' ? { state: 'held', now: answer.now, expiresAt: answer.now } : answer,
    ),
  ],
  [
    'looks that see no lease',
    FIRST,
    answering((answer, claim) => (claim.lease === undefined ? { state: 'free', now: answer.now } : answer)),
  ],
  ['looks that take a lease', 'takes no lease for a claim that only looks', LookTakesLease],
  ['leases that no claim extends', 'extends the lease of an owner that claims again', NeverExtends],
  [
    'leases of a minute at least',
    'ends a lease after its time',
    withLease(({ ms, ...lease }) => ({ ...lease, ms: Math.max(ms, LONG_MS) })),
  ],
  [
    'entries that live for a minute at most',
    FOUND,
    publishing(({ expiresAt, ...rest }) => ({
      ...rest,
      expiresAt: Math.min(expiresAt, Date.now() + LONG_MS),
    })),
  ],
  ['an end of entries that is late', FOUND, ifFound(({ expiresAt }) => ({ expiresAt: expiresAt + 6 }))],
  ['an end of entries that is early', FOUND, ifFound(({ expiresAt }) => ({ expiresAt: expiresAt - 6 }))],
  ['another value', FOUND, ifFound(() => ({ value: 'another' }))],
  [
    'values of 30,000 characters at most',
    'returns a value unchanged',
    publishing((publication) => ({ ...publication, value: publication.value.slice(0, 30_000) })),
  ],
  [
    'values in lower case',
    'returns a value unchanged',
    publishing((publication) => ({ ...publication, value: publication.value.toLowerCase() })),
  ],
  [
    'entries that live for a minute more',
    'ends an entry after its life',
    publishing(({ expiresAt, ...rest }) => ({ ...rest, expiresAt: expiresAt + LONG_MS })),
  ],
  [
    'entries that have ended',
    'writes no entry that has already ended',
    publishing(({ expiresAt, ...rest }) => ({ ...rest, expiresAt: Math.max(expiresAt, Date.now() + 1) })),
  ],
  ['a lease after its entry', 'removes the lease when its owner publishes', KeepsPublishedLease],
  ['entries of owners only', WITHOUT_LEASE, OnlyOwnersPublish],
  ['leases that any entry ends', WITHOUT_LEASE, PublishEndsAnyLease],
  ['entries that anyone replaces', 'lets no writer without the lease replace an entry', AnyoneReplaces],
  ['unwanted entries', UNWANTED, claiming((claim) => ({ ...claim, unwanted: undefined }))],
  ['unwanted entries that are always removed', UNWANTED, removing(true)],
  ['entries that no owner replaces', UNWANTED, NeverReplaces],
  ['unwanted entries that are never removed', ONCE, removing(false)],
  ['a lease for each owner that removes', ONCE, LeasesToAll],
  [
    'any entry as an unwanted one',
    'returns an entry with any other value than the unwanted value',
    AnyValueIsUnwanted,
  ],
  ['leases without a release', 'removes the lease when its owner releases it', NeverReleases],
  ['leases that any owner releases', 'lets only the owner release a lease', ReleasesAnyLease],
  ['notes of any owner', 'lets only the owner release a lease', TakesAnyNote],
  ['notes without a lease', 'takes no note of an owner whose lease has ended', TakesLateNotes],
  ['no notes', NOTED, releasing((release) => ({ ...release, note: undefined }))],
  [
    'notes without an end',
    NOTED,
    releasing(({ note, ...release }) => ({ ...release, ...(note && { note: { ...note, ms: LONG_MS } }) })),
  ],
  ['another note', NOTED, ifHeld(({ note }) => (note === undefined ? {} : { note: 'another' }))],
  ['a note that ends now', NOTED, ifHeld(({ note, now }) => (note === undefined ? {} : { expiresAt: now }))],
  [
    'a note whose end is late',
    NOTED,
    ifHeld(({ note, expiresAt }) => (note === undefined ? {} : { expiresAt: expiresAt + 1 })),
  ],
  ['notes after an entry', 'removes a note when any owner publishes', PublishKeepsNotes],
  [
    'the length of a lease instead of its end',
    'returns the end of the lease',
    ifHeld(({ expiresAt, now }) => ({ expiresAt: expiresAt - now })),
  ],
  [
    'an end of leases that is late',
    'returns the end of the lease',
    ifHeld(({ expiresAt }) => ({ expiresAt: expiresAt + 101 })),
  ],
  [
    'an end of leases that is early',
    'returns the end of the lease',
    ifHeld(({ expiresAt }) => ({ expiresAt: expiresAt - 101 })),
  ],
  [
    'another holder',
    'returns the owner of the lease as holder, or no holder',
    ifHeld(() => ({ holder: 'another' })),
  ],
  [
    'leases that no claim replaces',
    REPLACES_LEASE,
    withLease((lease) => ({ ...lease, insteadOf: undefined })),
  ],
  ['leases that every claim replaces', REPLACES_LEASE, ReplacesAnything],
  ['replaced leases that the first owner releases', REPLACES_LEASE, ReleasesAnyLease],
  ['notes that no claim replaces', REPLACES_NOTE, ReplacesNoNote],
  ['notes that every claim replaces', NO_OTHER, ReplacesAnyNote],
  ['replaced notes that stay', REPLACES_NOTE, KeepsReplacedNote],
  ['leases that any claim replaces', NO_OTHER, ReplacesAnything],
  ['one entry for all names', 'keeps names apart', claimAndPublishOneName()],
];

function claimAndPublishOneName() {
  const name = 'the only name';
  return class extends MemoryTokenStore {
    override claim(claim: StoreClaim): Promise<StoreAnswer> {
      return super.claim({ ...claim, name });
    }

    override publish(publication: StorePublication): Promise<void> {
      return super.publish({ ...publication, name });
    }
  };
}

describe('B10: the checks of token stores', () => {
  it('are these, in this order', () => {
    expect(tokenStoreChecks(() => new MemoryTokenStore()).map(({ name }) => name)).toEqual(CHECKS);
  });

  it.each<[what: string, Store: typeof MemoryTokenStore]>([
    ['that is right', MemoryTokenStore],
    ['that takes only texts of the documented characters', TakesDocumentedTexts],
    ['without holders', ifHeld(() => ({ holder: undefined }))],
    ['whose ends of entries are 5 ms late', ifFound(({ expiresAt }) => ({ expiresAt: expiresAt + 5 }))],
    [
      'whose ends of leases are 100 ms late',
      ifHeld(({ note, expiresAt }) => (note === undefined ? { expiresAt: expiresAt + 100 } : {})),
    ],
    [
      'without holders, which replaces nothing',
      class extends withLease((lease) => ({ ...lease, insteadOf: undefined })) {
        override async claim(claim: StoreClaim): Promise<StoreAnswer> {
          const answer = await super.claim(claim);
          if (answer.state !== 'held') return answer;
          const { holder: _, ...rest } = answer;
          return rest;
        }
      },
    ],
  ])('accept a store %s', async (_, Store) => {
    expect(await failedBy(() => Promise.resolve(new Store()))).toEqual([]);
  });

  it('accept one store for all of them, even a second time', async () => {
    const store = new MemoryTokenStore();
    expect([await failedBy(() => store), await failedBy(() => store)]).toEqual([[], []]);
  });

  it.each(BROKEN)('refuse a store with %s', async (_what, check, Store) => {
    expect(CHECKS).toContain(check);
    expect(await failedBy(() => new Store())).toContain(check);
  });

  it.each([
    [FOUND, ifFound(() => ({ expiresAt: 1 })), 'the end of the entry is not the published end'],
    [
      'returns the end of the lease',
      ifHeld(() => ({ expiresAt: 1 })),
      'the end of the lease is not the claimed end',
    ],
    [
      CLOCK,
      answering((answer) => ({ ...answer, now: 1 })),
      'the clock is wrong in an answer with the state "free"',
    ],
  ])('say what is wrong: %s', async (check, Store, message) => {
    const { run } = tokenStoreChecks(() => new Store()).find(({ name }) => name === check)!;
    const outcomes = Promise.allSettled([run()]);
    await vi.runAllTimersAsync();
    expect(await outcomes).toMatchObject([{ reason: { message } }]);
  });

  it('each refuse one of the stores above', () => {
    const refused = new Set(BROKEN.map(([, check]) => check));
    expect(CHECKS.filter((check) => !refused.has(check))).toEqual([]);
  });
});
