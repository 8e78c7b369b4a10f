import { ArmedFaults } from '../../../lib/cli/simulate/armed-faults.js';
import { LiveUpdates } from '../../../lib/cli/simulate/live-updates.js';
import type { Load } from '../../../lib/cli/simulate/load.js';
import { Overview } from '../../../lib/cli/simulate/overview.js';
import { codeOf } from '../../../lib/cli/simulate/verbs.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import type { ObservedRequest } from '../../../lib/testing/simulator/request-observers.js';

const EASY = { interface: 'easy', environment: 'sandbox' };

interface GivenUpdates {
  readonly overview: Overview;
  readonly updates: LiveUpdates;
  /** The request with this number. Each 50th is a token request, and each seventh is refused. */
  readonly receive: (number: number) => void;
  /** A revocation, and a fault that waits until the next one. */
  readonly makeFaults: () => void;
  readonly sizeOfState: () => number;
}

/** All that shows the requests of a simulator, without a simulator. A request comes each `everyMs`, from one account after the other. */
export function givenUpdates({ everyMs = 50, accounts = 0 } = {}): GivenUpdates {
  const provider = {
    pairs: [EASY],
    newestToken: () => undefined,
    waitingScripts: [] as { id: number; scope: object }[],
  };
  const simulator = provider as unknown as ProviderSimulator;
  const overview = new Overview(simulator);
  const armed = new ArmedFaults(simulator);
  const load = { status: { callers: 0, name: 'easy sandbox', calls: 0, failed: 0 } } as Load;
  const updates = new LiveUpdates({ overview, armed, load, origin: 'https://localhost', command: '' });
  const receive = (number: number): void => {
    const kind = number % 50 === 0 ? ('token' as const) : ('api' as const);
    const status = number % 7 === 1 ? 401 : 200;
    // The spreads come last: a member after a spread takes longer to make than all the others.
    const request = {
      kind,
      status,
      at: new Date(everyMs * number),
      method: 'GET',
      path: `/payments/${number % 400}`,
      reason: status === 200 ? 'valid token' : 'token revoked',
      durationMs: 3,
      refusedWith: [401],
      isComplete: true,
      isEarly: false,
      fault: undefined,
      ...EASY,
      ...(accounts > 0 && { account: `merchant-${number % accounts}` }),
    };
    updates.add(overview.add(request as unknown as ObservedRequest));
  };
  const makeFaults = (): void => {
    const [{ id } = { id: 0 }] = provider.waitingScripts;
    provider.waitingScripts = [{ id: id + 1, scope: EASY }];
    for (const chain of [{ hang: true }, { revokeAll: true }]) {
      armed.add('token', chain);
      const text = codeOf('token', chain);
      const at = new Date().toISOString();
      updates.act({ at, by: 'page', chain: text, code: text, on: 'token', body: JSON.stringify(chain) });
    }
  };
  return {
    overview,
    updates,
    receive,
    makeFaults,
    sizeOfState: () => JSON.stringify(updates.state()).length,
  };
}
