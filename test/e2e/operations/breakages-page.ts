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
  /** The heading of an earlier block that this one refers to, instead of repeating its lines. */
  readonly like?: string;
}

/** The sentence of a block that refers to an earlier one. Its fix can be the same too, and some lines can differ. */
const REFERENCE = /^Looks the same as \[(.+)\]\(#(.+?)\)(?:, and has the same fix\.|\.|, except:)$/;

/** The blocks under `## Faults`, by their headings. A block that refers to another one has the lines of both. */
export function faultBlocks(): ReadonlyMap<string, FaultBlock> {
  const page = readFileSync(join(ROOT, 'docs/breakages.md'), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith('Faults')) ?? '';
  const [, ...blocks] = section.split(/^### /m);
  const found = new Map<string, FaultBlock>();
  for (const block of blocks) {
    const [heading = '', ...parts] = block.trim().split('\n\n');
    const [, like] = parts.map((part) => REFERENCE.exec(part)).find((match) => match !== null) ?? [];
    const other = like === undefined ? undefined : found.get(headingOf(like));
    const lines = [...block.matchAll(/^- \*\*(.+)\*\*: (.+)$/gm)];
    const [first = ''] = parts;
    found.set(heading, {
      // The page shows names in code.
      advice: REFERENCE.test(first) ? (other?.advice ?? '') : first.replaceAll('`', ''),
      shown: new Map([
        ...(other?.shown ?? []),
        ...lines.map(([, name = '', text = '']) => [name, text] as const),
      ]),
      ...(like !== undefined && { like: headingOf(like) }),
    });
  }
  return found;
}

/** The heading of the block of a fault. */
export function headingOf(fault: string): string {
  return `${fault.charAt(0).toUpperCase()}${fault.slice(1)}`;
}
