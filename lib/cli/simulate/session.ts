import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { ArmedFaults } from './armed-faults.js';
import { ControlServer } from './control-server.js';
import { LiveUpdates } from './live-updates.js';
import { Overview } from './overview.js';
import type { PageFile } from './page-files.js';
import type { ChosenFault, SimulateReporter } from './reporter.js';
import { TestCall } from './test-call.js';
import { type Chain, codeOf, lineOf, runChain, type Target } from './verbs.js';

interface SessionOptions {
  readonly provider: ProviderSimulator;
  /** Undefined for the built-in provider. */
  readonly definition?: AnyProvider | undefined;
  readonly reporter: SimulateReporter;
  /** Undefined with `--no-page`. */
  readonly page?: ReadonlyMap<string, PageFile> | undefined;
  /** The line that starts an application. */
  readonly command: string;
  /** The port of the control address, if it is free. */
  readonly port?: number;
  /** The key in the control address. */
  readonly key: string;
}

/** A simulator with all that shows it and changes it: counts, faults, the control address and the page. */
export class Session {
  private constructor(
    readonly overview: Overview,
    readonly control: ControlServer,
    readonly run: (target: Target, chain: unknown, by: ChosenFault['by']) => unknown,
    readonly close: () => Promise<void>,
  ) {}

  static async start(options: SessionOptions): Promise<Session> {
    const { provider, definition, reporter, page, command, port, key } = options;
    const overview = new Overview(provider);
    const armed = new ArmedFaults(provider);
    const updates = new LiveUpdates({ overview, armed, origin: provider.origin, command });
    const testCall = new TestCall(provider, definition, (pair) => overview.noteStart(pair));
    let begunAt = 0;
    const simulator = {
      reset: () => provider.reset(),
      takeBack: (id: number) => provider.takeBack(id),
      newSession: () => {
        provider.reset();
        begunAt = Date.now();
        for (const part of [overview, armed, updates]) part.clear();
        reporter.cleared(overview.counts);
      },
    };
    /** Keys, options, the control address and the page all run their chains here. */
    const run = (target: Target, chain: unknown, by: ChosenFault['by']): unknown => {
      const result = runChain(provider, target, chain, simulator);
      armed.add(target, chain as Chain);
      const code = codeOf(target, chain as Chain);
      const removed = armed.list().find(({ id }) => id === (chain as Chain)['takeBack']);
      const fault = {
        at: new Date().toISOString(),
        by,
        chain: removed === undefined ? code : `${code} // ${removed.code}`,
        ...(result !== undefined && { result }),
      };
      reporter.fault(fault);
      updates.act({
        ...fault,
        on: target,
        code: lineOf(target, chain as Chain),
        body: JSON.stringify(chain),
      });
      return result;
    };
    const control = await ControlServer.start({ run, updates, testCall, page, port, key });
    provider.onRequest((observed) => {
      // Begun in an earlier session, and ended by the new one.
      if (observed.at.getTime() <= begunAt) return;
      const request = overview.add(observed);
      reporter.request(request, overview.counts);
      updates.add(request);
    });
    const close = async (): Promise<void> => {
      await testCall.close();
      // What is under way ends with the simulator. It has no line after the last one.
      begunAt = Infinity;
      await control.close();
    };
    return new Session(overview, control, run, close);
  }
}
