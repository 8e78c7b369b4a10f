import { expect, it } from 'vitest';
import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
} from '../../../lib/config/options/token-store.js';
import { MemoryTokenStore, tokenStoreChecks } from '../../../lib/testing/index.js';

/** A store whose answers are changed. */
const answering = (change: (answer: StoreAnswer) => StoreAnswer) =>
  class extends MemoryTokenStore {
    override async claim(claim: StoreClaim): Promise<StoreAnswer> {
      return change(await super.claim(claim));
    }
  };

const CLOCK = 'has a clock that goes forward, and returns it in every answer';
const STATES = ['free', 'leased', 'held', 'found'] as const;

class ShortLife extends MemoryTokenStore {
  override publish(publication: StorePublication): Promise<void> {
    const expiresAt = Math.min(publication.expiresAt, Date.now() + 60_000);
    return super.publish({ ...publication, expiresAt });
  }
}

class ReleasesAnyLease extends MemoryTokenStore {
  override async release(release: StoreRelease): Promise<void> {
    const answer = await this.claim({ name: release.name });
    const holder = answer.state === 'held' && release.note === undefined ? answer.holder : undefined;
    await super.release({ ...release, owner: holder ?? release.owner });
  }
}

class TakesLateNotes extends MemoryTokenStore {
  override async release(release: StoreRelease): Promise<void> {
    await this.claim({ name: release.name, lease: { owner: release.owner, ms: 60_000 } });
    await super.release(release);
  }
}

const BROKEN: readonly (readonly [what: string, check: string, Store: typeof MemoryTokenStore])[] = [
  ...STATES.map(
    (state) =>
      [
        `another clock in an answer with the state "${state}"`,
        CLOCK,
        answering((answer) => (answer.state === state ? { ...answer, now: answer.now / 1000 } : answer)),
      ] as const,
  ),
  [
    'the length of a lease instead of its end',
    'returns the end of the lease',
    answering((answer) =>
      answer.state === 'held' ? { ...answer, expiresAt: answer.expiresAt - answer.now } : answer,
    ),
  ],
  [
    'entries that live for a minute at most',
    'returns a published entry to every owner, with its end',
    ShortLife,
  ],
  ['leases that any owner can release', 'lets only the owner release a lease', ReleasesAnyLease],
  ['notes without a lease', 'takes no note of an owner whose lease has ended', TakesLateNotes],
];

it.each(BROKEN)('B10: the checks of token stores refuse a store with %s', async (_what, check, Store) => {
  const failed: string[] = [];
  await Promise.all(
    tokenStoreChecks(() => new Store()).map(async ({ name, run }) => {
      await run().catch(() => failed.push(name));
    }),
  );
  expect(failed).toContain(check);
});
