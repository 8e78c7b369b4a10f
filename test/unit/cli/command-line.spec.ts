import { expect, it } from 'vitest';
import { readOptions } from '../../../lib/cli/command-line.js';
import { run } from '../../../lib/cli/program.js';
import { SIMULATE } from '../../../lib/cli/simulate/command.js';
import { WrittenText } from '../../support/application/doctor-check.js';

async function printed(...args: readonly string[]): Promise<string> {
  const stdout = new WrittenText();
  expect(await run(args, { stdout, stderr: stdout })).toBe(0);
  return stdout.text;
}

it('B40: the help says what the commands do, and how they end', async () => {
  expect(await printed('--help')).toBe(`Usage: nestjs-provider-auth <command> [options]

  doctor
      Checks the configuration in the environment variables, then requests one token for each configured interface and environment, and connects to its API. Shows no credential and no token. Exits with 0 if everything works, 1 if something does not, 2 if it could not run.
  simulate
      Runs a simulated provider for an application in development, until Ctrl-C. Writes the settings and the certificate authority into the folder .provider-simulator, and prints the line that starts an application. Then prints one line for each request. Exits with 0, or with 2 if it could not run.


nestjs-provider-auth <command> --help prints the options of a command, and --version the version.
`);
});

const OPTIONS = {
  doctor: [
    '--provider <module>: check the definitions that this module exports, in place of the built-in provider; can be repeated',
    '--built-in: check the built-in provider as well',
    '--settings <file>: read the variables from this file instead of .env; can be repeated',
    '--interface <name>: check this interface only',
    '--environment <name>: check this environment only',
    '--probe <path>: request this path under each base URL with the token: one GET',
    '--issuer <url>: read what this provider publishes, and check nothing else',
    '--json: print one JSON object instead of lines',
    '--help: print this text',
  ],
  simulate: [
    '--port <number>: the port on loopback, 8443 by default; 0 is a free port',
    '--settings <file>: write the settings to this file, not to .provider-simulator/.env (with --provider: .provider-simulator/<name>.env)',
    '--ca <file>: write the certificate authority to this file, not to .provider-simulator/ca.pem',
    '--keep-ca <folder>: keep the certificate authority and its key in this folder, not in .provider-simulator',
    '--demand-client-certificate: refuse connections without a client certificate; write one, with its key and its variables',
    '--force: replace files that this command did not write',
    '--accounts <count>: serve this many accounts: merchant-1 and so on; SIMULATED_ACCOUNTS in the settings has their credentials',
    '--lifetime <seconds>: how long a token lives',
    '--latency <ms>: how long each answer takes',
    '--token-status <status[:count]>: token requests get this status: all, or the first ones',
    '--api-status <status[:count]>: API requests get this status: all, or the first ones',
    '--provider <module>: simulate the definition that this module exports: see defineProvider',
    '--json: print one JSON object per line instead of text',
    '--no-page: do not serve the page',
    '--help: print this text',
  ],
};

it.each(Object.entries(OPTIONS))('B40: the help says what each option does: %s', async (command, options) => {
  const help = await printed(command, '--help');
  const shown = help.matchAll(/^ {2}(--.*)\n {6}(.*)$/gm);
  expect([...shown].map(([, option, meaning]) => `${option}: ${meaning}`)).toEqual(options);
});

it.each([
  ['--lifetime=30', { lifetime: 30 }],
  ['--lifetime=17.125', { lifetime: 17.125 }],
  ['--port=65535', { port: 65_535 }],
  ['--settings=--env-file', { settings: '--env-file' }],
  ['--env-file=a', { settings: 'a' }],
])('B25: %s is read', (option, values) => {
  expect(readOptions(SIMULATE, [option])).toEqual(values);
});
