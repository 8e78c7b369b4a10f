import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { run } from '../../../../lib/cli/program.js';
import { addSimulate } from '../../../../lib/cli/simulate/command.js';
import type { SimulateOptions } from '../../../../lib/cli/simulate/simulate.js';
import { WrittenText } from '../../../support/application/doctor-check.js';

async function refused(args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new WrittenText(), new WrittenText()];
  const code = await run(['simulate', ...args], { stdout, stderr });
  expect({ code, stdout: stdout.text }).toEqual({ code: 2, stdout: '' });
  return stderr.text;
}

const mustBeNumber = (words: string): string => `It must be a number ${words}.`;
const SECONDS = mustBeNumber('of seconds above 0, at most 10 years');
const MILLISECONDS = mustBeNumber('of milliseconds from 0 to 600000');
const STATUS = 'It must be a status from 200 to 599, such as 503, or a status and a count, such as 503:2.';

describe('the options of provider-auth simulate', () => {
  it.each([
    [['--api-status'], 'argument missing'],
    [['--unknown'], "unknown option '--unknown'"],
    [['something'], 'too many arguments'],
  ])('B25: exit with 2 and say what is expected: %j', async (args, text) => {
    expect(await refused(args)).toContain(text);
  });

  it('B25: without the files of the page the command says so', async () => {
    expect(await refused(['--port', '0'])).toMatch(/The file [\w.]+ of the page is missing\./);
  });

  it.each([
    ['--port <number>', 'http', mustBeNumber('from 0 to 65535')],
    ['--port <number>', '65536', mustBeNumber('from 0 to 65535')],
    ['--port <number>', '000001', mustBeNumber('from 0 to 65535')],
    ['--port <number>', '1x', mustBeNumber('from 0 to 65535')],
    ['--port <number>', 'x1', mustBeNumber('from 0 to 65535')],
    ['--port <number>', '-1', mustBeNumber('from 0 to 65535')],
    ['--lifetime <seconds>', '0', SECONDS],
    ['--lifetime <seconds>', '315360000.001', SECONDS],
    ['--lifetime <seconds>', '1h', SECONDS],
    ['--lifetime <seconds>', 'x1', SECONDS],
    ['--lifetime <seconds>', '1.', SECONDS],
    ['--lifetime <seconds>', '1.2345', SECONDS],
    ['--lifetime <seconds>', '0000000001', SECONDS],
    ['--latency <ms>', '600001', MILLISECONDS],
    ['--latency <ms>', '1.5', MILLISECONDS],
    ['--latency <ms>', 'x1', MILLISECONDS],
    ['--latency <ms>', '0000001', MILLISECONDS],
    ['--accounts <count>', '0', mustBeNumber('from 1 to 1000')],
    ['--accounts <count>', '1001', mustBeNumber('from 1 to 1000')],
    ['--accounts <count>', '00001', mustBeNumber('from 1 to 1000')],
    ['--accounts <count>', 'x1', mustBeNumber('from 1 to 1000')],
    ['--accounts <count>', '1x', mustBeNumber('from 1 to 1000')],
    ['--load <callers>', '0', mustBeNumber('from 1 to 10000')],
    ['--load <callers>', '10001', mustBeNumber('from 1 to 10000')],
    ['--token-status <status[:count]>', '50', STATUS],
    ['--token-status <status[:count]>', '999', STATUS],
    ['--token-status <status[:count]>', '503:00', STATUS],
    ['--api-status <status[:count]>', '503:0', STATUS],
  ])('B25: say what is wrong with a value: %s %s', async (flags, value, says) => {
    const [option = ''] = flags.split(' ');
    expect(await refused([option, value])).toBe(
      `error: option '${flags}' argument '${value}' is invalid. ${says}\n`,
    );
  });
});

/** What `provider-auth simulate` gets with these arguments. */
async function optionsOf(...args: readonly string[]): Promise<SimulateOptions | undefined> {
  let given: SimulateOptions | undefined;
  const program = new Command();
  addSimulate(program, async (options) => void (given = options));
  await program.parseAsync(['simulate', ...args], { from: 'user' });
  return given;
}

describe('the values of the options', () => {
  it('B25: have defaults for port, settings and page, and for nothing else', async () => {
    expect(await optionsOf()).toEqual({ port: 8443, settings: '.provider-simulator/.env', page: true });
  });

  it.each<[args: readonly string[], option: Partial<SimulateOptions>]>([
    [['--port', '0'], { port: 0 }],
    [['--port', '65535'], { port: 65_535 }],
    [['--settings', 'a/.env'], { settings: 'a/.env' }],
    [['--ca', 'a.pem'], { ca: 'a.pem' }],
    [['--keep-ca', 'kept'], { keepCa: 'kept' }],
    [['--demand-client-certificate'], { demandClientCertificate: true }],
    [['--force'], { force: true }],
    [['--accounts', '1'], { accounts: 1 }],
    [['--accounts', '1000'], { accounts: 1000 }],
    [['--lifetime', '0.001'], { lifetime: 0.001 }],
    [['--lifetime', '315360000'], { lifetime: 315_360_000 }],
    [['--latency', '0'], { latency: 0 }],
    [['--latency', '600000'], { latency: 600_000 }],
    [['--token-status', '503'], { tokenStatus: { status: 503 } }],
    [['--api-status', '429:2'], { apiStatus: { next: 2, status: 429 } }],
    [['--provider', 'stock.js'], { provider: 'stock.js' }],
    [['--load', '1'], { load: 1 }],
    [['--load', '10000'], { load: 10_000 }],
    [['--json'], { json: true }],
    [['--no-page'], { page: false }],
  ])('B25: are read: %j', async (args, option) => {
    expect(await optionsOf(...args)).toEqual({
      port: 8443,
      settings: '.provider-simulator/.env',
      page: true,
      ...option,
    });
  });

  it('B25: are described in the help', () => {
    const program = new Command();
    addSimulate(program, () => Promise.resolve());
    const [simulate] = program.commands;
    expect(simulate?.name()).toBe('simulate');
    expect(simulate?.description()).toBe(
      'Runs a simulated provider for an application in development, until Ctrl-C. Writes the settings and the certificate authority into the folder .provider-simulator, and prints the line that starts an application. Then prints one line for each request. Exits with 0, or with 2 if it could not run.',
    );
    expect(simulate?.options.map(({ flags, description }) => `${flags}: ${description}`)).toEqual([
      '--port <number>: the port on loopback; 0 is a free port',
      '--settings <file>: write the settings to this file',
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
      '--load <callers>: run this many callers in this process; they call the simulator through this package',
      '--json: print one JSON object per line instead of text',
      '--no-page: do not serve the page',
    ]);
  });
});
