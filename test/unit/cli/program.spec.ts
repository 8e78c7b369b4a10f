import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import { run } from '../../../lib/cli/program.js';
import { defineProvider } from '../../../lib/index.js';
import { PACKAGE } from '../../../lib/module/package.js';
import { CATALOGUE, PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { ORIGINATIONS, WrittenText } from '../../support/application/doctor-check.js';
import { playSteps } from '../../support/application/played-steps.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { givenFolder } from '../../support/run/given-folder.js';

/** Runs the command. What it wrote and its exit code. */
async function written(...args: readonly string[]) {
  const [stdout, stderr] = [new WrittenText(), new WrittenText()];
  const code = await run(args, { stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs the doctor with the empty settings. */
const doctor = (...args: readonly string[]) => written('doctor', '--settings', settings, ...args);

const refusal = (says: string) => ({
  code: 2,
  stdout: '',
  stderr: `nestjs-provider-auth could not run: ${says}\n`,
});

let folder: string;
/** An empty file with settings, because a file .env of this repository must not count. */
let settings: string;

beforeEach(() => {
  folder = givenFolder();
  settings = join(folder, 'none.env');
  writeFileSync(settings, '');
  // Variables of this machine must not count either.
  for (const name of variablesOf(CATALOGUE)) vi.stubEnv(name, undefined);
  givenEnvironment();
});

afterEach(() => void vi.unstubAllEnvs());

const right = (): void => {
  for (const [name, value] of Object.entries(ORIGINATIONS)) vi.stubEnv(name, value);
};

const forget = (): void => {
  for (const name of Object.keys(ORIGINATIONS)) delete process.env[name];
};

/** A module that exports these definitions. */
function moduleOf(...definitions: readonly unknown[]): string {
  vi.stubGlobal('definitionsOfTest', definitions);
  onTestFinished(() => void vi.unstubAllGlobals());
  const file = join(folder, 'definitions.mjs');
  writeFileSync(file, 'export const [one, two] = globalThis.definitionsOfTest;');
  return file;
}

describe('provider-auth', () => {
  it('prints its version', async () => {
    expect(await written('--version')).toEqual({ code: 0, stdout: `${PACKAGE.version}\n`, stderr: '' });
  });

  it('prints each option of the doctor, as its page does', async () => {
    const { code, stdout } = await written('doctor', '--help');
    const page = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `(--.*?)` +\|/gm)].map(([, flags]) => flags);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: \S+ doctor \[options\]\n\nChecks /)]);
    expect([...stdout.matchAll(/^ {2}(--.*)$/gm)].map(([, flags]) => flags)).toEqual([...listed, '--help']);
  });

  it.each([
    ['doctor has no option --secret. See nestjs-provider-auth doctor --help.', ['doctor', '--secret=canary']],
    ['doctor has no option --x. See nestjs-provider-auth doctor --help.', ['doctor', '-x=canary']],
    [
      'doctor has no option --[not a name]. See nestjs-provider-auth doctor --help.',
      ['doctor', '--can\nary'],
    ],
    ['doctor has no option --jsn. Did you mean --json?', ['doctor', '--jsn']],
    ['doctor takes options only. See nestjs-provider-auth doctor --help.', ['doctor', 'canary']],
    ['--json takes no value.', ['doctor', '--json=canary']],
    ['--settings takes a value: --settings <file>.', ['doctor', '--settings']],
    [
      '--issuer takes the https address of a provider. The address is in quotes. Remove them.',
      ['doctor', '--issuer', '"canary"'],
    ],
    [
      '--issuer only reads metadata. Omit the options that choose what is checked, or start two commands.',
      ['doctor', '--issuer', 'https://a.example', '--settings', '<file>', '--probe', '/x'],
    ],
  ])('S10: refuses what it does not know, without the value: %s', async (says, args) => {
    const current = args.map((arg) => arg.replace('<file>', settings));
    expect(await written(...current)).toEqual(refusal(says));
  });

  it.each([
    [[], 'it needs a command.'],
    [['x'], 'it needs a command.'],
    [['doctr'], 'doctr is not a command. Did you mean doctor?'],
  ])('needs a command: %j', async (args, says) => {
    const { stdout: help } = await written('--help');
    expect(await written(...args)).toEqual(refusal(`${says}\n\n${help}`));
  });

  it.each([
    ['--settings', 'Give it once.', ['simulate', '--settings', 'canary', '--env-file=canary']],
    ['--json', 'Give it once.', ['doctor', '--json', '--json']],
    [
      '--provider',
      'For two providers, start two commands, each with its own --port.',
      ['simulate', '--provider', 'canary', '--provider', 'canary'],
    ],
  ])(
    'B40: refuses the option %s if it is given twice, and says what to do: %s',
    async (option, advice, args) => {
      expect(await written(...args)).toEqual(refusal(`${option} is given twice. ${advice}`));
    },
  );

  it('knows the names of the built-in provider', async () => {
    expect(await doctor('--interface', 'x')).toEqual(
      refusal(`--interface takes one of ${PROVIDER_INTERFACES.join(', ')}.`),
    );
  });

  it('S10: prints only the name of an unexpected error', async () => {
    right();
    for (const [thrown, kind] of [
      [new TypeError('canary'), 'TypeError'],
      [Object.assign(new Error('canary'), { name: 'canary of a name' }), 'something'],
      [{ name: 'Canary' }, 'something'],
    ] as const) {
      playSteps(() => {
        // oxlint-disable-next-line typescript/only-throw-error
        throw thrown;
      });
      const { code, stderr } = await doctor();
      expect([code, stderr]).toEqual([
        2,
        `nestjs-provider-auth could not run: ${kind} was thrown. Please report it.\n`,
      ]);
    }
  });
});

