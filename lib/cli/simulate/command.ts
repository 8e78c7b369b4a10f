import { type Command, InvalidArgumentError } from 'commander';
import { chainOfStatus } from './faults.js';
import { CA_FILE, OWN_FOLDER } from './own-files.js';
import { ACCOUNTS_VARIABLE } from './settings-file.js';
import type { SimulateOptions } from './simulate.js';
import type { Chain } from './verbs.js';

/** Adds `provider-auth simulate` and its options. */
export function addSimulate(program: Command, onSimulate: (options: SimulateOptions) => Promise<void>): void {
  program
    .command('simulate')
    .description(
      'Runs a simulated provider for an application in development, until Ctrl-C. Writes the settings and the certificate ' +
        `authority into the folder ${OWN_FOLDER}, and prints the line that starts an application. Then prints one line for each request. ` +
        'Exits with 0, or with 2 if it could not run.',
    )
    .option('--port <number>', 'the port on loopback; 0 is a free port', portOf, 8443)
    .option(
      '--settings <file>',
      `write the settings to this file, not to ${OWN_FOLDER}/.env (with --provider: ${OWN_FOLDER}/<name>.env)`,
    )
    .option('--ca <file>', `write the certificate authority to this file, not to ${OWN_FOLDER}/${CA_FILE}`)
    .option(
      '--keep-ca <folder>',
      `keep the certificate authority and its key in this folder, not in ${OWN_FOLDER}`,
    )
    .option(
      '--demand-client-certificate',
      'refuse connections without a client certificate; write one, with its key and its variables',
    )
    .option('--force', 'replace files that this command did not write')
    .option(
      '--accounts <count>',
      `serve this many accounts: merchant-1 and so on; ${ACCOUNTS_VARIABLE} in the settings has their credentials`,
      countUpTo(1_000),
    )
    .option('--lifetime <seconds>', 'how long a token lives', secondsOf)
    .option('--latency <ms>', 'how long each answer takes', millisecondsOf)
    .option(
      '--token-status <status[:count]>',
      'token requests get this status: all, or the first ones',
      statusOf,
    )
    .option('--api-status <status[:count]>', 'API requests get this status: all, or the first ones', statusOf)
    .option('--provider <module>', 'simulate the definition that this module exports: see defineProvider')
    .option('--json', 'print one JSON object per line instead of text')
    .option('--no-page', 'do not serve the page')
    .action(onSimulate);
}

function numberParser(
  digits: RegExp,
  accepts: (value: number) => boolean,
  words: string,
): (text: string) => number {
  return (text) => {
    const value = digits.test(text) ? Number(text) : NaN;
    if (!accepts(value)) throw new InvalidArgumentError(`It must be a number ${words}.`);
    return value;
  };
}

const portOf = numberParser(/^\d{1,5}$/, (port) => port <= 65_535, 'from 0 to 65535');
const millisecondsOf = numberParser(/^\d{1,6}$/, (ms) => ms <= 600_000, 'of milliseconds from 0 to 600000');
const secondsOf = numberParser(
  /^\d{1,9}(\.\d{1,3})?$/,
  (seconds) => seconds > 0 && seconds <= 315_360_000,
  'of seconds above 0, at most 10 years',
);

function countUpTo(most: number): (text: string) => number {
  const digits = new RegExp(`^\\d{1,${String(most).length}}$`);
  return numberParser(digits, (count) => count >= 1 && count <= most, `from 1 to ${most}`);
}

function statusOf(text: string): Chain {
  const chain = chainOfStatus(text);
  if (chain === undefined)
    throw new InvalidArgumentError(
      'It must be a status from 200 to 599, such as 503, or a status and a count, such as 503:2.',
    );
  return chain;
}
