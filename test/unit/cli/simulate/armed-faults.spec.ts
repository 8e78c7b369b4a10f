import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ArmedFaults } from '../../../../lib/cli/simulate/armed-faults.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

/** Faults of a simulator whose waiting scripts the test chooses. */
function givenFaults(waitingScripts: { id: number; scope: object; left?: number }[]) {
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
