import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { FleetEntry } from '../../../lib/token/fleet/fleet-entry.js';
import { FleetLease } from '../../../lib/token/fleet/fleet-lease.js';
import { FleetMemory } from '../../../lib/token/fleet/fleet-memory.js';
import { assertionFor } from '../../support/fleet/explorer/explored-store.js';
import type { Bound } from '../../support/fleet/explorer/explore.js';
import type { Scenario } from '../../support/fleet/explorer/fleet-run.js';
import { INVARIANTS } from '../../support/fleet/explorer/invariants.js';
import { changed, presentEntry, shortestBroken } from '../../support/fleet/explorer/planted-errors.js';
import { profileOf } from '../../support/token/token-fixtures.js';

beforeEach(() => {
  for (const method of ['log', 'warn', 'error'] as const)
    vi.spyOn(Logger.prototype, method).mockImplementation(() => undefined);
});

/** The planted error: a writer without the lease replaces an entry. */
function acceptsLatePublications(store: TokenStore): TokenStore {
  return changed(store, {
    publish: async (publication) => {
      const { name } = publication;
      const present = await presentEntry(store, name);
      if (present) await store.claim({ name, unwanted: { ...present, remove: true } });
      await store.publish(publication);
    },
  });
}

/** The planted error: the store knows the secrets, and seals the token of one entry again for another entry. */
function sharesBetweenEntries(store: TokenStore): TokenStore {
  const [one, two] = ['one', 'two'].map((secret) => new FleetEntry(profileOf(), new Secret(secret)));
  return changed(store, {
    claim: async (claim) => {
      const answer = await store.claim(claim);
      const foreign = claim.name === two?.name ? await store.claim({ name: one?.name ?? '' }) : answer;
      if (foreign === answer || foreign.state !== 'found') return answer;
      const content = one?.open('token', foreign.value) ?? new Map<string, unknown>();
      return { ...foreign, value: two?.seal('token', Object.fromEntries(content)) ?? '' };
    },
  });
}

/** The planted error: an entry does not say when its token was obtained. */
function forgetsWhenObtained(store: TokenStore): TokenStore {
  const entry = new FleetEntry(profileOf(), new Secret('one'));
  return changed(store, {
    publish: async (publication) => {
      const content = new Map(entry.open('token', publication.value));
      content.delete('storeObtainedAt');
      await store.publish({ ...publication, value: entry.seal('token', Object.fromEntries(content)) });
    },
  });
}

/** The planted error: the store gives a lease to each process that asks. */
function givesLeaseTwice(store: TokenStore): TokenStore {
  return changed(store, {
    claim: async (claim) => {
      const answer = await store.claim(claim);
      return answer.state === 'held' && claim.lease ? { state: 'leased', now: answer.now } : answer;
    },
  });
}

/** The planted error: the store gives no leases. */
function givesNoLease(store: TokenStore): TokenStore {
  return changed(store, { claim: ({ name, unwanted }) => store.claim({ name, unwanted }) });
}

