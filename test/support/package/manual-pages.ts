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

/** The page for coding assistants. Its blocks are blocks of the manual. */
export const SKILL = 'skills/nestjs-provider-auth/SKILL.md';

export function textOfPage(page: string): Promise<string> {
  return readFile(join(ROOT, page), 'utf8');
}

/** The blocks of all pages, and of the skill. Two blocks with one name have the same text, so that one test is enough for both. */
export async function blocksOfManual(): Promise<readonly CodeBlock[]> {
  const blocks = (await Promise.all([...MANUAL, SKILL].map(codeBlocksOf))).flat();
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

/** The text below each heading of this level, by the heading. */
export async function sectionsOf(page: string, level: number): Promise<ReadonlyMap<string, string>> {
  const [, ...sections] = `\n${await textOfPage(page)}`.split(new RegExp(`\\n#{${level}} `));
  return new Map(
    sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const end = lines.findIndex((line) => /^#{1,6} /.test(line));
      return [heading, lines.slice(0, end < 0 ? undefined : end).join('\n')];
    }),
  );
}

/** An option, as its section of `docs/configuration.md` describes it. */
export interface DescribedOption {
  readonly name: string;
  readonly type: string | undefined;
  readonly default: string | undefined;
  readonly unit: string | undefined;
  readonly changeItWhen: string | undefined;
  readonly example: string | undefined;
}

export async function describedOptions(): Promise<readonly DescribedOption[]> {
  const sections = await sectionsOf('docs/configuration.md', 3);
  return [...sections].map(([heading, text]) => {
    const labelled = (label: string) => new RegExp(`^(?:- )?\\*\\*${label}\\*\\* (.+)$`, 'm').exec(text)?.[1];
    return {
      name: heading.replaceAll('`', ''),
      type: labelled('Type:'),
      default: labelled('Default:'),
      unit: labelled('Unit:'),
      changeItWhen: labelled('Change it when'),
      example: /^`(.+)`$/.exec(labelled('Example:') ?? '')?.[1],
    };
  });
}
