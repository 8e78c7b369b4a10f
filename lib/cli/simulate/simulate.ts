import { once } from 'node:events';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasTlsClients } from '../../catalogue/catalogue.js';
import { errorCode } from '../../errors/error-code.js';
import { partsOf, type ProviderParts } from '../../module/parts.js';
import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { CannotRun, SIMULATOR_FOLDER } from '../environment.js';
import { definitionsIn } from '../provider-module.js';
import type { Output } from '../terminal.js';
import type { SimulateOptions } from './command.js';
import { readPage } from './control-server.js';
import { chainOf, FAULTS } from './faults.js';
import { type Keyboard, QUIT, readKeys } from './keyboard.js';
import {
  CA_FILE,
  CA_KEY_FILE,
  keptAuthority,
  keptKey,
  makeOwnFolder,
  type OwnFile,
  ownFolderOf,
  refuseSettingsInUse,
  writeOwnFiles,
} from './own-files.js';
import { startSession } from './session.js';
import {
  accountNames,
  ACCOUNTS_VARIABLE,
  addAccounts,
  fixedCredentials,
  quotedPath,
  settingsLine,
} from './settings-file.js';
import type { Report } from './shown.js';
import { TextLines } from './text-lines.js';

interface SimulateContext {
  readonly stdout: Output;
  readonly stdin?: Keyboard;
  readonly pageFolder: string;
  readonly builtIn: ProviderParts;
}

const USUAL_PORT = 8443;