/** The planted error: the token of a changed secret is published in the place of the secret that the renewal began with. */
function publishesInOldPlace(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`
  const { publish } = FleetLease.prototype;
  vi.spyOn(FleetLease.prototype, 'publish').mockImplementation(function (this: FleetLease, token) {
    return publish.call(this, token, this.entry);
  });
}

/** The planted error: all clients with assertions share one entry (B32). */
function bindsToNoClient(): void {
  const entryOf = FleetEntry.of.bind(FleetEntry);
  const [one] = [assertionFor('one', 'any')];
  vi.spyOn(FleetEntry, 'of').mockImplementation((profile, _, sealKey) =>
    entryOf(profile, new Secret(one), sealKey),
  );
}

/** Each sentence of `INVARIANTS` has a planted error. `explorer-depth.spec.ts` has one that needs a long history. */
const PLANTED: readonly (Omit<Scenario, 'secrets'> & {
  readonly secrets?: Scenario['secrets'];
  /** Changes the code of the library until the end of the test. */
  readonly plant?: () => unknown;
  readonly bound: Bound;
  readonly breaks: string;
  readonly takes: number;
})[] = [
  {
    name: 'a lease that is given twice',
    start: 'no token',
    planted: { store: givesLeaseTwice },
    bound: { faults: 0 },
    breaks: 'At most one token request with a live lease is under way',
    takes: 0,
  },
  {
    name: 'a store that gives no lease',
    start: 'no token',
    planted: { store: givesNoLease },
    bound: { faults: 0 },
    breaks: 'A process asks alone only after',
    takes: 0,
  },
  {
    name: 'a store that mixes entries',
    start: 'no token',
    secrets: ['one', 'one', 'two'],
    planted: { store: sharesBetweenEntries },
    bound: { faults: 0 },
    breaks: 'No caller gets a token of another entry',
    takes: 0,
  },
  {
    name: 'a process that says that its request is sent before it has reached the token endpoint',
    start: 'no token',
    planted: { alwaysSaysSent: true },
    faults: ['cut'],
    bound: { faults: 2, orders: 0, late: 0 },
    breaks: 'Processes that cannot reach the token endpoint delay another process',
    takes: 2,
  },
  {
    name: 'a process that forgets what was refused',
    start: 'a revoked token',
    planted: { forgets: true },
    bound: { faults: 0 },
    breaks: 'No process hands out a token again',
    takes: 0,
  },
  {
    name: 'a process that uses tokens for a second too long',
    start: 'an expired token',
    planted: { leewayMs: -1_000 },
    bound: { faults: 0 },
    breaks: 'No caller gets a token that has expired',
    takes: 0,
  },
  {
    name: 'a publication that is accepted after the lease was lost',
    start: 'no token',
    planted: { store: acceptsLatePublications },
    bound: { faults: 0, orders: 0, late: 1 },
    breaks: 'A publication of a process that has lost its lease',
    takes: 0,
  },
  {
    name: 'a store without a deadline',
    start: 'no token',
    planted: { storeTimeoutMs: 3_600_000 },
    faults: ['slow'],
    faultyProcess: 'A',
    bound: { faults: 1, orders: 0, late: 0 },
    breaks: 'Each process that lives and reaches the token endpoint gets a token',
    takes: 1,
  },
  {
    name: 'a process that takes an entry from before the clock of the store was set back',
    start: 'no token',
    planted: { store: forgetsWhenObtained },
    faults: ['clock'],
    bound: { faults: 1, orders: 0, late: 0 },
    breaks: 'No process takes an entry whose token was obtained more than 2 s in the future',
    takes: 1,
  },
  {
    name: 'a process that publishes a token of a changed secret in the place of the old secret',
    start: 'no token',
    plant: publishesInOldPlace,
    faults: ['secret'],
    bound: { faults: 1, orders: 0, late: 0 },
    breaks: 'A token is published only for the client secret',
    takes: 1,
  },
  {
    name: 'entries that are not bound to the client of an assertion',
    start: 'no token',
    secrets: ['one', 'one', 'two'],
    hasAssertions: true,
    plant: bindsToNoClient,
    bound: { faults: 0 },
    breaks: 'A token is published only for the client secret',
    takes: 0,
  },
  {
    name: 'a process that publishes a token of another client in the place of the first assertion',
    start: 'no token',
    hasAssertions: true,
    plant: publishesInOldPlace,
    faults: ['secret'],
    bound: { faults: 1, orders: 0, late: 0 },
    breaks: 'A token is published only for the client secret',
    takes: 1,
  },
  {
    name: 'a process that takes any entry, after another writer has put a refused token back',
    start: 'a revoked token',
    plant: () => vi.spyOn(FleetMemory.prototype, 'isAnswer').mockReturnValue(true),
    faults: ['garbage', 'revoked'],
    bound: { faults: 2, orders: 0, late: 0 },
    breaks: 'No process hands out a token again',
    takes: 2,
  },
  {
    name: 'a process that knows a refused token only by its age',
    start: 'a revoked token',
    secrets: ['one', 'one'],
    atOneMoment: true,
    plant: () => vi.spyOn(FleetMemory.prototype, 'isRefused').mockReturnValue(false),
    faults: ['garbage', 'revoked'],
    bound: { faults: 2, orders: 2, late: 0 },
    breaks: 'No process hands out a token again',
    takes: 2,
  },
];

describe('the explorer finds a planted error, and prints the shortest history', () => {
  it.each(PLANTED)(
    'B23: $name',
    async ({ bound, breaks, takes, plant, secrets = ['one', 'one', 'one'], ...scenario }) => {
      plant?.();
      const broken = await shortestBroken({ ...scenario, secrets }, bound);
      expect(broken.sentence.slice(0, breaks.length)).toBe(breaks);
      expect(broken.faults).toBe(takes);
      expect(broken.lines.length).toBeGreaterThan(0);
    },
    120_000,
  );

  it('B23: each sentence has a planted error', () => {
    const found = INVARIANTS.map(({ sentence }) => PLANTED.some(({ breaks }) => sentence.startsWith(breaks)));
    expect(found).not.toContain(false);
  });
});
