import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodeBlock, codeBlocksOf } from './code-blocks.js';
import { ROOT } from './packed-package.js';

const docs = await readdir(join(ROOT, 'docs'));

/** The pages of the manual: the README, and every page of `docs`. */
export const MANUAL: readonly string[] = [
  'README.md',
  ...docs
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `docs/${name}`),
];

export function textOfPage(page: string): Promise<string> {
  return readFile(join(ROOT, page), 'utf8');
}

/** The blocks of all pages. Two blocks with one name have the same text, so that one test is enough for both. */
export async function blocksOfManual(): Promise<readonly CodeBlock[]> {
  const blocks = (await Promise.all(MANUAL.map(codeBlocksOf))).flat();
  const texts = new Map<string, CodeBlock>();
  for (const block of blocks) {
    if (block.name === undefined) continue;
    const first = texts.get(block.name) ?? block;
    if (first.text !== block.text)
      throw new Error(`${placeOf(first)} and ${placeOf(block)} have one name and different texts.`);
    texts.set(block.name, first);
  }
  return blocks;
}

export function placeOf({ page, line, name }: CodeBlock): string {
  return `${page}:${line} ${name ?? 'without a name'}`;
}

/** The cells of each table row of these pages, without the heads of the tables. */
export async function tableRowsOf(pages: readonly string[] = MANUAL): Promise<string[][]> {
  const texts = await Promise.all(pages.map(textOfPage));
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
}
