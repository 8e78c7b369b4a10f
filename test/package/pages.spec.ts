import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocksOf } from '../support/package/code-blocks.js';
import { MANUAL, sectionsOf, SKILL, textOfPage } from '../support/package/manual-pages.js';
import { manifest, ROOT } from '../support/package/packed-package.js';
import { deadLinksOf, linksOf, placeOfLink } from '../support/package/page-links.js';

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

/** Parts of commands that PowerShell reads in another way, as the page about compatibility names them. */
const NOT_IN_POWERSHELL: Readonly<Record<string, RegExp>> = {
  '`curl …`': /^curl /,
  "--data '{": /--data '\{/,
  '"$CONTROL/token"': /"\$\w+/,
  '`NAME=value command`': /^[A-Z_]+=\S+ \w/,
  '&&': / && /,
};

/** Prettier leaves these in one line. */
const ONE_IMPORT = /^import \{ \w+ \} from '[^']+';$/;

describe('the pages beside the README', () => {
  it.each(blocks)('%s: shows existing commands or code', async (_, block) => {
    expect(await faultsOf(block)).toEqual([]);
  });

  it('lead to files that exist', async () => {
    const pages = [...MANUAL, SKILL, 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...pagesOfSamples];
    const dead = await Promise.all(pages.map(deadLinksOf));
    expect(dead.flat()).toEqual([]);
  });

  it('B26: the pages of docs link only to each other, or to whole addresses, so that a site can be made of them', async () => {
    const docs = MANUAL.filter((page) => page.startsWith('docs/'));
    const links = (await Promise.all(docs.map(linksOf))).flat();
    expect(links.length).toBeGreaterThan(100);
    const leaving = links.filter(
      ({ file }) => file !== undefined && !/^docs\/(figures\/)?[^/]+$/.test(file.path),
    );
    expect(leaving.filter(({ link }) => !link.startsWith('https:')).map(placeOfLink)).toEqual([]);
  });

  it('B37: no page shows the number of a rule or a placeholder', async () => {
    const texts = await Promise.all(MANUAL.map(async (page) => [page, await textOfPage(page)] as const));
    const traces = texts.flatMap(([page, text]) =>
      [...text.matchAll(/\([BCRS]\d+\)|\bOWNER\b|Taken over from .*/g)].map(([trace]) => `${page}: ${trace}`),
    );
    expect(traces).toEqual([]);
  });

  it('B37: code encodes each value that it puts into a path', async () => {
    const shown = (await Promise.all([...MANUAL, ...pagesOfSamples].map(codeBlocksOf))).flat();
    const paths = shown.flatMap(({ page, line, text }) =>
      [...text.matchAll(/`\/[^`\n]*`/g)].map(([path]) => `${page}:${line}: ${path}`),
    );
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter((path) => /\$\{(?!encodeURIComponent\()/.test(path))).toEqual([]);
  });

  it('B37: code fits into 80 columns, so that the formatter of a new app leaves it as it is', async () => {
    const shown = (await Promise.all(MANUAL.map(codeBlocksOf))).flat();
    const code = shown.filter(({ language }) => ['ts', 'js', 'yaml', 'dockerfile'].includes(language));
    expect(code.length).toBeGreaterThan(70);
    const wide = code.flatMap(({ page, line, text }) =>
      text
        .split('\n')
        .flatMap((one) => (one.length > 80 && !ONE_IMPORT.test(one) ? [`${page}:${line}: ${one}`] : [])),
    );
    expect(wide).toEqual([]);
  });

  it('B37: commands that PowerShell runs in another way are in the list of the page about compatibility', async () => {
    const section = (await sectionsOf('docs/compatibility.md', 2)).get('Windows and macOS') ?? '';
    const shown = (await Promise.all(MANUAL.map(codeBlocksOf)))
      .flat()
      .filter(({ language }) => language === 'sh');
    const lines = shown.flatMap(({ text }) => text.split('\n'));
    expect(lines.length).toBeGreaterThan(20);
    const differing = Object.entries(NOT_IN_POWERSHELL).filter(([, use]) =>
      lines.some((line) => use.test(line)),
    );
    expect(differing.length).toBeGreaterThan(2);
    expect(differing.map(([name]) => name).filter((name) => !section.includes(name))).toEqual([]);
    // PowerShell continues a line after another character, so no line is continued. The query for jq is for a server.
    expect(lines.filter((line) => line.endsWith('\\'))).toEqual([]);
    const programs = lines.map((line) => line.split(' ')[0] ?? '').filter((word) => /^[a-z]/.test(word));
    expect(programs.filter((word) => !['npm', 'npx', 'node', 'cd', 'curl', 'jq'].includes(word))).toEqual([]);
  });

  it('B26: every page of docs is in one of the five lists of the index, and only once', async () => {
    const sections = [...(await sectionsOf('docs/index.md', 2))].map(
      ([heading, text]) => [heading, [...text.matchAll(/^- \[.+?\]\((.+?)\): \S/gm)]] as const,
    );
    const lists = sections.filter(([, rows]) => rows.length > 0);
    expect(lists.map(([heading]) => heading)).toEqual(['Start', 'Use', 'Test', 'Run', 'Reference']);
    const listed = lists.flatMap(([, rows]) => rows.map(([, page = '']) => `docs/${page}`));
    expect(listed.toSorted()).toEqual(
      MANUAL.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md'),
    );
  });
});

describe('the front', () => {
  it.each(['README.md', 'docs/index.md'])(
    'B37: %s begins with one sentence for every reader with client credentials, and two ways to begin',
    async (page) => {
      const [, promise = ''] = /^# .+\n\n(.+)\n\n/.exec(await textOfPage(page)) ?? [];
      expect(promise).toMatch(/^OAuth 2\.0 client credentials .+\.$/);
      expect(promise.split('. ')).toHaveLength(1);
      expect(promise).not.toMatch(/easy|originations/);
      const [first, second] = (await linksOf(page)).map(({ file }) => file?.path);
      expect([first, second]).toEqual(['docs/tutorial.md', 'docs/providers.md']);
    },
  );

  it.each(['README.md', 'docs/index.md', 'docs/breakages.md'])(
    'B37: %s leads to no address that does not exist yet',
    async (page) => {
      expect(await textOfPage(page)).not.toContain('OWNER');
    },
  );
});

describe('the README', () => {
  it('B26: has at most 250 lines, and what users need comes first', async () => {
    const text = await textOfPage('README.md');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(250);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
    expect(headings.slice(0, 3)).toEqual(['Install', 'Configure', 'Call']);
    expect(headings.at(-1)).toBe('Contribute');
  });

  it('B26: leads to every page of docs', async () => {
    const targets = (await linksOf('README.md')).map(({ file }) => file?.path);
    expect(MANUAL.filter((page) => page.startsWith('docs/') && !targets.includes(page))).toEqual([]);
  });
});

describe('the skill', () => {
  it('B26: has fewer than 150 lines, and a name and a description as skills have', async () => {
    const text = await textOfPage(SKILL);
    expect(text.split('\n').length).toBeLessThan(150);
    const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
    expect(name).toBe(basename(dirname(SKILL)));
    expect(description.length).toBeGreaterThan(50);
    expect(description.length).toBeLessThan(1024);
  });

  it('B26: names files of the package', async () => {
    const named = [...(await textOfPage(SKILL)).matchAll(/`(\.\.\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !MANUAL.includes(join(dirname(SKILL), path)))).toEqual([]);
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
