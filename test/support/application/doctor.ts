import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Report, Reporter } from '../../../lib/cli/report.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { CanaryScanner, type Leak } from '../secrets/canary-scanner.js';
import { ROOT } from '../package/packed-package.js';
import { type CommandResult, runCommand } from '../run/run-command.js';
import { ALL_PAIRS } from './simulator.js';

/** The command as it is installed. */
export const COMMAND = join(ROOT, 'dist/esm/cli/main.js');

/** What starts the command. Windows does not read its first line: npm puts a script there that starts Node in the same way. */
export const [PROGRAM, BEFORE]: readonly [string, readonly string[]] =
  process.platform === 'win32' ? [process.execPath, ['--', COMMAND]] : [COMMAND, []];

export interface Consultation {
  readonly args?: readonly string[];
  /** Variables in addition to those of the provider. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A pseudo terminal instead of a pipe. */
  readonly terminal?: boolean;
  /** Files in the folder where the command runs. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Diagnosis extends CommandResult {
  /** What `--json` printed. */
  readonly report: Report;
}

/** Runs `provider-auth doctor` with variables that point at this provider. */
export async function consult(
  provider: Pick<ProviderSimulator, 'ca' | 'env'>,
  { args = [], env = {}, terminal = false, files = {} }: Consultation = {},
): Promise<Diagnosis> {
  const cwd = mkdtempSync(join(tmpdir(), 'provider-auth-doctor-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'ca.pem'), provider.ca);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const all = { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem'), TERM: 'xterm', ...provider.env(), ...env };
  const variables = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  // The shell starts the file by its first line, as npx does. `node <file> --env-file` would take the option for Node.
  const result = terminal
    ? await runCommand('script', ['-qec', [COMMAND, 'doctor', ...args].join(' '), '/dev/null'], {
        cwd,
        env: variables,
      })
    : await runCommand(PROGRAM, [...BEFORE, 'doctor', ...args], { cwd, env: variables });
  return {
    ...result,
    get report(): Report {
      return JSON.parse(result.stdout) as Report;
    },
  };
}

/** For tests that run the doctor in their own process. */
export const SILENT_REPORTER: Reporter = {
  problems: () => {},
  pair: () => {},
  begins: () => {},
  ended: () => {},
  pairEnded: () => {},
  end: () => {},
};

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
