import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ArmedFaults } from '../../../../lib/cli/simulate/armed-faults.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

interface Script {
  readonly id: number;
  readonly scope: object;
  readonly left?: number;
}

/** Faults of a simulator whose waiting scripts the test chooses. */
function givenFaults(waitingScripts: Script[]) {
  const provider = { waitingScripts };
  const armed = new ArmedFaults(provider as unknown as ProviderSimulator);
  armed.add('token', { status: 503 });
  return { armed, wait: (...scripts: typeof waitingScripts) => (provider.waitingScripts = scripts) };
}

it('B25: listing faults changes nothing: what is left of them is noted apart', () => {
  const { armed, wait } = givenFaults([{ id: 1, scope: {}, left: 3 }]);
  wait({ id: 1, scope: {}, left: 2 });
  expect(armed.list()).toMatchObject([{ id: 1, label: '503', left: 3, from: 1000 }]);
  armed.noteWhatIsLeft();
  expect(armed.list()).toMatchObject([{ left: 2 }]);
});

it('B25: a fault ends when its end is first noted, and only then', () => {
  const { armed, wait } = givenFaults([{ id: 1, scope: {}, left: 1 }]);
  wait();
  vi.setSystemTime(1500);
  armed.noteWhatIsLeft();
  vi.setSystemTime(9000);
  armed.noteWhatIsLeft();
  expect(armed.list()).toMatchObject([{ id: 1, from: 1000, until: 1500 }]);
});

const EASY = { interface: 'easy', environment: 'sandbox' };

it('B25: a fault has its name, its code, its pair and what is left of it', () => {
  const { armed, wait } = givenFaults([{ id: 1, scope: EASY, left: 3 }]);
  vi.setSystemTime(2000);
  wait({ id: 1, scope: EASY, left: 3 }, { id: 2, scope: {} });
  armed.add('api', { path: '/payments', hang: true });
  expect(armed.list()).toStrictEqual([
    {
      id: 1,
      on: 'token',
      label: '503',
      code: 'token.status(503)',
      ...EASY,
      left: 3,
      leftBefore: 3,
      from: 1000,
    },
    {
      id: 2,
      on: 'api',
      label: 'path "/payments", hang',
      code: 'api.path("/payments").hang()',
      from: 2000,
    },
  ]);
});

it('B25: a fault of an interface has no environment', () => {
  const { armed } = givenFaults([{ id: 1, scope: { interface: 'easy' } }]);
  expect(armed.list()[0]).toMatchObject({ interface: 'easy' });
  expect(armed.list()[0]).not.toHaveProperty('environment');
});

it('B25: a chain that leaves nothing waiting is no fault', () => {
  expect(givenFaults([]).armed.list()).toEqual([]);
});

it('B25: those that wait now are those of the simulator', () => {
  const { armed, wait } = givenFaults([
    { id: 1, scope: {}, left: 2 },
    { id: 2, scope: {} },
  ]);
  wait({ id: 2, scope: {} });
  expect(armed.waiting()).toMatchObject([{ id: 2 }]);
  expect(armed.list()).toMatchObject([
    { id: 1, left: 2, until: 1000 },
    { id: 2, from: 1000 },
  ]);
  expect(armed.list()[1]).not.toHaveProperty('until');
  expect(armed.list()[1]).not.toHaveProperty('left');
});

it('B25: a forgotten request counts down what was left before it, also of an ended fault', () => {
  const { armed, wait } = givenFaults([
    { id: 1, scope: {}, left: 2 },
    { id: 2, scope: {} },
  ]);
  wait();
  armed.noteWhatIsLeft();
  for (const id of [1, 1, 2, undefined]) armed.forgetUse(id);
  expect(armed.list()).toMatchObject([
    { id: 1, left: 2, leftBefore: 0 },
    { id: 2, until: 1000 },
  ]);
  expect(armed.list()[1]).not.toHaveProperty('leftBefore');
});

it('B25: only the last 50 ended faults are remembered, and all that wait', () => {
  const scripts = Array.from({ length: 53 }, (_, index) => ({ id: index + 1, scope: {} }));
  const { armed, wait } = givenFaults(scripts);
  const ids = () => armed.list().map(({ id }) => id);
  const all = scripts.map(({ id }) => id);
  wait(...scripts.slice(0, 3));
  armed.noteWhatIsLeft();
  expect(ids()).toEqual(all);
  wait(...scripts.slice(0, 2));
  armed.noteWhatIsLeft();
  expect(ids()).toEqual(all.filter((id) => id !== 3));
});

it('B25: a new session forgets all faults', () => {
  const { armed } = givenFaults([{ id: 1, scope: {} }]);
  armed.clear();
  expect(armed.list()).toEqual([]);
});
