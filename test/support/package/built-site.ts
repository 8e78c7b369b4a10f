import { readdir } from 'node:fs/promises';
import { runNode } from '../run/run-command.js';
import { ROOT } from './packed-package.js';

/** The steps of `npm run docs:site`, without `llms.mjs`: other specs read its two files at the same time. */
const TYPEDOC = ['node_modules/typedoc/bin/typedoc', '--options', 'test/support/architecture/typedoc.json'];
const VITEPRESS = ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs', '--outDir'];

/** Builds the site into the folder, as `npm run docs:site` does. Returns its pages, for example `errors.html`. */
export async function buildSite(folder: string): Promise<readonly string[]> {
  for (const step of [TYPEDOC, [...VITEPRESS, folder]]) {
    const { code, output } = await runNode(step, { cwd: ROOT, timeoutMs: 240_000 });
    if (code !== 0) throw new Error(`The site cannot be built:\n${output}`);
  }
  const files = await readdir(folder, { recursive: true });
  return files.filter((name) => name.endsWith('.html')).toSorted();
}
