import type { FigureFile } from './figure-file.js';

export type Cell = string | number;

/** A table with names on the left and figures on the right. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The same for a run that did not keep all figures: without the rows that have none, and without the columns with a gap. */
export function keptTable(
  heads: readonly string[],
  rows: readonly (readonly (Cell | undefined)[])[],
): string {
  const kept = rows.filter(([, ...cells]) => cells.some((cell) => cell !== undefined));
  const isWhole = heads.map((_, column) => kept.every((cells) => cells[column] !== undefined));
  const ofWhole = <Item>(items: readonly Item[]) => items.filter((_, column) => isWhole[column]);
  return table(
    ofWhole(heads),
    kept.map((cells) => ofWhole(cells).map((cell) => cell ?? '')),
  );
}

/** The sentence about a run: when, how and where. */
export function aboutRun({ date, machine, command, note }: FigureFile<unknown>): string {
  const on = `${machine.cores} × ${machine.cpu}, Node ${machine.node.replace(/^v/, '')}`;
  return paragraph(`_\`${command}\`, ${date}, ${on}.${note === undefined ? '' : ` ${note}`}_`);
}

/** Breaks the lines of a paragraph. */
export function paragraph(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= 120) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function kib(bytes: number): string {
  return whole(bytes / 1024);
}
