import type { Catalogue } from '../catalogue/catalogue.js';
import { nearestName, shownName } from '../config/rules/names.js';
import { BUILT_IN } from '../module/built-in.js';
import { PACKAGE } from '../module/package.js';
import { partsOf } from '../module/parts.js';
import { flag, helpOf, helpOnAll, list, readOptions, text, type ValuesOf } from './command-line.js';
import { discover } from './discover.js';
import { examine } from './doctor.js';
import { CannotRun, loadEnvironment } from './environment.js';
import { missingPackage } from './missing-package.js';
import { definitionsIn } from './provider-module.js';
import { SIMULATE } from './simulate/command.js';
import type { Keyboard } from './simulate/keyboard.js';
import { simulate } from './simulate/simulate.js';
import type { Output } from './terminal.js';
import { TextReporter } from './text-reporter.js';

/** 0: everything works. 1: something does not work. 2: the command could not run. */
export type ExitCode = 0 | 1 | 2;

interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin?: Keyboard;
}

/** A path is no whole address and does not begin with a host. The HTTP client checks the rest. */
const PATH = /^(?![a-z][a-z\d+.-]*:|\/\/)[^\s\\#]+$/i;

const DOCTOR = {
  name: 'doctor',
  description:
    'Checks the configuration in the environment variables, then requests one token for each configured interface and ' +
    'environment, and connects to its API. ' +
    'Shows no credential and no token. Exits with 0 if everything works, 1 if something does not, 2 if it could not run.',
  options: {
    provider: list(
      '<module>',
      'check the definitions that this module exports, in place of the built-in provider',
    ),
    builtIn: flag('check the built-in provider as well'),
    settings: list('<file>', 'read the variables from this file instead of .env'),
    interface: text('<name>', 'check this interface only'),
    environment: text('<name>', 'check this environment only'),
    probe: {
      ...text('<path>', 'request this path under each base URL with the token: one GET'),
      takes: 'a path under the base URL, such as /payments',
      read: (given: string) => (PATH.test(given) ? given : undefined),
    },
    issuer: text('<url>', 'read what this provider publishes, and check nothing else'),
    json: flag('print one JSON object instead of lines'),
  },
};

type DoctorOptions = ValuesOf<typeof DOCTOR>;

/**
 * Runs the command and returns its exit code.
 *
 * @param pageFolder where the page of `simulate` is. Only the command itself knows its own folder.
 */
export async function run(
  [name = '', ...args]: readonly string[],
  streams: Streams,
  pageFolder = '',
): Promise<ExitCode> {
  const { stdout, stderr } = streams;
  try {
    if (name === '--version') return print(stdout, `${PACKAGE.version}\n`);
    if (name === '--help') return print(stdout, helpOnAll([DOCTOR, SIMULATE]));
    const command = [DOCTOR, SIMULATE].find((one) => one.name === name);
    if (command === undefined) throw new CannotRun(`${flawOfName(name)}\n\n${helpOnAll([DOCTOR, SIMULATE])}`);
    if (args.includes('--help')) return print(stdout, helpOf(command));
    if (command === DOCTOR) return await doctor(readOptions(DOCTOR, args), stdout);
    await simulate(readOptions(SIMULATE, args), { ...streams, pageFolder, builtIn: BUILT_IN });
    return 0;
  } catch (error) {
    // An error of other code may contain settings. So only the name of the error is printed (S10).
    const kind = error instanceof Error && /^\w{1,64}$/.test(error.name) ? error.name : 'something';
    const unexpected = `${kind} was thrown. Please report it.`;
    const why = error instanceof CannotRun ? error.message : (missingPackage(error) ?? unexpected);
    stderr.write(`${PACKAGE.name} could not run: ${why}\n`);
    return 2;
  }
}

function flawOfName(name: string): string {
  const nearest = nearestName(name, [DOCTOR.name, SIMULATE.name]);
  if (nearest !== undefined) return `${shownName(name)} is not a command. Did you mean ${nearest}?`;
  return 'it needs a command.';
}

function print(output: Output, text: string): ExitCode {
  output.write(text);
  return 0;
}

async function doctor(options: DoctorOptions, stdout: Output): Promise<ExitCode> {
  const { issuer, json = false, settings, ...ofChecks } = options;
  if (issuer !== undefined && Object.keys(ofChecks).length > 0)
    throw new CannotRun(
      '--issuer only reads metadata. Omit the options that choose what is checked, or start two commands.',
    );
  await loadEnvironment(settings);
  if (issuer !== undefined) return discover(issuer, json, stdout);
  const catalogues = await cataloguesOf(options);
  refuseUnknownNames(options, catalogues);
  const reporter = json ? undefined : new TextReporter(stdout);
  const report = await examine(catalogues, process.env, options, reporter);
  if (json) stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return report.ok ? 0 : 1;
}

/** Two modules may export the same definition. */
async function cataloguesOf({ provider = [], builtIn }: DoctorOptions): Promise<readonly Catalogue[]> {
  const definitions = (await Promise.all(provider.map(definitionsIn))).flat();
  const ofModules = definitions.flatMap((definition) => partsOf(definition)?.catalogue ?? []);
  return [...new Set(builtIn || ofModules.length === 0 ? [...ofModules, BUILT_IN.catalogue] : ofModules)];
}

/** The names are known only after the modules were imported. Two definitions may have different ones. */
function refuseUnknownNames(options: DoctorOptions, catalogues: readonly Catalogue[]): void {
  let pairs = catalogues.flatMap((catalogue) => catalogue.pairs);
  for (const option of ['interface', 'environment'] as const) {
    const name = options[option];
    if (name === undefined) continue;
    const known = new Set(pairs.map((pair) => pair[option]));
    if (!known.has(name)) {
      const of = option === 'environment' && options.interface ? ` for ${options.interface}` : '';
      throw new CannotRun(`--${option} takes one of ${[...known].join(', ')}${of}.`);
    }
    pairs = pairs.filter((pair) => pair[option] === name);
  }
}
