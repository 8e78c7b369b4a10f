import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingAt, settingsIn } from '../../lib/config/process-env/variable-names.js';
import { RootOptions } from '../../lib/config/options/provider-auth-options.js';
import { declaredIn } from '../../lib/config/setting.js';
import { CATALOGUE } from '../support/application/built-in.js';
import { sectionsOf } from '../support/package/manual-pages.js';
import { ROOT } from '../support/package/packed-package.js';
import {
  commentOf,
  environmentFile,
  patternsOf,
  sentenceOf,
  withVariables,
} from '../support/package/settings-pages.js';

/*
 * After a change of an option, `npx vitest run test/package/settings-pages.spec.ts -u` writes `.env.example` and the table of
 * variables again.
 */

const PAGE = 'docs/configuration.md';
const EASY = 'interfaces.easy.sandbox';

/** The settings with their own section: the heading of the section, and the path of the setting. */
const DESCRIBED: readonly (readonly [heading: string, path: string])[] = [
  ['environment', 'environment'],
  ['store', 'store'],
  ['accounts', 'accounts'],
  ['clientSecret', `${EASY}.clientSecret`],
  ['tls', `${EASY}.tls`],
  ...[...settingsIn(RootOptions).keys()].flatMap((path) =>
    /^(token|http)\.\w+$/.test(path) ? [[path, path] as const] : [],
  ),
];

it('B30: the doc comments of the options make .env.example', async () => {
  await expect(environmentFile(CATALOGUE)).toMatchFileSnapshot(join(ROOT, '.env.example'));
});

it('B30: the doc comments of the options make the table of variables of the page about the configuration', async () => {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  expect(page).toContain('| `PROVIDER_ENVIRONMENT`');
  await expect(await withVariables(page, CATALOGUE)).toMatchFileSnapshot(join(ROOT, PAGE));
});

it.each(DESCRIBED)(
  'B30: the doc comments of the options agree with the section about %s',
  async (heading, path) => {
    const section = (await sectionsOf(PAGE, 3)).get(`\`${heading}\``) ?? 'There is no section.';
    const labelled = (label: string) => new RegExp(`^- \\*\\*${label}:\\*\\* (.+)$`, 'm').exec(section)?.[1];
    expect(section.replaceAll(/\s+/g, ' ')).toContain(sentenceOf(CATALOGUE, path));
    expect(labelled('Unit') === 'milliseconds').toBe(heading.endsWith('Ms'));
    const { byDefault, value } = commentOf(path);
    // A setting without a default in code has one in words, and the page says more about it.
    const words = [labelled('Default'), byDefault].map((word) => plain(word ?? ''));
    expect(words).toEqual(value === undefined ? words : [plain(value), plain(value)]);
    expect(variablesIn(labelled('Variable'))).toEqual(variablesOf(path));
  },
);

/** The variables of a setting, or of the settings in it. */
function variablesOf(path: string): string[] {
  const about = settingAt(path);
  const inside = about?.members ? [...declaredIn(about.members).values()] : [];
  return patternsOf(CATALOGUE)
    .filter(({ setting }) => setting === about || inside.includes(setting))
    .map(({ pattern }) => pattern);
}

/** `5 000` and `'no'` as in code. */
function plain(value: unknown): string {
  return typeof value === 'string'
    ? value.replaceAll(/[`'_ ]/g, '')
    : JSON.stringify(value).replaceAll('"', '');
}

/** `…_KEY_FILE` stands for a variable that begins as the first one. */
function variablesIn(label = ''): string[] {
  const names = [...label.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return names.map((name) => name.replace('…', 'PROVIDER_<IFACE>_<ENV>'));
}
