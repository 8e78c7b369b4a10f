import { readdirSync, readFileSync } from 'node:fs';
import { absolute, formatted } from './figure-file.js';

/** The pages that may show figures: the manual, and the pages of the tests. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(absolute('docs'))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `docs/${name}`),
  'test/bench/README.md',
  'test/mutation/README.md',
  'test/e2e/soak/README.md',
];

/** Generated text of a page, between two comments. Its name is `<figure>/<block>`. */
const BLOCK = /(<!-- figures: (\S+) -->)[^]*?(<!-- end -->)/g;

export function pageText(page: string): string {
  return readFileSync(absolute(page), 'utf8');
}

/** The names of the generated blocks of a page, in their order. */
export function blocksIn(text: string): string[] {
  return [...text.matchAll(BLOCK)].map(([, , name = '']) => name);
}

/** The page with the text of all blocks written again. A block without figures stays as it is. */
export function withBlocks(text: string, blocks: ReadonlyMap<string, string>): Promise<string> {
  const written = text.replaceAll(BLOCK, (found, begin: string, name: string, end: string) => {
    const block = blocks.get(name);
    return block === undefined ? found : `${begin}\n\n${block}\n\n${end}`;
  });
  return formatted(written, 'markdown');
}
