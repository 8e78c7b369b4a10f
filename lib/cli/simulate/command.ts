import { type CommandOption, flag, text, type ValuesOf } from '../command-line.js';
import { SIMULATOR_FOLDER } from '../environment.js';
import { chainOfStatus } from './faults.js';
import { CA_FILE } from './own-files.js';
import { ACCOUNTS_VARIABLE } from './settings-file.js';
import type { Chain } from './verbs.js';

const WHOLE = /^\d+$/;
const WITH_FRACTION = /^\d+(\.\d{1,3})?$/;

function numberIn(given: string, form: RegExp, from: number, to: number): number | undefined {
  const value = form.test(given) ? Number(given) : NaN;
  return value >= from && value <= to ? value : undefined;
}

const whole = (
  value: string,
  help: string,
  [from, to]: readonly [from: number, to: number],
  takes = 'a number',
): CommandOption<number> => ({
  value,
  help,
  takes: `${takes} from ${from} to ${to}`,
  read: (given) => numberIn(given, WHOLE, from, to),
});

const status = (requests: string): CommandOption<Chain> => ({
  value: '<status[:count]>',
  help: `${requests} requests get this status: all, or the first ones`,
  takes: 'a status from 200 to 599, such as 503, or a status and a count, such as 503:2',
  read: chainOfStatus,
});

export const SIMULATE = {
  name: 'simulate',
  description:
    'Runs a simulated provider for an application in development, until Ctrl-C. Writes the settings and the certificate ' +
    `authority into the folder ${SIMULATOR_FOLDER}, and prints the line that starts an application. Then prints one line for each request. ` +
    'Exits with 0, or with 2 if it could not run.',
  options: {
    port: whole('<number>', 'the port on loopback, 8443 by default; 0 is a free port', [0, 65_535]),
    settings: text(
      '<file>',
      `write the settings to this file, not to ${SIMULATOR_FOLDER}/.env (with --provider: ${SIMULATOR_FOLDER}/<name>.env)`,
    ),
    ca: text('<file>', `write the certificate authority to this file, not to ${SIMULATOR_FOLDER}/${CA_FILE}`),
    keepCa: text(
      '<folder>',
      `keep the certificate authority and its key in this folder, not in ${SIMULATOR_FOLDER}`,
    ),
    demandClientCertificate: flag(
      'refuse connections without a client certificate; write one, with its key and its variables',
    ),
    force: flag('replace files that this command did not write'),
    accounts: whole(
      '<count>',
      `serve this many accounts: merchant-1 and so on; ${ACCOUNTS_VARIABLE} in the settings has their credentials`,
      [1, 1_000],
    ),
    lifetime: {
      ...text('<seconds>', 'how long a token lives'),
      takes: 'a number of seconds above 0, at most 10 years',
      read: (given: string) => numberIn(given, WITH_FRACTION, 0.001, 315_360_000),
    },
    latency: whole('<ms>', 'how long each answer takes', [0, 600_000], 'a number of milliseconds'),
    tokenStatus: status('token'),
    apiStatus: status('API'),
    provider: text(
      '<module>',
      'simulate the definition that this module exports: see defineProvider',
      'For two providers, start two commands, each with its own --port.',
    ),
    json: flag('print one JSON object per line instead of text'),
    noPage: flag('do not serve the page'),
  },
};

export type SimulateOptions = ValuesOf<typeof SIMULATE>;