describe('provider-auth doctor', () => {
  it.each(['--settings', '--env-file'])('B37: reads the variables from a file: %s', async (option) => {
    const asked = playSteps();
    const file = join(folder, 'right.env');
    const lines = Object.entries(ORIGINATIONS).map((entry) => entry.join('='));
    writeFileSync(file, lines.join('\n'));
    onTestFinished(forget);
    forget();
    expect(await written('doctor', option, file)).toMatchObject({ code: 0 });
    expect(asked).toHaveLength(12);
  });

  it('cannot run without the file that is named', async () => {
    expect(await written('doctor', '--settings', './no-such-file.env')).toEqual(
      refusal(
        'There is no file ./no-such-file.env. Name an existing file with --settings, or omit the option.',
      ),
    );
  });
});

describe('provider-auth doctor --probe', () => {
  it.each([
    'https://elsewhere.invalid/',
    'a+b.c-1:elsewhere',
    '//elsewhere.invalid/',
    '\\\\elsewhere',
    '/else where',
    '/elsewhere\n',
    '/elsewhere#fragment',
    '',
  ])('S6: takes a path, and repeats nothing else: %j', async (path) => {
    expect(await doctor('--probe', path)).toEqual(
      refusal('--probe takes a path under the base URL, such as /payments.'),
    );
  });

  it.each(['/payments', 'payments/7?x=a:b', '/a//b', '1:2', '-a:b', 'p'])(
    'S6: takes the path %s',
    async (path) => {
      right();
      const asked = playSteps();
      expect(await doctor('--probe', path)).toMatchObject({ code: 0 });
      expect(asked[0]?.[1].probe).toBe(path);
    },
  );
});

const warehouse = defineProvider({ name: 'warehouse', environments: ['test'], interfaces: { stock: {} } });
const courier = defineProvider({
  name: 'courier',
  environments: ['demo', 'live'],
  interfaces: { parcels: {} },
});

it.each([
  [['--interface', 'stock', '--environment', 'live'], '--environment takes one of test for stock.'],
  [['--interface', 'easy', '--environment', 'test'], '--interface takes one of stock, parcels.'],
])('B29: doctor --provider cannot run if no definition has what %j name together', async (names, says) => {
  const file = moduleOf(warehouse, courier);
  expect(await doctor('--provider', file, ...names)).toEqual(refusal(says));
});
