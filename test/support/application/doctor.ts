import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { run } from '../../../lib/cli/program.js';
import type { Report } from '../../../lib/cli/report.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { CanaryScanner, type Leak } from '../secrets/canary-scanner.js';
import { redirected } from '../secrets/captured-output.js';
import { trust } from '../http/trusted-authority.js';
import { ROOT } from '../package/packed-package.js';
import { type CommandResult, runCommand, strangersEnvironment } from '../run/run-command.js';
import { ALL_PAIRS } from './simulator.js';
import { givenFolder } from '../run/given-folder.js';

/** The command as it is installed. */
export const COMMAND = join(ROOT, 'dist/esm/cli/main.js');

/** What starts the command. Windows does not read its first line: npm puts a script there that starts Node in the same way. */
export const [PROGRAM, BEFORE]: readonly [string, readonly string[]] =
  process.platform === 'win32' ? [process.execPath, ['--', COMMAND]] : [COMMAND, []];

export interface Consultation {
  readonly args?: readonly string[];
  /** Variables in addition to those of the provider. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Files in the folder where the doctor runs. */
  readonly files?: Readonly<Record<string, string>>;
}

type Consulted = Pick<ProviderSimulator, 'ca' | 'env'>;

export interface Diagnosis extends CommandResult {
  /** What `--json` printed. */
  readonly report: Report;
}

/**
 * Runs `provider-auth doctor` with variables that point at this provider. It runs in this process, because a process for each
 * case takes longer than the case. `consultCommand` runs the command as it is installed.
 */
export function consult(provider: Consulted, { args = [], ...given }: Consultation = {}): Promise<Diagnosis> {
  const { cwd, env } = surroundings(provider, given);
  // The variables and the folder belong to the whole process, so one doctor runs after the other.
  const diagnosis = lastInProcess.then(() => inProcess(args, cwd, env));
  lastInProcess = diagnosis.catch(() => undefined);
  return diagnosis;
}

/** The same in a separate process, with the built command. */
export async function consultCommand(
  provider: Consulted,
  {
    args = [],
    terminal = false,
    ...given
  }: Consultation & {
    /** A pseudo terminal instead of a pipe. */
    readonly terminal?: boolean;
  } = {},
): Promise<Diagnosis> {
  const options = surroundings(provider, given);
  // The shell starts the file by its first line, as npx does. `node <file> --env-file` would take the option for Node.
  return diagnosisOf(
    terminal
      ? await runCommand('script', ['-qec', [COMMAND, 'doctor', ...args].join(' '), '/dev/null'], options)
      : await runCommand(PROGRAM, [...BEFORE, 'doctor', ...args], options),
  );
}

/** A folder that holds the authority of the provider, and the variables that name it. */
function surroundings(
  provider: Consulted,
  { env = {}, files = {} }: Consultation,
): { cwd: string; env: Record<string, string> } {
  const cwd = givenFolder();
  for (const [name, text] of Object.entries({ 'ca.pem': provider.ca, ...files })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const all = { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem'), TERM: 'xterm', ...provider.env(), ...env };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { cwd, env: Object.fromEntries(given) };
}

function diagnosisOf(result: CommandResult): Diagnosis {
  return {
    ...result,
    get report(): Report {
      return JSON.parse(result.stdout) as Report;
    },
  };
}

let lastInProcess: Promise<unknown> = Promise.resolve();

async function inProcess(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Diagnosis> {
  const { env: before } = process;
  process.env = { ...strangersEnvironment(), ...env };
  const leave = enter(cwd);
  const { NODE_EXTRA_CA_CERTS: file } = env;
  const distrust = trust(file === undefined ? '' : readFileSync(resolve(file), 'utf8'));
  const written = { stdout: '', output: '' };
  const stdout = (text: string | Uint8Array): boolean => {
    written.stdout += String(text);
    return stderr(text);
  };
  const stderr = (text: string | Uint8Array): boolean => {
    written.output += String(text);
    return true;
  };
  // What other code prints would also be in the output of the command.
  const restore = [redirected(process.stdout, stdout), redirected(process.stderr, stderr)];
  try {
    const code = await run(['doctor', ...args], { stdout: { write: stdout }, stderr: { write: stderr } });
    return diagnosisOf({ code, ...written });
  } finally {
    for (const one of [...restore, distrust, leave]) one();
    process.env = before;
  }
}

/** A mutation run tests in threads, which cannot change their folder. What asks for the folder gets this one there. */
function enter(folder: string): () => void {
  const cwd = process.cwd.bind(process);
  const before = cwd();
  if (isMainThread) process.chdir(folder);
  else process.cwd = () => folder;
  return () => {
    if (isMainThread) process.chdir(before);
    else process.cwd = cwd;
  };
}

/** Credentials and tokens of this provider in a text, in any form. */
export function leaksIn(text: string, provider: ProviderSimulator): Leak[] {
  const scanner = new CanaryScanner({});
  for (const [name, environment] of ALL_PAIRS) {
    const { clientId, clientSecret } = provider.credentials(name, environment);
    // A client id begins with the name of the pair, which is no secret.
    scanner.add(`client id of ${name} ${environment}`, clientId.slice(`${name}-${environment}-`.length));
    scanner.add(`secret of ${name} ${environment}`, clientSecret);
  }
  for (const { token } of provider.tokenRequests) if (token !== undefined) scanner.add('token', token);
  return scanner.scanText(text);
}
