import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { ControlServer, type Page } from './control-server.js';
import { LiveUpdates } from './live-updates.js';
import type { ChosenFault, SimulateReporter } from './shown.js';
import { State } from './state.js';
import { TestCall } from './test-call.js';
import { type Chain, runChain, type Target } from './verbs.js';

interface SessionOptions {
  readonly provider: ProviderSimulator;
  /** Undefined for the built-in provider. */
  readonly definition?: AnyProvider | undefined;
  readonly reporter: SimulateReporter;
  /** Undefined with `--no-page`. */
  readonly page?: Page | undefined;
  /** The line that starts an application. */
  readonly command: string;
  /** The port of the control address, if it is free. */
  readonly port?: number;
  /** The key in the control address. */
  readonly key: string;
}

/** A simulator with all that shows it and changes it: state, faults, the control address and the page. */
export class Session {
  private constructor(
    readonly state: State,
    readonly control: ControlServer,
    readonly run: (target: Target, chain: unknown, by: ChosenFault['by']) => unknown,
    readonly close: () => Promise<void>,
  ) {}

  static async start({
    provider,
    definition,
    reporter,
    command,
    ...control
  }: SessionOptions): Promise<Session> {
    const state = new State(provider, definition?.name, command);
    const updates = new LiveUpdates(() => state.page());
    const testCall = new TestCall(provider, definition);
    let begunAt = 0;
    const simulator = {
      reset: () => provider.reset(),
      takeBack: (id: number) => provider.takeBack(id),
      newSession: () => {
        provider.reset();
        begunAt = Date.now();
        state.clear();
        reporter.cleared(state.counts);
      },
    };
    /** Keys, options, the control address and the page all run their chains here. */
    const run = (target: Target, chain: unknown, by: ChosenFault['by']): unknown => {
      const result = runChain(provider, target, chain, simulator);
      const fault = { by, ...(result !== undefined && { result }) };
      const { at, chain: code } = state.act(target, chain as Chain, fault);
      reporter.fault({ at, ...fault, chain: code });
      updates.changed();
      return result;
    };
    const server = await ControlServer.start({ run, updates, testCall, ...control });
    provider.onRequest((observed) => {
      // Begun in an earlier session, and ended by the new one.
      if (observed.at.getTime() <= begunAt) return;
      reporter.request(state.add(observed), state.counts);
      updates.changed();
    });
    const close = async (): Promise<void> => {
      await testCall.close();
      // What is under way ends with the simulator. It has no line after the last one.
      begunAt = Infinity;
      await server.close();
    };
    return new Session(state, server, run, close);
  }
}
