import { once } from 'node:events';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasTlsClients } from '../../catalogue/catalogue.js';
import { errorCode } from '../../errors/error-code.js';
import { partsOf } from '../../module/parts.js';
import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { CannotRun } from '../environment.js';
import { definitionsIn } from '../provider-module.js';
import type { Output } from '../terminal.js';
import { accountNames, addAccounts } from './accounts.js';
import { chainOf, FAULTS } from './faults.js';
import { fixedCredentials } from './fixed-credentials.js';
import { jsonLines } from './json-lines.js';
import { type Keyboard, OPEN, QUIT, readKeys } from './keyboard.js';
import { openPage } from './open-page.js';
import {
  authorityKeeper,
  CA_FILE,
  keptKey,
  makeFolder,
  makeOwnFolder,
  type OwnFile,
  ownFolderOf,
  writeOwnFile,
} from './own-files.js';
import { readPage } from './page-files.js';
import { quotedPath } from './quoted-path.js';
import { Session } from './session.js';
import { TextLines } from './text-lines.js';
import type { Chain } from './verbs.js';

export interface SimulateOptions {
  readonly port: number;
  readonly settings: string;
  readonly ca?: string;
  readonly keepCa?: string;
  readonly demandClientCertificate?: boolean;
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
const SAME_SIGNAL_MS = 1000;

/** Runs the simulator until Ctrl-C, a signal or the key `q`. */
export async function simulate(options: SimulateOptions, streams: SimulateStreams): Promise<void> {
  const end = new AbortController();
  const onSignal = (): void => end.abort();
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // A later signal ends the process, even while a module is imported or the simulator closes. npm passes on a signal that the
  // terminal has sent to the command already: the second one must not count.
  end.signal.addEventListener('abort', () => setTimeout(stopListening, SAME_SIGNAL_MS).unref());
  try {
    await simulateUntil(end, options, streams);
  } finally {
    stopListening();
  }
}

/** @param end aborted by a signal, or by a key. */
async function simulateUntil(
  end: AbortController,
  options: SimulateOptions,
  streams: SimulateStreams,
): Promise<void> {
  const page = options.page ? await readPage(streams.pageFolder) : undefined;
  const folder = ownFolderOf(options.settings);
  const places: Places = { folder, ca: options.ca ?? join(folder, CA_FILE) };
  if (resolve(options.settings) === resolve(places.ca))
    throw new CannotRun('--settings and --ca name the same file. Name two files.');
  const definition = options.provider === undefined ? undefined : await definitionIn(options.provider);
  refuseSecondCertificate(options, definition);
  const files: OwnFile[] = [];
  const provider = await startProvider(options, places, definition, files);
  try {
    await writeFiles(provider, options, places, files);
    const text = options.json ? undefined : new TextLines(streams.stdout, process.env);
    const reporter = text ?? jsonLines(streams.stdout);
    const command = `node --env-file=${quotedPath(shownPath(options.settings))} dist/main.js`;
    const session = await Session.start({
      provider,
      definition,
      reporter,
      page,
      command,
      key: await keptKey(folder),
      // A free port differs at each start, and so may the next one.
      ...(options.port !== 0 && { port: options.port + 1 }),
    });
    const { control } = session;
    reporter.started({
      origin: provider.origin,
      settings: options.settings,
      ca: places.ca,
      command,
      control: control.address,
      ...(control.page !== undefined && { page: control.page }),
      ...(options.accounts !== undefined && { accounts: accountNames(options.accounts) }),
    });
    if (options.tokenStatus) session.run('token', options.tokenStatus, 'option');
    if (options.apiStatus) session.run('api', options.apiStatus, 'option');
    const stopKeys = listenToKeys(streams.stdin, text, session, end);
    if (!end.signal.aborted) await once(end.signal, 'abort');
    stopKeys();
    await session.close();
    reporter.ended(session.overview.counts);
  } finally {
    await provider.close();
  }
}

/** The certificate that `--demand-client-certificate` demands, and its key. */
const CERT_FILE = 'client.pem';
const KEY_FILE = 'client-key.pem';

/** Where the command writes what has no option. */
interface Places {
  readonly folder: string;
  readonly ca: string;
}

/** A file in the folder of this command that only this user can read. */
function privateFile(folder: string, name: string, content: string): OwnFile {
  return { path: join(folder, name), option: '--settings', content, mode: 0o600 };
}

/** @param files what is to be written once the port is known to be free. */
async function startProvider(
  { port, keepCa, demandClientCertificate: demandsClientCertificate, lifetime, latency }: SimulateOptions,
  { folder, ca }: Places,
  definition: AnyProvider | undefined,
  files: OwnFile[],
): Promise<ProviderSimulator> {
  // Only this command needs the simulator, so only this command loads it.
  const { ProviderSimulator } = await import('../../testing/index.js');
  const inFolder = (name: string, content: string): string => {
    files.push(privateFile(folder, name, content));
    return shownPath(join(folder, name));
  };
  try {
    return await ProviderSimulator.start({
      port,
      credentials: fixedCredentials,
      demandsClientCertificate,
      tlsFiles: {
        ca: shownPath(ca),
        ...(demandsClientCertificate && {
          cert: shownPath(join(folder, CERT_FILE)),
          key: shownPath(join(folder, KEY_FILE)),
        }),
      },
      keyFileOf: (pair, key, kind) => inFolder(`${pair.interface}.${pair.environment}.${kind}.pem`, key),
      authority: authorityKeeper(keepCa ?? folder, (file) => files.push(file)),
      recordApiRequests: false,
      recordTokenRequests: false,
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
      throw new CannotRun(
        `port ${port} is not allowed for this user, or is reserved by the system. Choose another port above 1023 with --port.`,
      );
    throw error;
  }
}

/** A connection has one certificate, and each client with `tls_client_auth` shows its own. */
function refuseSecondCertificate(
  { demandClientCertificate = false }: SimulateOptions,
  definition: AnyProvider | undefined,
): void {
  const catalogue = definition && partsOf(definition)?.catalogue;
  if (demandClientCertificate && catalogue !== undefined && hasTlsClients(catalogue))
    throw new CannotRun(
      'the clients of this definition present their own certificates. Omit --demand-client-certificate.',
    );
}

/** A simulator is one provider, with one set of addresses. */
async function definitionIn(specifier: string): Promise<AnyProvider> {
  const [definition, ...others] = await definitionsIn(specifier);
  if (definition === undefined || others.length > 0)
    throw new CannotRun(`${specifier} exports several definitions. Name a module that exports one.`);
  return definition;
}

async function writeFiles(
  provider: ProviderSimulator,
  { settings, accounts, force = false, keepCa }: SimulateOptions,
  { folder, ca }: Places,
  files: readonly OwnFile[],
): Promise<void> {
  const all = { ...provider.env(), ...addAccounts(provider, accounts) };
  const variables = Object.entries(all).map(([name, value]) => `${name}=${inFile(name, value)}\n`);
  const { cert, key } = provider.clientCertificate ?? {};
  const own = Object.entries({ [CERT_FILE]: cert, [KEY_FILE]: key }).flatMap(([name, content]) =>
    content === undefined ? [] : privateFile(folder, name, content),
  );
  await makeOwnFolder(folder);
  if (keepCa !== undefined) await makeFolder(keepCa, '--keep-ca');
  for (const file of [
    ...files,
    ...own,
    { path: ca, option: '--ca', content: provider.ca, mode: 0o644 },
    { path: settings, option: '--settings', content: variables.join(''), mode: 0o600 },
  ])
    await writeOwnFile(file, force);
}

/** Each kind of quotes, and what a value in them cannot contain: `@nestjs/config`, Node or a shell would change it. */
const QUOTES: readonly (readonly [quote: string, not: RegExp])[] = [
  ["'", /'/],
  ['"', /["$`\\]/],
  // A shell would run this one as a command.
  ['`', /`/],
];

/** `@nestjs/config` and Node read the same value. A shell reads it too if one of its quotes fits. */
function inFile(name: string, value: string): string {
  if (/^[\w%+,./:=@-]*$/.test(value)) return value;
  const [quote] = QUOTES.find(([, not]) => !not.test(value)) ?? [];
  if (quote === undefined)
    throw new CannotRun(`${name} has too many kinds of quotes for a settings file. Use another path.`);
  return quote + value + quote;
}

/** As the application in the current folder reads it. Node takes `/` on Windows, too. */
function shownPath(path: string): string {
  return (isAbsolute(path) ? path : relative('.', path)).replaceAll(sep, '/');
}

function listenToKeys(
  keyboard: Keyboard | undefined,
  text: TextLines | undefined,
  { run, control }: Session,
  end: AbortController,
): () => void {
  if (keyboard?.isTTY !== true) return () => undefined;
  text?.keys();
  return readKeys(keyboard, (key) => {
    if (QUIT.has(key)) return end.abort();
    if (key === OPEN && control.page !== undefined) return void open(control.page, text);
    const fault = FAULTS.find((one) => one.key === key);
    if (fault !== undefined) run(fault.on, chainOf(fault), 'key');
  });
}

async function open(page: string, text: TextLines | undefined): Promise<void> {
  if (!(await openPage(page))) text?.note(`No program of this system opened the page. Open ${page}`);
}
