import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './packed-package.js';

/** A fenced block of a page. The hidden comment `<!-- case: name -->` before the block names its test case. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly name: string | undefined;
}

const FENCE = /^( *)```(\w*)$/;
const NAME = /^ *<!-- case: (\S+) -->$/;

export async function codeBlocksOf(page: string): Promise<readonly CodeBlock[]> {
  const blocks: CodeBlock[] = [];
  let name: string | undefined;
  let open: { indent: number; language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of (await readFile(join(ROOT, page), 'utf8')).split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (open && fence) {
      const { language, line, lines } = open;
      blocks.push({ page, name, language, line, text: lines.join('\n') });
      name = open = undefined;
    } else if (open) {
      open.lines.push(line.slice(open.indent));
    } else if (fence) {
      open = { indent: fence[1]?.length ?? 0, language: fence[2] ?? '', line: index + 1, lines: [] };
    } else if (line.trim() !== '') {
      name = NAME.exec(line)?.[1];
    }
  }
  if (open) throw new Error(`${page}:${open.line}: the block has no end.`);
  return blocks;
}

/** Finds the text of a block of these pages by its name. */
export async function shownOn(...pages: readonly string[]): Promise<(name: string) => string> {
  const blocks = (await Promise.all(pages.map(codeBlocksOf))).flat();
  return (name) => {
    const text = blocks.find((block) => block.name === name)?.text;
    if (text === undefined) throw new Error(`There is no block ${name} on ${pages.join(', ')}.`);
    return text;
  };
}

/** This line of a frame is replaced by a block, unchanged. */
const PLACE = '// THE BLOCK\n';

/** The code of a file, with a block in its place. */
export async function codeWithBlock(file: string, block: string): Promise<string> {
  const frame = await readFile(file, 'utf8');
  if (frame.split(PLACE).length !== 2) throw new Error(`${file} must have exactly one place for the block.`);
  return frame.replace(PLACE, () => `${block}\n`);
}
