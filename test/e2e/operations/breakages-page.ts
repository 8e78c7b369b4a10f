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

/** What a block of `docs/breakages.md` says: its advice, and each line of its list by the name of the source. */
export interface FaultBlock {
  readonly advice: string;
  readonly shown: ReadonlyMap<string, string>;
}

/** The blocks under `## Faults`, by their headings. */
export function faultBlocks(): ReadonlyMap<string, FaultBlock> {
  const page = readFileSync(join(ROOT, 'docs/breakages.md'), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith('Faults')) ?? '';
  const [, ...blocks] = section.split(/^### /m);
  return new Map(
    blocks.map((block) => {
      const [heading = '', advice = '', list = ''] = block.trim().split('\n\n');
      const lines = [...list.matchAll(/^- \*\*(.+)\*\*: (.+)$/gm)];
      return [heading, { advice, shown: new Map(lines.map(([, name = '', text = '']) => [name, text])) }];
    }),
  );
}

/** The heading of the block of a fault. */
export function headingOf(fault: string): string {
  return `${fault.charAt(0).toUpperCase()}${fault.slice(1)}`;
}
