import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { codeBlocksOf } from '../support/package/code-blocks.js';
import { MANUAL, SKILL, textOfPage } from '../support/package/manual-pages.js';
import { ROOT } from '../support/package/packed-package.js';
import { deadLinksOf, linksOf } from '../support/package/page-links.js';

const texts = await Promise.all(MANUAL.map(async (page) => [page, await textOfPage(page)] as const));
const pagesOfDocs = MANUAL.filter((page) => page.startsWith('docs/'));

/** `manual.spec.ts` compiles the blocks and runs what a new user runs. */

it('B26: leads to files and headings that exist', async () => {
  const files = await readdir(join(ROOT, 'test'), { recursive: true });
  const ofTests = files
    .filter((file) => file.endsWith('README.md') && !file.includes('node_modules'))
    .map((file) => join('test', file));
  expect(ofTests.length).toBeGreaterThan(3);
  const pages = [...MANUAL, SKILL, 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...ofTests];
  expect((await Promise.all(pages.map(deadLinksOf))).flat()).toEqual([]);
});

it('B30: names only files that exist on the pages for contributors, which are short', async () => {
  const limits = { 'CONTRIBUTING.md': 200, 'test/README.md': 80 };
  for (const [page, limit] of Object.entries(limits)) {
    const text = await textOfPage(page);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(limit);
    const named = [...text.matchAll(/`(\w[\w./-]*\.(?:ts|mjs|cjs|md))`/g)].map(([, file = '']) => file);
    const folders = ['', 'lib', 'test', '.github/workflows'];
    const gone = named.filter((file) => !folders.some((folder) => existsSync(join(ROOT, folder, file))));
    expect({ page, gone }).toEqual({ page, gone: [] });
  }
});

it('B26: has a README of at most 250 lines that leads to every page', async () => {
  expect((await textOfPage('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  const targets = (await linksOf('README.md')).map(({ file }) => file?.path);
  expect(pagesOfDocs.filter((page) => !targets.includes(page))).toEqual([]);
});

it('B26: has a skill of fewer than 150 lines that names files of the package', async () => {
  const skill = await textOfPage(SKILL);
  expect(skill.split('\n').length).toBeLessThan(150);
  const named = [...skill.matchAll(/`(\.\.\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.filter((path) => !MANUAL.includes(join(dirname(SKILL), path)))).toEqual([]);
});

it('B37: shows no number of a rule and no placeholder', () => {
  const traces = texts.flatMap(([page, text]) =>
    [...text.matchAll(/\([BCRS]\d+\)|\bOWNER\b|Taken over from .*/g)].map(([trace]) => `${page}: ${trace}`),
  );
  expect(traces).toEqual([]);
});

it('B37: encodes each value that its code puts into a path', async () => {
  const blocks = (await Promise.all(MANUAL.map(codeBlocksOf))).flat();
  const paths = blocks.flatMap(({ page, text }) =>
    [...text.matchAll(/`\/[^`\n]*`/g)].map(([path]) => `${page}: ${path}`),
  );
  expect(paths.filter((path) => /\$\{(?!encodeURIComponent\()/.test(path))).toEqual([]);
});
