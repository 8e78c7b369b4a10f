import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/package/packed-package.js';

/** The rows of a table of `docs/breakages.md`, by their first cell. */
export function rowsUnder(heading: string): Map<string, string[]> {
  const page = readFileSync(join(ROOT, 'docs/breakages.md'), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| --'));
  return new Map(
    rows.slice(1).map((line) => {
      const [name = '', ...cells] = line
        .split(' | ')
        .map((cell) => cell.replaceAll(/^\| +| +\|$/g, '').trim());
      return [name, cells];
    }),
  );
}
