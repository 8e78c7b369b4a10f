import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode } from '../run/run-command.js';
import { ROOT } from './packed-package.js';

export type Bundler = 'esbuild' | 'rolldown' | 'webpack';

/** The kinds of modules that a bundler makes, and the endings of their files. */
export const FORMATS = { cjs: 'cjs', esm: 'mjs' } as const;
export type Format = keyof typeof FORMATS;

const overEachTransport = {
  place: 'easy sandbox',
  statuses: [200, 401, 200],
  names: ['RequestRefusedError', 'TokenRequestError'],
  warnings: [],
};

/** The report of `test/package/apps/bundled`. A name that a bundler has shortened would differ. */
export const REPORT_OF_BUNDLED_APP = {
  byAxios: overEachTransport,
  byUndici: overEachTransport,
  atBoot: ['ProviderAuthConfigError'],
};

/**
 * Puts the application and all its packages into one minified file, and returns the file.
 *
 * @param home a folder with the packages of the application and the bundler.
 * @param into another folder, where the bundle finds no packages.
 */
export async function bundledApp(
  home: string,
  into: string,
  bundler: Bundler,
  format: Format,
): Promise<string> {
  const sources = join(home, 'bundled');
  const file = join(into, `${bundler}.${FORMATS[format]}`);
  await cp(join(ROOT, 'test/package/apps/bundled'), sources, { recursive: true });
  const { code, output } = await runNode([join(sources, `with-${bundler}.mjs`), format, file], {
    cwd: home,
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(`${bundler} failed:\n${output}`);
  return file;
}
