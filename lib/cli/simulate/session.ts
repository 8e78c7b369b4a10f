import type { ProviderParts } from '../../module/parts.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { type ControlParts, startControlServer } from './control-server.js';
import { LiveUpdates } from './live-updates.js';
import type { ChosenFault, Report } from './shown.js';
import { State } from './state.js';
import { testCalls } from './test-call.js';
import { type Chain, runChain, type Target } from './verbs.js';

interface SessionOptions extends Pick<ControlParts, 'page' | 'port' | 'key'> {
  readonly provider: ProviderSimulator;
  readonly parts: ProviderParts;
  readonly report: Report;
  readonly command: string;
}

/** Starts all that shows and changes a simulator: state, faults, the control address and the page. */
export async function startSession(options: SessionOptions) {
  const { provider, parts, report, command } = options;
  const { simulation } = provider;
  let state = new State(simulation, command);
  const updates = new LiveUpdates(() => state.page());
  const calls = testCalls(provider, parts);
  let begunAt = 0;
  const verbs = {
    reset: () => provider.reset(),
    takeBack: (id: number) => simulation.scripts.remove(id),
    newSession: () => {
      provider.reset();
      begunAt = Date.now();
      state = new State(simulation, command, state.newestId);
      report('cleared', { counts: state.counts });
    },
  };
  /** Keys, options, the control address and the page all run their chains here. */
  const run = (target: Target, chain: unknown, by: ChosenFault['by']): unknown => {
    const result = runChain(provider, target, chain, verbs);
    const { at, chain: code } = state.act(target, chain as Chain, { by, result });
    report('fault', { at, by, chain: code, result });
    return result;
  };
  const control = await startControlServer({ ...options, run, updates, testCall: calls.send });
  simulation.observers.push((observed) => {
    // Begun in an earlier session, and ended by the new one.
    if (observed.at.getTime() <= begunAt) return;
    report('request', { ...state.add(observed), counts: state.counts });
  });
  const close = async (): Promise<void> => {
    await calls.close();
    // What is under way ends with the simulator. It has no line after the last one.
    begunAt = Infinity;
    await control.close();
    report('ended', { counts: state.counts });
  };
  return { control, run, close };
}
