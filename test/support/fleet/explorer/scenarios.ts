import type { Bound, Exploration } from './explore.js';
import type { Scenario } from './fleet-run.js';

/**
 * The starts of a history. In the fourth scenario two fleets share one store. In the fifth one another writer puts refused tokens back; two
 * processes are enough for that. In the last one two clients have assertions, and one seal key.
 */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'three processes without a token', start: 'no token', secrets: ['one', 'one', 'one'] },
  { name: 'three processes with a revoked token', start: 'a revoked token', secrets: ['one', 'one', 'one'] },
  {
    name: 'three processes with an expired token',
    start: 'an expired token',
    secrets: ['one', 'one', 'one'],
  },
  { name: 'two fleets on one store', start: 'a revoked token', secrets: ['one', 'one', 'two'] },
  {
    name: 'two processes, refused tokens and a writer',
    start: 'a revoked token',
    secrets: ['one', 'one'],
    atOneMoment: true,
    faults: ['garbage', 'revoked'],
  },
  {
    name: 'two clients with assertions and one seal key',
    start: 'a revoked token',
    secrets: ['one', 'one', 'two'],
    hasAssertions: true,
  },
];

/** The result of an exploration in one line, and the shortest history that breaks an invariant. */
export function reportOf(
  { name }: Scenario,
  bound: Bound,
  { histories, states, broken }: Exploration,
): string {
  const found = broken
    ? [`Broken after ${broken.faults} faults and ${broken.steps} steps: ${broken.sentence}`, ...broken.lines]
    : ['All invariants hold.'];
  const figures = `${histories} histories, ${states} states`;
  return [`${name}, ${describe(bound)}: ${figures}. ${found[0]}`, ...found.slice(1)].join('\n');
}

function describe({ faults, slow, orders, late }: Bound): string {
  return [
    atMost(faults, slow === undefined ? 'faults' : `faults (at most ${slow} of them slow)`),
    atMost(late, 'late answers of the token endpoint'),
    atMost(orders, 'changes of the order'),
  ].join(', ');
}

function atMost(most: number | undefined, what: string): string {
  return most === undefined ? `any number of ${what}` : `at most ${most} ${what}`;
}
