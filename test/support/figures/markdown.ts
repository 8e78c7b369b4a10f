import type { FigureFile } from './figure-file.js';

export type Cell = string | number;

/** A table with names on the left and figures on the right. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
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
