import { type Command, option } from '../command-line.js';
import { SIMULATOR_FOLDER } from '../environment.js';
import { chainOfStatus } from './faults.js';
import { CA_FILE } from './own-files.js';
import { ACCOUNTS_VARIABLE } from './settings-file.js';

const number =
  (form: RegExp, from: number, to: number) =>
  (text: string): number | undefined => {
    const value = form.test(text) ? Number(text) : NaN;
    return value >= from && value <= to ? value : undefined;
  };

const STATUS = {
  takes: 'a status from 200 to 599, such as 503, or a status and a count, such as 503:2',
  read: chainOfStatus,
};

export const SIMULATE: Command = {
  name: 'simulate',
  description:
    'Runs a simulated provider for an application in development, until Ctrl-C. Writes the settings and the certificate ' +
    `authority into the folder ${SIMULATOR_FOLDER}, and prints the line that starts an application. Then prints one line for each request. ` +
    'Exits with 0, or with 2 if it could not run.',
  options: [
    option('--port <number>', 'the port on loopback, 8443 by default; 0 is a free port', {
      takes: 'a number from 0 to 65535',
      read: number(/^\d+$/, 0, 65_535),
    }),
    option(
      '--settings <file>',
      `write the settings to this file, not to ${SIMULATOR_FOLDER}/.env (with --provider: ${SIMULATOR_FOLDER}/<name>.env)`,
    ),
    option(
      '--ca <file>',
      `write the certificate authority to this file, not to ${SIMULATOR_FOLDER}/${CA_FILE}`,
    ),
    option(
      '--keep-ca <folder>',
      `keep the certificate authority and its key in this folder, not in ${SIMULATOR_FOLDER}`,
    ),
    option(
      '--demand-client-certificate',
      'refuse connections without a client certificate; write one, with its key and its variables',
    ),
    option('--force', 'replace files that this command did not write'),
    option(
      '--accounts <count>',
      `serve this many accounts: merchant-1 and so on; ${ACCOUNTS_VARIABLE} in the settings has their credentials`,
      { takes: 'a number from 1 to 1000', read: number(/^\d+$/, 1, 1_000) },
    ),
    option('--lifetime <seconds>', 'how long a token lives', {
      takes: 'a number of seconds above 0, at most 10 years',
      read: number(/^\d+(\.\d{1,3})?$/, 0.001, 315_360_000),
    }),
    option('--latency <ms>', 'how long each answer takes', {
      takes: 'a number of milliseconds from 0 to 600000',
      read: number(/^\d+$/, 0, 600_000),
    }),
    option(
      '--token-status <status[:count]>',
      'token requests get this status: all, or the first ones',
      STATUS,
    ),
    option('--api-status <status[:count]>', 'API requests get this status: all, or the first ones', STATUS),
    option('--provider <module>', 'simulate the definition that this module exports: see defineProvider', {
      once: 'For two providers, start two commands, each with its own --port.',
    }),
    option('--json', 'print one JSON object per line instead of text'),
    option('--no-page', 'do not serve the page'),
  ],
};
