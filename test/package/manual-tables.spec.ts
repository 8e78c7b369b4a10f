import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../lib/cli/program.js';
import { DEFINITION } from '../../lib/config/table/settings.js';
import {
  KNOWN_VARIABLES,
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
} from '../support/application/built-in.js';
import {
  describedOptions,
  sectionsOf,
  SKILL,
  tableRowsOf,
  textOfPage,
} from '../support/package/manual-pages.js';
import { ROOT } from '../support/package/packed-package.js';

const rows = await tableRowsOf();

/** The matches of this pattern in the first cells of all rows. */
function listed(pattern: RegExp): string[] {
  return rows.flatMap(([first = '']) => [...first.matchAll(pattern)].map(([, name = '']) => name));
}

describe('the tables of the manual', () => {
  it('name every variable, and no other', () => {
    const variables = rows
      .flatMap(([first = '']) => [...first.matchAll(/^`(PROVIDER_[\w<>]+)`$/g)])
      .flatMap(([, pattern = '']) =>
        spelled([pattern], '<IFACE>', capital(PROVIDER_INTERFACES)).flatMap((one) =>
          spelled([one], '<ENV>', capital(PROVIDER_ENVIRONMENTS)),
        ),
      );
    expect(variables.toSorted()).toEqual([...KNOWN_VARIABLES.keys()].toSorted());
  });

  it('are complete in .env.example too', async () => {
    const file = await readFile(join(ROOT, '.env.example'), 'utf8');
    const variables = [...file.matchAll(/^(?:# )?(PROVIDER_\w+)=/gm)].map(([, name = '']) => name);
    expect(variables.toSorted()).toEqual([...KNOWN_VARIABLES.keys()].toSorted());
  });

  it.each(['token', 'http'])(
    'B26: a section describes every option of %s, with its default',
    async (section) => {
      const source = await readFile(join(ROOT, 'lib/config/options/provider-auth-options.ts'), 'utf8');
      const kind = section === 'token' ? 'TokenOptions' : 'HttpOptions';
      const [, body = ''] = new RegExp(`export interface ${kind} \\{\\n([^]*?)\\n\\}`).exec(source) ?? [];
      const options = [...body.matchAll(/\/\*\*([^]*?)\*\/\n {2}(\w+)\?:/g)].map(
        ([, comment = '', name = '']) =>
          `${section}.${name} ${/@default (\d+)/.exec(comment)?.[1] ?? 'in words'}`,
      );
      expect(options.length).toBeGreaterThan(3);
      const described = (await describedOptions())
        .filter(({ name }) => name.startsWith(`${section}.`))
        .map(({ name, default: value = '' }) => `${name} ${numberIn(value)}`);
      expect(described.toSorted()).toEqual(options.toSorted());
    },
  );

  it('B26: the options of the doctor are those of its help, in the same order', async () => {
    let help = '';
    const write = (text: string) => (help += text);
    await run(['doctor', '--help'], { stdout: { write }, stderr: { write } });
    const options = [...help.matchAll(/^ {2}(--[a-z-]+(?: <\S+>)?)/gm)].map(([, option]) => option);
    const section = (await sectionsOf('docs/doctor.md', 2)).get('Options') ?? '';
    expect([...section.matchAll(/^\| `(--[^`]+)`/gm)].map(([, option]) => option)).toEqual(options);
  });

  it('B26: each option has a type, a default, a reason to change it and an example, and each number has a unit', async () => {
    const described = await describedOptions();
    const incomplete = described.filter(
      (option) =>
        [option.type, option.default, option.changeItWhen, option.example].includes(undefined) ||
        (option.type === '`number`') !== (option.unit !== undefined),
    );
    expect(incomplete).toEqual([]);
    expect(described.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['environment', 'interfaces.easy', 'interfaces.originations', 'store', 'tls']),
    );
  });

  it.each([
    ['member of an interface', DEFINITION.interface],
    ['member', DEFINITION.terms],
    ['member of `assertion`', DEFINITION.assertion],
  ])(
    'B31: the table "%s" of the page about own providers has every member, and no other',
    async (head, members) => {
      const table = new RegExp(`^\\| ${head} +\\|.*\\n(?:\\|.*\\n)+`, 'm');
      const [rows = ''] = table.exec(await textOfPage('docs/own-provider.md')) ?? [];
      const names = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
      expect(names.toSorted()).toEqual(Object.keys(members).toSorted());
    },
  );

  it('name every code of an error', async () => {
    const codes = await codesOfErrors();
    expect(codes.length).toBe(9);
    expect(
      listed(/^`([A-Z]+(?:_[A-Z]+)+)`$/g)
        .filter((name) => !/^PROVIDER_|_(LIVE|SANDBOX|PRODUCTION)_/.test(name))
        .toSorted(),
    ).toEqual(codes.toSorted());
  });

  it('B26: the table of the skill names every code of an error too', async () => {
    const codes = (await tableRowsOf([SKILL])).map(([first = '']) => first.replaceAll('`', ''));
    expect(codes).toEqual(expect.arrayContaining(await codesOfErrors()));
  });

  it('B26: a section gives the cause and the remedy of every code, in errors and in the log', async () => {
    const sections = await sectionsOf('docs/errors.md', 3);
    const expected = [...(await codesOfErrors()), ...(await codesOfLogLines())];
    expect([...sections.keys()].toSorted()).toEqual(expected.map((code) => `\`${code}\``).toSorted());
    const incomplete = [...sections].filter(
      ([, text]) => !text.includes('- **Cause:** ') || !text.includes('- **Remedy:** '),
    );
    expect(incomplete.map(([code]) => code)).toEqual([]);
  });

  it('name every channel', async () => {
    const source = await readFile(join(ROOT, 'lib/events/provider-auth-events.ts'), 'utf8');
    const channels = [...source.matchAll(/^ {2}'(provider-auth:[\w-]+)':/gm)].map(([, name = '']) => name);
    expect(channels.length).toBeGreaterThan(3);
    // In the README, and with what they publish on the page about operations.
    expect(listed(/^`(provider-auth:[\w-]+)`$/g).toSorted()).toEqual([...channels, ...channels].toSorted());
  });
});

async function codesOfErrors(): Promise<string[]> {
  const files = ['provider-auth-config', 'request-refused', 'token-request'];
  const sources = await Promise.all(
    files.map((file) => readFile(join(ROOT, `lib/errors/${file}.error.ts`), 'utf8')),
  );
  return sources.flatMap((source) => {
    const [, union = ''] = /export type \w+ErrorCode =([^]*?');/.exec(source) ?? [];
    return [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code);
  });
}

/** The codes at the end of log lines that are no codes of errors: `(STORE_FAILING)`, `(RENEWALS_PAUSED, host)`. */
async function codesOfLogLines(): Promise<string[]> {
  const files = await readdir(join(ROOT, 'lib'), { recursive: true });
  const sources = await Promise.all(
    files.filter((file) => file.endsWith('.ts')).map((file) => readFile(join(ROOT, 'lib', file), 'utf8')),
  );
  const codes = sources.flatMap((source) => [
    ...source.matchAll(/\(([A-Z]+(?:_[A-Z]+)+)(?:(?:, )?\$\{[^\n]*)?\)['`]/g),
    ...source.matchAll(/#fail\('([A-Z]+(?:_[A-Z]+)+)', message/g),
  ]);
  return [...new Set(codes.map(([, code = '']) => code))].filter((code) => !code.startsWith('PROVIDER_'));
}

function numberIn(cell: string): string {
  return /^[\d ]+$/.test(cell) ? cell.replaceAll(' ', '') : 'in words';
}

function capital(names: readonly string[]): string[] {
  return names.map((name) => name.toUpperCase());
}

function spelled(names: readonly string[], place: string, words: readonly string[]): string[] {
  return names.flatMap((name) =>
    name.includes(place) ? words.map((word) => name.replace(place, word)) : [name],
  );
}
