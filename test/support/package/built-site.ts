import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode } from '../run/run-command.js';
import { ROOT } from './packed-package.js';

/** In this variable the setup of the suite (`site.setup.ts`) stores the folder of the site. */
export const SITE_VARIABLE = 'TEST_SITE';

/** This file says that the site is complete. */
const COMPLETE = 'complete';

/** The steps of `npm run docs:site`, without `llms.mjs`: other specs read its two files at the same time. */
function stepsInto(folder: string): string[][] {
  return [
    ['node_modules/typedoc/bin/typedoc', '--options', 'test/architecture/typedoc.json'],
    ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs', '--outDir', folder],
  ];
}

export interface BuiltSite {
  readonly folder: string;
  /** The pages below the folder, for example `errors.html`. */
  readonly pages: readonly string[];
}

/**
 * The site, as `npm run docs:site` makes it. A run builds it once: the two specs that use the site are in suites that do
 * not run at the same time.
 */
export async function builtSite(): Promise<BuiltSite> {
  const place = process.env[SITE_VARIABLE];
  if (place === undefined) throw new Error('The setup of the suite has made no folder for the site.');
  const folder = join(place, 'site');
  if (!existsSync(join(place, COMPLETE))) {
    for (const step of stepsInto(folder)) {
      const { code, output } = await runNode(step, { cwd: ROOT, timeoutMs: 240_000 });
      if (code !== 0) throw new Error(`The site cannot be built:\n${output}`);
    }
    await writeFile(join(place, COMPLETE), '');
  }
  const files = await readdir(folder, { recursive: true });
  return { folder, pages: files.filter((name) => name.endsWith('.html')).toSorted() };
}
