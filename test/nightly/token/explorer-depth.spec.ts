import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { type Bound, explore } from '../../support/fleet/explorer/explore.js';
import type { Scenario } from '../../support/fleet/explorer/fleet-run.js';
import { changed, presentEntry, shortestBroken } from '../../support/fleet/explorer/planted-errors.js';
import { reportOf, SCENARIOS } from '../../support/fleet/explorer/scenarios.js';

const [COLD, REVOKED, EXPIRED, TWO_FLEETS, , ASSERTIONS] = SCENARIOS;

const EACH_FAULT = { faults: 1, late: 0, orders: 0 };

/** What `explorer.spec.ts` leaves out. Together about five minutes of CPU time. */
const EXPLORED: readonly { title: string; scenario: Scenario | undefined; bound: Bound }[] = [
  { title: 'each fault', scenario: EXPIRED, bound: EACH_FAULT },
  { title: 'each fault', scenario: TWO_FLEETS, bound: EACH_FAULT },
  {
    title: 'a token endpoint that answers late, in every order of the steps',
    scenario: COLD,
    bound: { faults: 0, late: 1 },
  },
  {
    title: 'a token endpoint that answers late, in every order of the steps',
    scenario: REVOKED,
    bound: { faults: 0, late: 1 },
  },
  {
    title: 'each fault, and a token endpoint that answers late',
    scenario: COLD,
    bound: { faults: 1, late: 1, orders: 0 },
  },
  {
    title: 'each fault, and a token endpoint that answers late',
    scenario: REVOKED,
    bound: { faults: 1, late: 1, orders: 0 },
  },
  { title: 'each fault (B32)', scenario: ASSERTIONS, bound: { ...EACH_FAULT, orders: 1 } },
  { title: 'each fault in every order of the steps', scenario: COLD, bound: { faults: 1, late: 0 } },
  {
    title: 'all pairs of faults with at most one slow part',
    scenario: COLD,
    bound: { faults: 2, slow: 1, late: 0, orders: 0 },
  },
];

beforeEach(() => {
  for (const method of ['log', 'warn', 'error'] as const)
    vi.spyOn(Logger.prototype, method).mockImplementation(() => undefined);
});

/** The planted error: each process can end the lease of any other process. */
function releasesForAnyOwner(store: TokenStore): TokenStore {
  return changed(store, {
    release: async ({ name, owner, note }) => {
      const answer = await store.claim({ name, unwanted: await presentEntry(store, name) });
      const holder = answer.state === 'held' ? answer.holder : undefined;
      await store.release({ name, owner: holder ?? owner, note });
    },
  });
}

describe('the invariants of a fleet hold', () => {
  it.each(EXPLORED)(
    'B23: after $title: $scenario.name',
    async ({ scenario, bound }) => {
      const exploration = await explore(scenario!, bound);
      console.info(reportOf(scenario!, bound, exploration));
      expect(exploration.broken?.lines).toBeUndefined();
      expect(exploration.states).toBeGreaterThan(exploration.histories);
    },
    1_200_000,
  );

  it('B23: and the explorer finds a lease that another owner has released', async () => {
    const scenario: Scenario = {
      name: 'a lease released by another owner',
      start: 'no token',
      secrets: ['one', 'one', 'one'],
      planted: { store: releasesForAnyOwner },
      faults: ['slow'],
      faultyProcess: 'A',
    };
    const broken = await shortestBroken(scenario, { faults: 1, late: 1, orders: 0 });
    expect(broken.sentence).toMatch(/^At most one token request with a live lease/);
    expect(broken.faults).toBe(1);
  }, 600_000);
});
