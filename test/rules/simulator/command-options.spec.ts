import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../../lib/cli/program.js';
import { PAGE_FOLDER } from '../../support/application/simulate.js';
import { WrittenText } from '../../support/application/doctor-check.js';
import { ROOT } from '../../support/package/packed-package.js';
import { givenFolder } from '../../support/run/given-folder.js';

async function refused(...args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new WrittenText(), new WrittenText()];
  expect({
    code: await run(['simulate', ...args], { stdout, stderr }, PAGE_FOLDER),
    stdout: stdout.text,
  }).toEqual({
    code: 2,
    stdout: '',
  });
  return stderr.text;
}

const SECONDS = 'a number of seconds above 0, at most 10 years';
const MILLISECONDS = 'a number of milliseconds from 0 to 600000';
const STATUS = 'a status from 200 to 599, such as 503, or a status and a count, such as 503:2';

it.each([
  ['--port', '65536', 'a number from 0 to 65535'],
  ['--port', '1x', 'a number from 0 to 65535'],
  ['--lifetime', '0', SECONDS],
  ['--lifetime', '315360000.001', SECONDS],
  ['--lifetime', '1.2345', SECONDS],
  ['--lifetime', 'x1', SECONDS],
  ['--latency', '600001', MILLISECONDS],
  ['--latency', '1.5', MILLISECONDS],
  ['--accounts', '0', 'a number from 1 to 1000'],
  ['--accounts', '1001', 'a number from 1 to 1000'],
  ['--token-status', '999', STATUS],
  ['--api-status', '503:0', STATUS],
])('B25: %s %s exits with 2 and says what is expected', async (option, value, says) => {
  expect(await refused(option, value)).toBe(`nestjs-provider-auth could not run: ${option} takes ${says}.\n`);
});

it.each([
  [['--api-status'], '--api-status takes a value: --api-status <status[:count]>.'],
  [['--load', '5'], 'simulate has no option --load. See nestjs-provider-auth simulate --help.'],
  [['something'], 'simulate takes options only. See nestjs-provider-auth simulate --help.'],
  [
    ['--provider', join(ROOT, 'test/support/application/warehouse.ts')],
    'exports several definitions. Name a module that exports one.',
  ],
  [
    [
      '--demand-client-certificate',
      '--provider',
      join(ROOT, 'test/support/application/keyless-definition.ts'),
    ],
    'the clients of this definition present their own certificates. Omit --demand-client-certificate.',
  ],
])('B25: wrong usage exits with 2: %j', async (args, text) => {
  expect(await refused(...args)).toContain(text);
});

it('B25: a file of the page that is missing is named, and the command runs without the page', async () => {
  const [stdout, stderr] = [new WrittenText(), new WrittenText()];
  expect(await run(['simulate', '--port', '0'], { stdout, stderr }, givenFolder())).toBe(2);
  expect(stderr.text).toMatch(
    /The file \S+ of the page is missing\. Reinstall the package, or use --no-page\./,
  );
});
