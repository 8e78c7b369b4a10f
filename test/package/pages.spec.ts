import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocksOf } from '../support/package/code-blocks.js';
import { manifest, ROOT } from '../support/package/packed-package.js';

const samples = (await readdir(join(ROOT, 'sample'))).filter((name) => /^\d\d-/.test(name));
const pagesOfSamples = samples
  .map((name) => `sample/${name}/README.md`)
  .filter((page) => existsSync(join(ROOT, page)));

/** third-interface.spec.ts tests these blocks. */
const ELSEWHERE = ['third-catalogue', 'third-service'];

const blocks = (await Promise.all(['CONTRIBUTING.md', 'SECURITY.md', ...pagesOfSamples].map(codeBlocksOf)))
  .flat()
  .filter(({ name = '' }) => !ELSEWHERE.includes(name))
  .map((block) => [`${block.page}:${block.line}`, block] as const);

describe('the pages beside the README', () => {
  it.each(blocks)('%s: shows existing commands or code', async (_, block) => {
    expect(await faultsOf(block)).toEqual([]);
  });

  it('lead to files that exist', async () => {
    const docs = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      ...pagesOfSamples,
      ...docs.map((name) => `docs/${name}`),
    ];
    const dead = await Promise.all(pages.map(deadLinksOf));
    expect(dead.flat()).toEqual([]);
  });
});

/** Lines of a block that are no existing command or code. */
async function faultsOf({ page, language, text }: CodeBlock): Promise<string[]> {
  if (language === 'sh') return text.split('\n').filter((line) => !isCommand(line.replace(/ +#.*/, '')));
  if (language === 'ts') {
    const folder = join(ROOT, page, '../src');
    const files = await readdir(folder, { recursive: true });
    const sources = await Promise.all(
      files.filter((file) => file.endsWith('.ts')).map((file) => readFile(join(folder, file), 'utf8')),
    );
    return sources.some((source) => flat(source).includes(flat(text))) ? [] : [text];
  }
  return [`no test checks ${language || 'a block without a language'}`];
}

/** An excerpt may be indented less than its source. */
function flat(code: string): string {
  return code.replaceAll(/^ +/gm, '');
}

function isCommand(line: string): boolean {
  return line.split(' && ').every((command) => {
    const [, script = '', folder] =
      /^npm (?:run )?([\w:]+)(?: --workspace (sample\/[\w-]+))?$/.exec(command) ?? [];
    const scripts = folder === undefined ? manifest.scripts : scriptsOf(folder);
    return script === 'ci' || script in scripts || command.startsWith('git worktree add /tmp/');
  });
}

function scriptsOf(sample: string): Record<string, string> {
  const file = join(ROOT, sample, 'package.json');
  if (!existsSync(file)) return {};
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(file, 'utf8'));
  return scripts;
}

/** Links to files or headings that do not exist. */
async function deadLinksOf(page: string): Promise<string[]> {
  const links = [...(await readFile(join(ROOT, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)];
  const dead = await Promise.all(
    links.map(async ([, link = '']) => {
      if (link.startsWith('https:')) return [];
      const [file = '', heading] = link.split('#');
      const target = file === '' ? page : join(page, '..', file);
      if (!existsSync(join(ROOT, target))) return [`${page}: ${link}`];
      if (heading === undefined) return [];
      const text = await readFile(join(ROOT, target), 'utf8');
      const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
      return anchors.includes(heading) ? [] : [`${page}: ${link}`];
    }),
  );
  return dead.flat();
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