/** npm passes on a signal that the terminal has sent to the command already, so a second one changes nothing. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the simulator until Ctrl-C, a signal or the key `q`. */
export async function simulate(
  options: SimulateOptions,
  { stdout, stdin, pageFolder, builtIn }: SimulateContext,
): Promise<void> {
  const { port = USUAL_PORT } = options;
  const page = options.noPage ? undefined : await readPage(pageFolder);
  const definition = options.provider === undefined ? undefined : await definitionIn(options.provider);
  const parts = partsOf(definition) ?? builtIn;
  // A connection has one certificate.
  if (options.demandClientCertificate && hasTlsClients(parts.catalogue))
    throw new CannotRun(
      'the clients of this definition present their own certificates. Omit --demand-client-certificate.',
    );
  const places = placesOf(options, definition);
  const provider = await startProvider(options, places, definition);
  const end = new AbortController();
  const onSignal = (): void => end.abort();
  try {
    await writeFiles(provider, options, places);
    const text = options.json ? undefined : new TextLines(stdout);
    const report = text?.report ?? jsonLines(stdout);
    const command = `node --env-file=${quotedPath(shownPath(places.settings))} dist/main.js`;
    const session = await startSession({
      provider,
      parts,
      report,
      page,
      command,
      key: await keptKey(places.folder),
      // A free port differs at each start, and so may the next one.
      port: port === 0 ? 0 : port + 1,
    });
    for (const signal of SIGNALS) process.on(signal, onSignal);
    report('started', {
      origin: provider.origin,
      settings: places.settings,
      ca: places.ca,
      command,
      control: session.control.address,
      page: session.control.page,
      accounts: accountNames(options.accounts),
    });
    if (options.tokenStatus) session.run('token', options.tokenStatus, 'option');
    if (options.apiStatus) session.run('api', options.apiStatus, 'option');
    if (stdin?.isTTY === true) {
      text?.keys();
      readKeys(stdin, end.signal, (key) => {
        const fault = FAULTS.find((one) => one.key === key);
        if (QUIT.has(key)) end.abort();
        else if (fault !== undefined) session.run(fault.on, chainOf(fault), 'key');
      });
    }
    if (!end.signal.aborted) await once(end.signal, 'abort');
    await session.close();
  } finally {
    await provider.close();
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** One JSON object per line, for programs. Later versions may add members and events. */
function jsonLines(output: Output): Report {
  return (event, facts) => void output.write(`${JSON.stringify({ event, ...facts })}\n`);
}

type Places = ReturnType<typeof placesOf>;

/** Where the command writes. `folder` is for what has no option, and `prefix` keeps the key files of two definitions apart. */
function placesOf({ settings: given, ca }: SimulateOptions, definition: AnyProvider | undefined) {
  const settings = given ?? `${SIMULATOR_FOLDER}/${definition?.name ?? ''}.env`;
  const folder = ownFolderOf(settings);
  const prefix = definition === undefined ? '' : `${definition.name}.`;
  const places = { settings, folder, prefix, ca: ca ?? join(folder, CA_FILE) };
  if (resolve(settings) === resolve(places.ca))
    throw new CannotRun('--settings and --ca name the same file. Name two files.');
  return places;
}

async function startProvider(
  { port = USUAL_PORT, keepCa, demandClientCertificate, lifetime, latency }: SimulateOptions,
  { folder }: Places,
  definition: AnyProvider | undefined,
): Promise<ProviderSimulator> {
  // Only this command needs the simulator, so only this command loads it.
  const { ProviderSimulator } = await import('../../testing/index.js');
  try {
    return await ProviderSimulator.start({
      port,
      credentials: fixedCredentials,
      demandsClientCertificate: demandClientCertificate,
      authority: await keptAuthority(keepCa ?? folder),
      recordApiRequests: false,
      recordTokenRequests: false,
      lifetimeSeconds: lifetime,
      latencyMs: latency,
      ...(definition !== undefined && { provider: definition }),
    });
  } catch (error) {
    const flaw = FLAWS_OF_PORT.get(errorCode(error));
    throw flaw === undefined ? error : new CannotRun(`port ${port} ${flaw} with --port.`);
  }
}

const FLAWS_OF_PORT = new Map<string | undefined, string>([
  ['EADDRINUSE', 'is in use. End the other program, or choose another port'],
  ['EACCES', 'is not allowed for this user, or is reserved by the system. Choose another port above 1023'],
]);

/** A simulator is one provider, with one set of addresses. */
async function definitionIn(specifier: string): Promise<AnyProvider | undefined> {
  const [definition, ...others] = await definitionsIn(specifier);
  if (others.length > 0)
    throw new CannotRun(`${specifier} exports several definitions. Name a module that exports one.`);
  return definition;
}

async function writeFiles(
  provider: ProviderSimulator,
  { accounts, force = false, keepCa }: SimulateOptions,
  { settings, ca, folder, prefix }: Places,
): Promise<void> {
  await refuseSettingsInUse(settings, provider.origin, provider.ca);
  const privateFiles: OwnFile[] = [];
  /** Adds a file that only this user may read, and returns its path for the settings. */
  const privateFile = (name: string, content: string): string => {
    const path = join(folder, name);
    privateFiles.push({ path, option: '--settings', content, mode: 0o600 });
    return shownPath(path);
  };
  const { certificate } = provider.simulation.server;
  const variables = provider.envWith({
    write: (name, content) => privateFile(prefix + name, content),
    tls: {
      ca: shownPath(ca),
      ...(certificate.client && {
        cert: privateFile('client.pem', certificate.client.cert),
        key: privateFile('client-key.pem', certificate.client.key),
      }),
    },
  });
  if (accounts !== undefined) variables[ACCOUNTS_VARIABLE] = addAccounts(provider, accounts);
  const content = Object.entries(variables).map(settingsLine).join('');
  const kept = keepCa ?? folder;
  const files: OwnFile[] = [
    ...privateFiles,
    { path: join(kept, CA_KEY_FILE), option: '--keep-ca', content: certificate.caKey, mode: 0o600 },
    { path: join(kept, CA_FILE), option: '--keep-ca', content: certificate.ca, mode: 0o644 },
    { path: ca, option: '--ca', content: certificate.ca, mode: 0o644 },
    // Last, because they name the other files.
    { path: settings, option: '--settings', content, mode: 0o600 },
  ];
  await makeOwnFolder(folder);
  await writeOwnFiles(files, force);
}

/** As the application in the current folder reads it. Node takes `/` on Windows, too. */
function shownPath(path: string): string {
  return (isAbsolute(path) ? path : relative('.', path)).replaceAll(sep, '/');
}
