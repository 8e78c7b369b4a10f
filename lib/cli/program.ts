import { Command, CommanderError, Option } from 'commander';
import type { Catalogue } from '../catalogue/catalogue.js';
import { BUILT_IN } from '../module/built-in.js';
import { PACKAGE } from '../module/package.js';
import { discover } from './discover.js';
import { examine } from './doctor.js';
import { CannotRun, loadEnvironment } from './environment.js';
import { missingPackage } from './missing-package.js';
import type { PairFilter } from './plan.js';
import { cataloguesIn } from './provider-module.js';
import type { Output } from './terminal.js';
import { addSimulate } from './simulate/command.js';
import type { Keyboard } from './simulate/keyboard.js';
import { simulate } from './simulate/simulate.js';
import { TextReporter } from './text-reporter.js';

/** 0: everything works. 1: something does not work. 2: the command could not run. */
export type ExitCode = 0 | 1 | 2;

/** A path is no whole address and does not begin with a host. The HTTP client checks the rest. */
const PATH = /^(?![a-z][a-z\d+.-]*:|\/\/)[^\s\\#]+$/i;

interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The keys of `simulate`, if it is a terminal. */
  readonly stdin?: Keyboard;
}

/** The older name of `--settings`. Behind `npx`, the Node that runs npx takes `--env-file` for itself. */
const ENV_FILE = /^--env-file(?==|$)/;

/** Where the page of `simulate` is. Only the command itself knows its own folder. */
const NO_PAGE_FOLDER = '';

interface DoctorOptions extends PairFilter {
  /** The file with the variables. */
  readonly settings?: string;
  readonly json?: boolean;
  readonly probe?: string;
  /** The provider whose metadata is read. Nothing else is done then. */
  readonly issuer?: string;
  /** The modules that export the definitions to check. */
  readonly provider?: readonly string[];
  readonly builtIn?: boolean;
}

/** Runs the command and returns its exit code. */
export async function run(
  args: readonly string[],
  streams: Streams,
  pageFolder = NO_PAGE_FOLDER,
): Promise<ExitCode> {
  let exitCode: ExitCode = 2;
  const program = commands(streams, async (options) => {
    exitCode = await doctor(options, streams.stdout);
  });
  addSimulate(program, async (options) => {
    await simulate(options, { ...streams, pageFolder });
    exitCode = 0;
  });
  refuseRepeated(program);
  try {
    const current = args.map((arg) => arg.replace(ENV_FILE, '--settings'));
    await program.parseAsync(current, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has already written its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // An error of other code may contain settings. So only the name of the error is printed (S10).
    const kind = error instanceof Error && /^\w{1,64}$/.test(error.name) ? error.name : 'something';
    const unexpected = `${kind} was thrown. Please report it.`;
    const why = error instanceof CannotRun ? error.message : (missingPackage(error) ?? unexpected);
    streams.stderr.write(`${PACKAGE.name} could not run: ${why}\n`);
    return 2;
  }
}

async function doctor(options: DoctorOptions, stdout: Output): Promise<ExitCode> {
  if (options.probe !== undefined && !PATH.test(options.probe))
    throw new CannotRun('--probe takes a path under the base URL, such as /payments.');
  await loadEnvironment(options.settings);
  if (options.issuer !== undefined) return discover(options.issuer, options.json === true, stdout);
  const catalogues = await cataloguesOf(options);
  refuseUnknownNames(options, catalogues);
  const reporter = options.json ? undefined : new TextReporter(stdout, process.env);
  const report = await examine(catalogues, process.env, options, reporter);
  if (options.json) stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return report.ok ? 0 : 1;
}

/** Two modules may export the same definition. */
async function cataloguesOf({ provider = [], builtIn }: DoctorOptions): Promise<readonly Catalogue[]> {
  const ofModules = (await Promise.all(provider.map(cataloguesIn))).flat();
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

function commands({ stdout, stderr }: Streams, onDoctor: (options: DoctorOptions) => Promise<void>): Command {
  const program = new Command(PACKAGE.name)
    .description('Operations for applications that use nestjs-provider-auth.')
    .version(PACKAGE.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(withoutValue(text)),
    });
  program
    .command('doctor')
    .description(
      'Checks the configuration in the environment variables, then requests one token for each configured interface and ' +
        'environment, and connects to its API. ' +
        'Shows no credential and no token. Exits with 0 if everything works, 1 if something does not, 2 if it could not run.',
    )
    .option(
      '--provider <module...>',
      'check the definitions that this module exports, in place of the built-in provider; can be repeated',
    )
    .option('--built-in', 'check the built-in provider as well')
    .option('--settings <file>', 'read the variables from this file instead of .env')
    .option('--interface <name>', 'check this interface only')
    .option('--environment <name>', 'check this environment only')
    .option('--probe <path>', 'request this path under each base URL with the token: one GET')
    .addOption(
      new Option(
        '--issuer <url>',
        'read the metadata of this provider instead, and print the lines for a definition and its variables',
      ).conflicts(['provider', 'builtIn', 'interface', 'environment', 'probe']),
    )
    .option('--json', 'print one JSON object instead of lines')
    .action(onDoctor);
  return program;
}

/** commander would use the last value only. It collects the values of an option with `...`. */
function refuseRepeated({ commands }: Command): void {
  for (const command of commands)
    for (const option of command.options) {
      const advice =
        option.name() === 'provider'
          ? 'For two providers, start two commands, each with its own --port.'
          : 'Give it once.';
      let isGiven = false;
      command.on(`option:${option.name()}`, () => {
        if (isGiven && !option.variadic)
          command.error(`error: option '${option.flags}' is given twice. ${advice}`);
        isGiven = true;
      });
    }
}

/** The user may pass a credential with an option that does not exist. The message repeats the name of the option, not its value (S10). */
function withoutValue(message: string): string {
  return message.replace(/('--?[^'=\n]*)=.*'/s, "$1=…'");
}
