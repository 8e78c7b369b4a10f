import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bound, explore } from '../../../support/fleet/explorer/explore.js';
import type { Scenario } from '../../../support/fleet/explorer/fleet-run.js';
import { INVARIANTS } from '../../../support/fleet/explorer/invariants.js';
import { reportOf, SCENARIOS } from '../../../support/fleet/explorer/scenarios.js';

const [COLD, REVOKED, EXPIRED, TWO_FLEETS, WRITER, ASSERTIONS] = SCENARIOS;

beforeEach(() => {
  for (const method of ['log', 'warn', 'error'] as const)
    vi.spyOn(Logger.prototype, method).mockImplementation(() => undefined);
});

const EACH_FAULT = { faults: 1, late: 0, orders: 0 };

/** `explorer-depth.spec.ts` goes further. If a change of the explorer makes it blind, there are far fewer histories. */
const EXPLORED: readonly { title: string; scenario: Scenario | undefined; bound: Bound; fewest: number }[] = [
  { title: 'in every order of the steps', scenario: COLD, bound: { faults: 0, late: 0 }, fewest: 20 },
  { title: 'in every order of the steps', scenario: EXPIRED, bound: { faults: 0, late: 0 }, fewest: 20 },
  { title: 'in every order of the steps', scenario: TWO_FLEETS, bound: { faults: 0, late: 0 }, fewest: 20 },
  {
    title: 'while the token endpoint answers one request late',
    scenario: COLD,
    bound: { faults: 0, late: 1, orders: 0 },
    fewest: 5,
  },
  { title: 'after each fault at each step', scenario: COLD, bound: EACH_FAULT, fewest: 300 },
  { title: 'after each fault at each step', scenario: REVOKED, bound: EACH_FAULT, fewest: 300 },
  {
    title: 'while any processes cannot reach the token endpoint',
    scenario: COLD && { ...COLD, faults: ['cut'] },
    bound: { faults: 3, late: 0, orders: 2 },
    fewest: 30,
  },
  {
    title: 'after pairs of faults in almost every order of the steps',
    scenario: WRITER,
    bound: { faults: 2, late: 0, orders: 2 },
    fewest: 300,
  },
  {
    title: 'after each fault at each step (B32)',
    scenario: ASSERTIONS,
    bound: EACH_FAULT,
    fewest: 300,
  },
  {
    title: 'after a fault of the process that asks, while the token endpoint answers one request late',
    scenario: COLD && { ...COLD, faults: ['killed', 'failed', 'lost'], faultyProcess: 'A' },
    bound: { faults: 1, late: 1, orders: 0 },
    fewest: 100,
  },
];

describe(`the ${INVARIANTS.length} invariants of a fleet hold`, () => {
  it.each(EXPLORED)(
    'B23: $title: $scenario.name',
    async ({ scenario, bound, fewest }) => {
      const exploration = await explore(scenario!, bound);
      console.info(reportOf(scenario!, bound, exploration));
      expect(exploration.broken?.lines).toBeUndefined();
      expect(exploration.histories).toBeGreaterThan(fewest);
      expect(exploration.states).toBeGreaterThan(exploration.histories);
    },
    120_000,
  );

  it('B23: in the same histories in each run', async () => {
    const [one, other] = [
      await explore(COLD!, { faults: 0, late: 0 }),
      await explore(COLD!, { faults: 0, late: 0 }),
    ];
    expect(one).toEqual(other);
  }, 120_000);
});
