import { readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, expect, it } from 'vitest';
import { MANUAL, SKILL, textOfPage } from '../support/package/manual-pages.js';
import { entries, manifest, pack, ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { linksOf, placeOfLink } from '../support/package/page-links.js';

const directory = await temporaryDirectory();
afterAll(() => directory.remove());
const { tarball, files } = await pack(directory.path);

/** The files of the simulator, which only tests load. */
const SIMULATOR = ['clients', 'simulator'];

it('contains the builds, the manual, the skill, the changelog, the licence and package.json', async () => {
  const others = files.filter((file) => !file.startsWith('dist/'));
  const expected = [
    '.env.example',
    'CHANGELOG.md',
    'LICENSE',
    'SECURITY.md',
    'docs/grafana-dashboard.json',
    'docs/request.svg',
    'docs/simulate.svg',
    'llms.txt',
    'package.json',
    SKILL,
    ...MANUAL,
  ];
  expect(others.toSorted()).toEqual(expected.toSorted());
});

it('B26: the links of its pages lead to files of the tarball, or are whole addresses', async () => {
  const pages = files.filter((file) => file.endsWith('.md'));
  // Photos of screens stay in the repository: they are larger than all code of an entry (B19).
  const links = (await Promise.all(pages.map(linksOf))).flat().filter(({ link }) => !link.endsWith('.png'));
  const dead = links.filter(
    ({ link, file }) => !link.startsWith('https:') && !files.includes(file?.path ?? ''),
  );
  expect(links.length).toBeGreaterThan(150);
  expect(dead.map(placeOfLink)).toEqual([]);
});

it('B26: llms.txt lists every page, and llms-full.txt, which stays on the site, has the text of every page', async () => {
  const [list, full] = await Promise.all([textOfPage('llms.txt'), textOfPage('llms-full.txt')]);
  const rows = [...list.matchAll(/^- \[.+\]\(([^)]+)\): \S.*\.$/gm)].map(([, page = '']) => page);
  const pages = MANUAL.filter((page) => page !== 'docs/index.md');
  expect(rows).toEqual(pages);
  expect(list.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(pages.length);
  for (const page of pages) {
    const lines = (await textOfPage(page)).split('\n').filter((line) => !line.includes('<!-- case: '));
    expect(full.replaceAll(/\n+/g, '\n')).toContain(lines.filter((line) => line !== '').join('\n'));
  }
});

it('B19: contains the same declarations in both builds: one file for each entry, and few that entries share', () => {
  const found = files.filter((file) => file.endsWith('.d.ts'));
  const inEsm = found.flatMap((file) =>
    file.startsWith('dist/esm/') ? [posix.relative('dist/esm', file)] : [],
  );
  const ofEntries = entries.map(({ types }) => posix.relative('dist/esm', types.import));
  const shared = inEsm.filter((file) => file.startsWith('chunks/'));
  expect(inEsm.filter((file) => !shared.includes(file)).toSorted()).toEqual(ofEntries.toSorted());
  expect(shared.length).toBeLessThan(entries.length);
  expect(found.toSorted()).toEqual(inBothBuilds(inEsm));
});

it('B19: has at most 400 KiB, because gzip stores the second copy of a short file as a repetition', async () => {
  expect((await stat(tarball)).size).toBeLessThan(400 * 1024);
});

it('B14: contains few more code files than entries, because each file costs time when it is loaded', () => {
  const code = files.filter(
    (file) => file.startsWith('dist/') && !file.endsWith('.d.ts') && !file.startsWith('dist/esm/cli/page/'),
  );
  // B27: a separate file reads the dispatcher of the application, because it must run before undici.
  const names = ['core', 'host-dispatcher', 'rolldown-runtime', ...SIMULATOR];
  const shared = names.map((name) => `chunks/${name}.js`);
  const expected = entries.map((entry) => posix.relative('dist/esm', entry.import)).concat(shared);
  // Both names of the command lead to one file.
  const commands = new Set(Object.values(manifest.bin ?? {}).map((file) => posix.normalize(file)));
  const schematic = ['collection.json', 'nest-add.js', 'schema.json'].map(
    (file) => `dist/cjs/schematics/${file}`,
  );
  // The command loads its program last, so that it can name a package that is missing.
  const once = [...commands, 'dist/esm/chunks/program.js', 'dist/cjs/package.json', ...schematic];
  expect(code.toSorted()).toEqual([...inBothBuilds(expected), ...once].toSorted());
});

it('B25: contains the files of the page of the simulator, once', () => {
  const page = files.filter((file) => file.includes('/page/') || /\.(html|css)$/.test(file));
  expect(page.toSorted()).toEqual(
    ['index.html', 'page.css', 'page.js'].map((file) => `dist/esm/cli/page/${file}`),
  );
});

it('refers to no source map', async () => {
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(ROOT, file), 'utf8') })),
  );
  const referring = texts.filter(
    ({ file, text }) => file.startsWith('dist/') && text.includes('sourceMappingURL'),
  );
  expect(referring.map(({ file }) => file)).toEqual([]);
});

it('keeps the documentation of the public names in the declarations, and leaves internal members out', async () => {
  const declarations = await textOfDeclarations();
  expect(declarations).toContain('* @example');
  expect(declarations).toMatch(/\*\/\ndeclare class ProviderAuthModule /);
  expect(declarations).toMatch(/\*\/\ndeclare class ProviderAuthService /);
  expect(declarations).toContain('status(): readonly ProviderStatus<Interface, Environment>[]');
  expect(declarations).toContain('class AccessToken');
  expect(declarations).not.toContain('endsWithin(');
});

it('B37: names no rule in the declarations, because users cannot read the rules', async () => {
  expect(await textOfDeclarations()).not.toMatch(/(?<!#)\b[SCB]\d+\b/);
});

it('has no publint message', async () => {
  const bytes = await readFile(tarball);
  const { messages } = await publint({
    pack: { tarball: new Uint8Array(bytes).buffer },
    strict: true,
  });
  expect(messages.map((message) => formatMessage(message, { ...manifest }, { color: false }))).toEqual([]);
});

function inBothBuilds(names: readonly string[]): string[] {
  return names.flatMap((name) => [`dist/esm/${name}`, `dist/cjs/${name}`]).toSorted();
}

async function textOfDeclarations(): Promise<string> {
  const found = files.filter((file) => file.endsWith('.d.ts'));
  const texts = await Promise.all(found.map((file) => readFile(join(ROOT, file), 'utf8')));
  return texts.join('\n');
}
