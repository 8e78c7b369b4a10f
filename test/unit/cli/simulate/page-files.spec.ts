import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CannotRun } from '../../../../lib/cli/environment.js';
import { readPage } from '../../../../lib/cli/simulate/page-files.js';
import { emptyFolder, PAGE_FOLDER } from '../../../support/application/simulate.js';

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'timeline.js': 'text/javascript; charset=utf-8',
};

it('B25: the page has these files, each with its type and its text', async () => {
  const page = await readPage(PAGE_FOLDER);
  expect([...page].map(([name, { type, content }]) => [name, type, content.toString()])).toEqual(
    Object.entries(TYPES).map(([name, type]) => [name, type, readFileSync(join(PAGE_FOLDER, name), 'utf8')]),
  );
});

it.each(Object.keys(TYPES))('B25: without its file %s, the page does not start', async (missing) => {
  const folder = emptyFolder();
  for (const name of Object.keys(TYPES)) if (name !== missing) writeFileSync(join(folder, name), '');
  const page = readPage(folder);
  await expect(page).rejects.toThrow(CannotRun);
  await expect(page).rejects.toThrow(
    `The file ${missing} of the page is missing. Reinstall the package, or use --no-page.`,
  );
});
