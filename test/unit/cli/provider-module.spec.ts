import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CannotRun } from '../../../lib/cli/environment.js';
import { definitionsIn } from '../../../lib/cli/provider-module.js';
import { defineProvider, ProviderAuthConfigError } from '../../../lib/index.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const depot = defineProvider({ name: 'depot', environments: ['test'], interfaces: { stock: {} } });
const yard = defineProvider({ name: 'yard', environments: ['test'], interfaces: { stock: {} } });

let folder: string;

beforeEach(() => {
  folder = givenFolder();
  vi.stubGlobal('givenByTest', { depot, yard, throws: undefined });
});

afterEach(() => void vi.unstubAllGlobals());

/** A module with this text. */
function moduleOf(text: string, name = 'definitions.mjs'): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

it.each([
  ['two exports', 'export const { depot, yard } = givenByTest;', [depot, yard]],
  ['one export of many', 'export const no = null; export const it = givenByTest.depot;', [depot]],
  ['the same twice', 'export const { depot } = givenByTest; export default { depot };', [depot]],
])('the definitions of a module are all that it exports: %s', async (_, text, definitions) => {
  const file = moduleOf(text);
  expect(await definitionsIn(file)).toEqual(definitions);
});

it('a CommonJS module is read', async () => {
  expect(await definitionsIn(moduleOf('module.exports = { depot: givenByTest.depot };', 'own.cjs'))).toEqual([
    depot,
  ]);
});

it('a package is found from the folder of the command', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  moduleOf('module.exports = { depot: givenByTest.depot };', 'node_modules/own-definitions/index.js');
  expect(await definitionsIn('own-definitions')).toEqual([depot]);
});

it('a module without a definition is refused, with what to do', async () => {
  const file = moduleOf('export const one = 1; export const two = { three: {} };');
  const error = await errorOf(definitionsIn(file));
  expect(error).toBeInstanceOf(CannotRun);
  expect(error).toHaveProperty(
    'message',
    `${file} exports no definition. Export what defineProvider() returned from this file, or name the file that exports it.`,
  );
});

const WRONG = new ProviderAuthConfigError('CONFIG_INVALID', [{ path: 'name', message: 'is missing.' }]);

it.each<[string, unknown, string]>([
  ['our own error', WRONG, WRONG.message],
  [
    'the same error of another copy of this package',
    Object.assign(new Error('of another copy'), { name: 'ProviderAuthConfigError' }),
    'of another copy',
  ],
  [
    'our error from the boot of an application that the module starts',
    Object.assign(new Error('Set the secret.'), { name: 'TokenRequestError', code: 'TOKEN_REJECTED' }),
    'Set the secret.',
  ],
  ['an error with a code', Object.assign(new Error('canary'), { code: 'ENOENT' }), 'ENOENT'],
  [
    'an object that only looks like our error',
    { name: 'ProviderAuthConfigError', message: 'canary' },
    'it throws',
  ],
])('S10: a module that throws is refused, and no more is shown than helps: %s', async (_, thrown, why) => {
  vi.stubGlobal('givenByTest', { thrown });
  const file = moduleOf('throw givenByTest.thrown;');
  const error = await errorOf(definitionsIn(file));
  expect(error).toBeInstanceOf(CannotRun);
  expect(error).toHaveProperty('message', `${file} cannot be imported: ${why}`);
});

it.each([
  ['no-such-package', ''],
  ['no-such/package', ''],
  ['@no/such.js', ''],
  ['no-such.json', ''],
  ['missing.ts', '. Name the compiled .js file instead'],
  ['missing.mts', '. Name the compiled .js file instead'],
])('a module that is not there is refused, and a source file gets a hint: %s', async (specifier, remedy) => {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  const error = await errorOf(definitionsIn(specifier));
  expect(error).toHaveProperty('message', `${specifier} cannot be imported: MODULE_NOT_FOUND${remedy}`);
});

it.each(['./missing.js', 'dist/missing.js', 'dist/missing.cjs', '../missing'])(
  'B29: a path that does not exist is called so, and the build is named: %s',
  async (specifier) => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    expect(await errorOf(definitionsIn(specifier))).toHaveProperty(
      'message',
      `There is no file ${specifier}. Build the application first (npm run build), then name the compiled file that exports the definition.`,
    );
  },
);

it.each([
  ['a package', "require('@no/such');", '@no/such is not installed. Install it: npm install @no/such'],
  ['an absolute path', "require('/canary/missing.js');", 'MODULE_NOT_FOUND'],
])('B29 S10: a module that lacks another is refused, and its name is shown: %s', async (_, text, why) => {
  const file = moduleOf(text, 'definitions.cjs');
  expect(await errorOf(definitionsIn(file))).toHaveProperty('message', `${file} cannot be imported: ${why}`);
});
