import { onTestFinished } from 'vitest';
import type { LoadStatus } from '../../../lib/cli/simulate/load.js';
import { readPage } from '../../../lib/cli/simulate/page-files.js';
import type { SimulateReporter } from '../../../lib/cli/simulate/reporter.js';
import { Session } from '../../../lib/cli/simulate/session.js';
import type { AnyProvider } from '../../../lib/testing/any-provider.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { PAGE_FOLDER } from './simulate.js';
import { startSimulator } from './simulator.js';

const SILENT: SimulateReporter = {
  started: () => undefined,
  request: () => undefined,
  fault: () => undefined,
  scenario: () => undefined,
  cleared: () => undefined,
  ended: () => undefined,
};

/** What `provider-auth simulate` shows and changes, with a simulator that records its requests. */
export interface RecordedSession {
  readonly provider: ProviderSimulator;
  readonly session: Session;
  readonly load: () => LoadStatus;
  /** The last sentence of each scenario that has ended. */
  readonly said: readonly string[];
}

/** A session that ends with the test. */
export async function startSession(
  definition?: AnyProvider,
  options?: ProviderSimulatorOptions,
): Promise<RecordedSession> {
  const provider = definition === undefined ? await startSimulator(options) : await simulate(definition);
  const page = await readPage(PAGE_FOLDER);
  const command = 'node dist/main.js';
  const said: string[] = [];
  const reporter = { ...SILENT, scenario: (text: string) => void said.push(text) };
  const session = await Session.start({
    provider,
    definition,
    reporter,
    page,
    command,
    key: 'key-of-session',
  });
  onTestFinished(() => session.close());
  return { provider, session, load: () => session.load.status, said };
}

async function simulate(definition: AnyProvider): Promise<ProviderSimulator> {
  const provider = (await ProviderSimulator.start({ provider: definition })) as ProviderSimulator;
  onTestFinished(() => provider.close());
  return provider;
}
