import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANUAL } from '../support/package/manual-pages.js';
import { manifest, ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { type CommandResult, runNode } from '../support/run/run-command.js';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let built: CommandResult;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const vitepress = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
  const command = [vitepress, 'build', 'docs', '--outDir', directory.path];
  built = await runNode(command, { cwd: ROOT, timeoutMs: 240_000 });
}, 250_000);

afterAll(() => directory.remove());

const pages = MANUAL.filter((page) => page.startsWith('docs/')).map((page) =>
  page.replace(/^docs\/(.+)\.md$/, '$1.html'),
);

function htmlOf(page: string): Promise<string> {
  return readFile(join(directory.path, page), 'utf8');
}

describe('npm run docs:site', () => {
  it('B26: makes a page of every page of docs, and finds no dead link', async () => {
    expect(manifest.scripts['docs:site']).toContain('vitepress build docs');
    expect(built).toMatchObject({ code: 0 });
    expect(await readdir(directory.path)).toEqual(
      expect.arrayContaining([...pages, 'llms.txt', 'llms-full.txt']),
    );
  });

  it('B26: each link inside of the site leads to a page and a heading of the site', async () => {
    const dead: string[] = [];
    let count = 0;
    for (const page of pages) {
      const html = await htmlOf(page);
      for (const [, link = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (link.startsWith('https:')) continue;
        count += 1;
        const [path = '', heading] = link.split('#');
        const target = path === '' ? page : posix.join('/', path).slice(1) || 'index.html';
        const isThere = existsSync(join(directory.path, target));
        if (!isThere || (heading !== undefined && !(await htmlOf(target)).includes(`id="${heading}"`)))
          dead.push(`${page}: ${link}`);
      }
    }
    expect(count).toBeGreaterThan(500);
    expect(dead).toEqual([]);
  });

  it('B26: no page loads anything from another host', async () => {
    const loaded: string[] = [];
    for (const page of pages)
      for (const [tag] of (await htmlOf(page)).matchAll(/<(?:script|link|img|iframe|source)\b[^>]*>/g))
        if (/(?:src|href)="(?:https?:)?\/\//.test(tag)) loaded.push(`${page}: ${tag}`);
    const assets = (await readdir(join(directory.path, 'assets'))).filter((name) => name.endsWith('.css'));
    expect(assets.length).toBeGreaterThan(0);
    for (const name of assets)
      for (const [url] of (await htmlOf(`assets/${name}`)).matchAll(
        /(?:@import|url\()\s*["']?https?:[^)"']+/g,
      ))
        loaded.push(`${name}: ${url}`);
    expect(loaded).toEqual([]);
  });

  it('B26: the search of the site finds the sections of all pages', async () => {
    const chunks = await readdir(join(directory.path, 'assets/chunks'));
    const [name = ''] = chunks.filter((chunk) => chunk.startsWith('@localSearchIndex'));
    const index = await htmlOf(`assets/chunks/${name}`);
    const headings = ['token_unavailable', 'tokenrenewaheadms', 'what-happens-if-redis-fails'];
    const others = pages.filter((page) => page !== 'index.html');
    const wanted = [...headings.map((heading) => `#${heading}"`), ...others.map((page) => `/${page}#`)];
    expect(wanted.filter((one) => !index.includes(one))).toEqual([]);
  });
});
