import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { ArmedFaults } from './armed-faults.js';
import { ControlServer } from './control-server.js';
import { LiveUpdates } from './live-updates.js';
import { Load, SHORT_LAST_ANSWERS_MS } from './load.js';
import { Overview } from './overview.js';
import type { PageFile } from './page-files.js';
import type { ChosenFault, ShownAction, SimulateReporter } from './reporter.js';
import { lineOf, resetTo } from './session-spec.js';
import { type Chain, codeOf, runChain, type Target } from './verbs.js';

interface SessionOptions {
  readonly provider: ProviderSimulator;
  /** Undefined for the built-in provider. */
  readonly definition?: AnyProvider | undefined;
  /** The module that exports the definition. */
  readonly module?: string | undefined;
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

/** A simulator with all that shows it and changes it: counts, faults, callers, the control address and the page. */
export class Session {
  private constructor(
    readonly overview: Overview,
    readonly control: ControlServer,
    readonly load: Load,
    readonly run: (target: Target, chain: unknown, by: ChosenFault['by']) => unknown,
    readonly close: () => Promise<void>,
  ) {}

  static async start(options: SessionOptions): Promise<Session> {
    const { provider, definition, module, reporter, page, command, port, key } = options;
    const overview = new Overview(provider);
    const armed = new ArmedFaults(provider);
    let begunAt = 0;
    const clear = (): void => {
      provider.reset();
      begunAt = Date.now();
      for (const part of [overview, armed, load, updates]) part.clear();
      reporter.cleared(overview.counts);
    };
    const simulator = {
      reset: () => provider.reset(),
      takeBack: (id: number) => provider.takeBack(id),
      /** What callers were about to do would be the first thing in the new session. One that fails to end must not prevent it. */
      newSession: async () => {
        await load.stop(SHORT_LAST_ANSWERS_MS).catch(() => undefined);
        // What callers sent just before they were ended has not been read yet.
        await nextTurn();
        clear();
      },
    };
    /** Keys, options, scenarios, the control address and the page all run their chains here. */
    const run = (target: Target, chain: unknown, by: ChosenFault['by']): unknown => {
      const result = runChain(provider, target, chain, simulator);
      armed.add(target, chain as Chain);
      const { takeBack, newSession } = chain as Chain;
      const removed = armed.list().find(({ id }) => id === takeBack);
      const code = codeOf(target, chain as Chain);
      act(by, removed === undefined ? code : `${code} // ${removed.code}`, {
        ...(result !== undefined && !(result instanceof Promise) && { result }),
        on: target,
        body: JSON.stringify(chain),
        code:
          takeBack === undefined ? lineOf(newSession ? 'simulator.reset()' : code) : resetTo(armed.waiting()),
      });
      return result;
    };
    const act = (
      by: ChosenFault['by'],
      chain: string,
      { on, body, code, ...others }: Pick<ShownAction, 'on' | 'body' | 'code' | 'result'>,
    ): void => {
      const fault = { at: new Date().toISOString(), by, chain, ...others };
      reporter.fault(fault);
      updates.act({ ...fault, ...(on !== undefined && { on }), body, code });
    };
    const load = new Load({
      provider,
      definition,
      run: (target, chain) => run(target, chain, 'scenario'),
      started: (pair) => overview.noteStart(pair),
      rotated: ({ interface: name, environment }) => {
        const chain = `rotateSecret(${JSON.stringify(name)}, ${JSON.stringify(environment)})`;
        const body = JSON.stringify({ for: [name, environment], rotateSecret: true });
        act('scenario', chain, { body, code: `provider.${chain};` });
      },
      unsent: (pair) => {
        overview.noteUnsent(pair);
        updates.changed();
      },
      changed: () => updates.changed(),
      said: (text) => reporter.scenario(text),
    });
    const updates = new LiveUpdates({
      overview,
      armed,
      load,
      origin: provider.origin,
      command,
      definition: definition && { name: definition.name, module: module ?? '' },
    });
    const control = await ControlServer.start({ run, updates, load, page, port, key });
    provider.onRequest((observed) => {
      // Begun in an earlier session, and ended by the new one.
      if (observed.at.getTime() <= begunAt) return;
      load.noteRequest(observed);
      const request = overview.add(observed);
      reporter.request(request, overview.counts);
      updates.add(request);
    });
    const close = async (): Promise<void> => {
      await load.stop(SHORT_LAST_ANSWERS_MS);
      // What is under way ends with the simulator. It has no line after the last one.
      begunAt = Infinity;
      await control.close();
    };
    return new Session(overview, control, load, run, close);
  }
}
