import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Setting } from '../../lib/config/table/setting.js';
import { SETTINGS } from '../../lib/config/table/settings.js';
import { CATALOGUE } from '../support/application/built-in.js';
import { sectionsOf } from '../support/package/manual-pages.js';
import { ROOT } from '../support/package/packed-package.js';
import { environmentFile, patternsOf, textOf, withVariables } from '../support/package/settings-pages.js';

/*
 * After a change of `lib/config/table/settings.ts`, `npx vitest run test/package/settings-pages.spec.ts -u` writes
 * `.env.example` and the table of variables again.
 */

const PAGE = 'docs/configuration.md';

/** The settings with their own section, by the heading of the section. */
const DESCRIBED: Readonly<Record<string, Setting>> = {
  environment: SETTINGS.options.environment,
  store: SETTINGS.options.store,
  accounts: SETTINGS.options.accounts,
  clientSecret: SETTINGS.environment.clientSecret,
  tls: SETTINGS.environment.tls,
  ...withPrefix('token', SETTINGS.token),
  ...withPrefix('http', SETTINGS.http),
};

function withPrefix(prefix: string, rows: Readonly<Record<string, Setting>>): Record<string, Setting> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [`${prefix}.${name}`, row]));
}

describe('B30: the table of settings', () => {
  it('B30: makes .env.example', async () => {
    await expect(environmentFile(CATALOGUE)).toMatchFileSnapshot(join(ROOT, '.env.example'));
  });

  it('B30: makes the table of variables of the page about the configuration', async () => {
    const page = await readFile(join(ROOT, PAGE), 'utf8');
    expect(page).toContain('| `PROVIDER_ENVIRONMENT`');
    await expect(await withVariables(page, CATALOGUE)).toMatchFileSnapshot(join(ROOT, PAGE));
  });

  it.each(Object.entries(DESCRIBED))('B30: agrees with the section about %s', async (name, setting) => {
    const section = (await sectionsOf(PAGE, 3)).get(`\`${name}\``) ?? 'There is no section.';
    const labelled = (label: string) => new RegExp(`^- \\*\\*${label}:\\*\\* (.+)$`, 'm').exec(section)?.[1];
    expect(section.replaceAll(/\s+/g, ' ')).toContain(textOf(setting, CATALOGUE));
    expect(labelled('Unit')).toBe(setting.unit);
    // A setting without a default in the table has one in words.
    const { default: byDefault = labelled('Default') } = setting;
    expect(plain(labelled('Default'))).toBe(plain(byDefault));
    expect(variablesIn(labelled('Variable'))).toEqual(variablesOf(setting));
  });
});

/** The variables of a setting, or of the settings in it. */
function variablesOf(setting: Setting): string[] {
  const own: Setting[] = setting === SETTINGS.environment.tls ? Object.values(SETTINGS.tls) : [setting];
  return patternsOf(CATALOGUE)
    .filter((one) => own.includes(one.setting))
    .map(({ pattern }) => pattern);
}

/** `5 000` and `'no'` as in the table. */
function plain(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/[`' ]/g, '') : JSON.stringify(value);
}

/** `…_KEY_FILE` stands for a variable that begins as the first one. */
function variablesIn(label = ''): string[] {
  const names = [...label.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return names.map((name) => name.replace('…', 'PROVIDER_<IFACE>_<ENV>'));
}
