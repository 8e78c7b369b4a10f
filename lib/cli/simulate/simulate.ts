import { dirname, join, relative, resolve } from 'node:path';
import { errorCode } from '../../errors/error-code.js';
import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { CannotRun } from '../environment.js';
import { definitionsIn } from '../provider-module.js';
import type { Output } from '../terminal.js';
import { accountNames, addAccounts } from './accounts.js';
import { chainOf, FAULTS } from './faults.js';
import { fixedCredentials } from './fixed-credentials.js';
import { JsonLines } from './json-lines.js';
import { type Keyboard, QUIT, readKeys } from './keyboard.js';
import { authorityKeeper, keptKey, writeOwnFile } from './own-files.js';
import { readPage } from './page-files.js';
import { Session } from './session.js';
import { TextLines } from './text-lines.js';
import { type Chain, ChainError } from './verbs.js';

export interface SimulateOptions {
  readonly port: number;
  readonly envFile: string;
  readonly ca: string;
  readonly keepCa?: string;
  readonly force?: boolean;
  /** How many accounts each pair has. */
  readonly accounts?: number;
  /** Seconds. */
  readonly lifetime?: number;
  /** Milliseconds. */
  readonly latency?: number;
  readonly tokenStatus?: Chain;
  readonly apiStatus?: Chain;
  /** The module that exports the definition to simulate. */
  readonly provider?: string;
  /** So many callers of this package run in this process. */
  readonly load?: number;
  readonly json?: boolean;
  readonly page: boolean;
}

/** What the command uses of its process. */
interface SimulateStreams {
  readonly stdout: Output;
  readonly stdin?: Keyboard;
  /** The folder with the files of the page. */
  readonly pageFolder: string;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the simulator until Ctrl-C, a signal or the key `q`. */
export async function simulate(options: SimulateOptions, streams: SimulateStreams): Promise<void> {
  if (resolve(options.envFile) === resolve(options.ca))
    throw new CannotRun('--env-file and --ca name the same file. Name two files.');
  const end = new Ending();
  try {
    await simulateUntil(end, options, streams);
  } finally {
    end.release();
  }
}

async function simulateUntil(end: Ending, options: SimulateOptions, streams: SimulateStreams): Promise<void> {
  const page = options.page ? await readPage(streams.pageFolder) : undefined;
  const keys: KeyFile[] = [];
  const definition = options.provider === undefined ? undefined : await definitionIn(options.provider);
  const provider = await startProvider(options, definition, keys);
  try {
    await writeFiles(provider, options, keys);
    const text = options.json ? undefined : new TextLines(streams.stdout, process.env);
    const reporter = text ?? new JsonLines(streams.stdout);
    const command = startLine(options);
    const session = await Session.start({
      provider,
      definition,
      reporter,
      page,
      command,
      key: await keptKey(dirname(options.envFile)),
      // A free port differs at each start, and so may the next one.
      ...(options.port !== 0 && { port: options.port + 1 }),
    });
    const { control } = session;
    reporter.started({
      origin: provider.origin,
      envFile: options.envFile,
      ca: options.ca,
      command,
      control: control.address,
      ...(control.page !== undefined && { page: control.page }),
      ...(options.accounts !== undefined && { accounts: accountNames(options.accounts) }),
      ...(options.keepCa !== undefined && { keepCa: options.keepCa }),
    });
    if (options.tokenStatus) session.run('token', options.tokenStatus, 'option');
    if (options.apiStatus) session.run('api', options.apiStatus, 'option');
    if (options.load !== undefined) await startLoad(session, options.load);
    const stopKeys = listenToKeys(streams.stdin, text, session, end);
    await end.reached;
    stopKeys();
    await session.close();
    reporter.ended(session.overview.counts);
  } finally {
    await provider.close();
  }
}

async function startProvider(
  options: SimulateOptions,
  definition: AnyProvider | undefined,
  keys: KeyFile[],
): Promise<ProviderSimulator> {
  // Only this command needs the simulator, so only this command loads it.
  const { ProviderSimulator } = await import('../../testing/index.js');
  const { port, keepCa, lifetime, latency, envFile } = options;
  try {
    return await ProviderSimulator.start({
      port,
      credentials: fixedCredentials,
      keyFileOf: (pair, key, kind) => {
        const path = join(dirname(envFile), `${pair.interface}.${pair.environment}.${kind}.pem`);
        keys.push({ path, key });
        return path;
      },
      recordApiRequests: false,
      recordTokenRequests: false,
      ...(keepCa !== undefined && { authority: authorityKeeper(keepCa) }),
      ...(lifetime !== undefined && { lifetimeSeconds: lifetime }),
      ...(latency !== undefined && { latencyMs: latency }),
      ...(definition !== undefined && { provider: definition }),
    });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE')
      throw new CannotRun(
        `port ${port} is in use. End the other program, or choose another port with --port.`,
      );
    if (code === 'EACCES')
      throw new CannotRun(`port ${port} is not allowed for this user. Choose a port above 1023 with --port.`);
    throw error;
  }
}

/** A simulator is one provider, with one set of addresses. */
async function definitionIn(specifier: string): Promise<AnyProvider> {
  const [definition, ...others] = await definitionsIn(specifier);
  if (definition === undefined || others.length > 0)
    throw new CannotRun(`${specifier} exports several definitions. Name a module that exports one.`);
  return definition;
}

/** The private key of a client that has one in place of a secret. */
interface KeyFile {
  readonly path: string;
  readonly key: string;
}

async function writeFiles(
  provider: ProviderSimulator,
  options: SimulateOptions,
  keys: readonly KeyFile[],
): Promise<void> {
  const { envFile, ca, accounts, force = false } = options;
  const all = { ...provider.env(), ...addAccounts(provider, accounts) };
  const variables = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  await writeOwnFile({ path: ca, option: '--ca', content: provider.ca, mode: 0o644 }, force);
  for (const { path, key } of keys)
    await writeOwnFile({ path, option: '--env-file', content: key, mode: 0o600 }, force);
  await writeOwnFile(
    { path: envFile, option: '--env-file', content: variables.join(''), mode: 0o600 },
    force,
  );
}

/** Node reads `NODE_EXTRA_CA_CERTS` when it starts, so the variable stands before the command and not in the file. */
function startLine({ ca, envFile }: SimulateOptions): string {
  const node = `node --env-file=${quoted(envFile)} dist/main.js`;
  if (process.platform === 'win32') return `set "NODE_EXTRA_CA_CERTS=${ca}" && ${node}`;
  return `NODE_EXTRA_CA_CERTS=${quoted(ca)} ${node}`;
}

function quoted(path: string): string {
  const shown = path.startsWith('/') ? path : relative('.', path);
  return /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

function listenToKeys(
  keyboard: Keyboard | undefined,
  text: TextLines | undefined,
  { run }: Session,
  end: Ending,
): () => void {
  if (keyboard?.isTTY !== true) return () => undefined;
  text?.keys();
  return readKeys(keyboard, (key) => {
    if (QUIT.has(key)) return end.reach();
    const fault = FAULTS.find((one) => one.key === key);
    if (fault !== undefined) run(fault.on, chainOf(fault), 'key');
  });
}

/** The end of the command: a signal, or a key. */
class Ending {
  readonly reached: Promise<void>;
  reach: () => void = () => undefined;
  readonly #onSignal = (): void => this.reach();

  constructor() {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }
}

async function startLoad({ load }: Session, callers: number): Promise<void> {
  try {
    await load.start({ callers });
  } catch (error) {
    throw error instanceof ChainError ? new CannotRun(error.message) : error;
  }
}
