import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { boostDocument } from '../../../docs/.vitepress/search.js';
import { builtSite, type BuiltSite } from '../../support/package/built-site.js';
import { MANUAL } from '../../support/package/manual-pages.js';
import { entries, manifest, ROOT } from '../../support/package/packed-package.js';
import { runCommand } from '../../support/run/run-command.js';

let site: BuiltSite;

beforeAll(async () => {
  site = await builtSite();
}, 250_000);

/** The pages that `docs` has as files. */
const ofManual = MANUAL.filter((page) => page.startsWith('docs/')).map((page) =>
  page.replace(/^docs\/(.+)\.md$/, '$1.html'),
);

/** The texts of the files that were read before. Thousands of links lead to the same pages. */
const texts = new Map<string, Promise<string>>();

function htmlOf(page: string): Promise<string> {
  const text = texts.get(page) ?? readFile(join(site.folder, page), 'utf8');
  texts.set(page, text);
  return text;
}

/** The file that the host of the site sends for this address. */
function fileOf(path: string): string {
  return path.endsWith('/') ? `${path.slice(1)}index.html` : path.slice(1);
}

describe('npm run docs:site', () => {
  it('B26: makes a page of every page of docs, and finds no dead link', async () => {
    // `vitepress build` fails if a link is dead.
    expect(manifest.scripts['docs:site']).toMatch(/^npm run docs && .*vitepress build docs$/);
    expect(await readdir(site.folder)).toEqual(
      expect.arrayContaining([...ofManual, 'llms.txt', 'llms-full.txt']),
    );
  });

  it('B26: has a page for each entry of the package, and for each name that the entry exports', async () => {
    for (const { subpath, types } of entries) {
      const entry = posix.join('api', manifest.name, subpath);
      const declared = await readFile(join(ROOT, types.import), 'utf8');
      const names = [...declared.matchAll(/export (?:type )?\{([^}]+)\}/g)]
        .flatMap(([, list = '']) => list.split(','))
        .map((name) =>
          name
            .trim()
            .replace(/^type /, '')
            .replace(/^.* as /, ''),
        )
        .filter((name) => name !== '');
      expect(names.length).toBeGreaterThan(0);
      const below = new RegExp(
        `^${entry}(?:/(?:classes|functions|interfaces|type-aliases|variables))?/\\w+\\.html$`,
      );
      const documented = site.pages
        .filter((page) => below.test(page))
        .map((page) => posix.basename(page, '.html'));
      expect(['index', ...names].filter((name) => !documented.includes(name))).toEqual([]);
    }
  });

  it('B26: the API reference is neither in the package nor in llms-full.txt', async () => {
    const { stdout } = await runCommand('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: ROOT,
    });
    const [{ files = [] } = {}]: { files?: { path: string }[] }[] = JSON.parse(stdout);
    const docs = files.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(docs.length).toBeGreaterThan(ofManual.length);
    const folders = new Set(docs.map((path) => posix.dirname(path)));
    expect(folders).toEqual(new Set(['docs']));
    const text = await readFile(join(site.folder, 'llms-full.txt'), 'utf8');
    expect([...text.matchAll(/^<!-- (docs\/.*) -->$/gm)].map(([, page]) => page)).toHaveLength(
      ofManual.length - 1,
    );
  });

  it('B26: each link inside of the site leads to a page and a heading of the site', async () => {
    const dead: string[] = [];
    let count = 0;
    for (const page of site.pages) {
      const html = await htmlOf(page);
      for (const [, link = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (link.startsWith('https:')) continue;
        count += 1;
        const [path = '', heading] = link.split('#');
        const target =
          path === '' ? page : fileOf(posix.join('/', path.startsWith('/') ? '' : posix.dirname(page), path));
        const isThere = existsSync(join(site.folder, target));
        if (!isThere || (heading !== undefined && !(await htmlOf(target)).includes(`id="${heading}"`)))
          dead.push(`${page}: ${link}`);
      }
    }
    expect(count).toBeGreaterThan(5000);
    expect(dead).toEqual([]);
  });

  it('B26: no page loads anything from another host', async () => {
    const loaded: string[] = [];
    for (const page of site.pages)
      for (const [tag] of (await htmlOf(page)).matchAll(/<(?:script|link|img|iframe|source)\b[^>]*>/g))
        if (/(?:src|href)="(?:https?:)?\/\//.test(tag)) loaded.push(`${page}: ${tag}`);
    const assets = (await readdir(join(site.folder, 'assets'))).filter((name) => name.endsWith('.css'));
    expect(assets.length).toBeGreaterThan(0);
    for (const name of assets)
      for (const [url] of (await htmlOf(`assets/${name}`)).matchAll(
        /(?:@import|url\()\s*["']?https?:[^)"']+/g,
      ))
        loaded.push(`${name}: ${url}`);
    expect(loaded).toEqual([]);
  });

  it('B26: the search of the site finds the sections of all pages', async () => {
    const chunks = await readdir(join(site.folder, 'assets/chunks'));
    const [name = ''] = chunks.filter((chunk) => chunk.startsWith('@localSearchIndex'));
    const index = await htmlOf(`assets/chunks/${name}`);
    const headings = ['token_unavailable', 'tokenrenewaheadms', 'what-happens-if-redis-fails'];
    const others = site.pages.filter((page) => page !== 'index.html' && page !== '404.html');
    const wanted = [
      ...headings.map((heading) => `#${heading}"`),
      ...others.map((page) => `/${page.replace(/index\.html$/, '')}#`),
    ];
    expect(wanted.filter((one) => !index.includes(one))).toEqual([]);
  });

  it.each([
    ['logging', 'alerts'],
    ['mtls', 'certificates'],
    ['retry', 'requests'],
    ['multi-tenant', 'accounts'],
    ['kubernetes', 'without-a-secret'],
    ['redis', 'fleet'],
    ['prometheus', 'alerts'],
    ['health', 'operations'],
    ['monitoring', 'operations'],
    ['auth0', 'providers'],
    ['keycloak', 'providers'],
    ['401', 'requests'],
    ['mock', 'testing'],
    ['jest', 'testing'],
    ['docker', 'simulate'],
    ['vault', 'secrets'],
    ['http2', 'transport'],
    ['debug', 'doctor'],
    ['install', 'compatibility'],
    ['benchmark', 'performance'],
    ['openapi', 'generated-clients'],
    ['TOKEN_REJECTED', 'errors'],
    ['private key jwt', 'own-provider'],
    ['windows', 'compatibility'],
    ['tracing', 'operations'],
    ['rotate certificate', 'certificates'],
    ['second provider', 'own-provider'],
    ['redact', 'security'],
  ])('B26: a search for %s finds the page %s at place 1 or 2', async (query, page) => {
    const found = (await searchIndex()).search(query).map(({ id }) => id.replace(/^\/(.+)\.html.*$/, '$1'));
    expect([...new Set(found)].slice(0, 2)).toContain(page);
  });

  it('B26: no page of the manual leads to the placeholder address of the repository', async () => {
    for (const page of ['index.html', 'breakages.html']) expect(await htmlOf(page)).not.toContain('OWNER');
    expect(await htmlOf('index.html')).not.toContain('>GitHub<');
  });

  it('B26: commands that install packages have tabs, and NestJS 11 has one', async () => {
    for (const page of ['index.html', 'compatibility.html', 'tutorial.html']) {
      const html = await htmlOf(page);
      const tabs = [...html.matchAll(/<label [^>]*data-title="([^"]+)"/g)].map(([, title]) => title);
      expect(tabs.slice(0, 3)).toEqual(['npm', 'pnpm', 'yarn']);
      expect(tabs.includes('NestJS 11')).toBe(page !== 'tutorial.html');
      expect(html).toContain('pnpm');
    }
  });

  it('B26: each cell of a table names its column, for phones', async () => {
    const html = await htmlOf('configuration.html');
    const cells = html.match(/<td [^>]*>/g) ?? [];
    expect(cells.length).toBeGreaterThan(20);
    expect(cells.filter((cell) => !/role="cell"/.test(cell) || !/data-label="[^"]+"/.test(cell))).toEqual([]);
  });

  it('B37: the API reference begins with the ten names that are used most, and names no rule', async () => {
    const html = await htmlOf(`api/${manifest.name}/index.html`);
    const [, first = ''] = html.slice(html.indexOf('<main')).split('<h2 ');
    expect(first).toContain('Most Used');
    expect(first.match(/<li>/g)).toHaveLength(10);
    const numbered = await Promise.all(
      site.pages.map(async (page) => (/\((?:[SCB]\d+(?:, )?)+\)/.test(await htmlOf(page)) ? [page] : [])),
    );
    expect(numbered.flat()).toEqual([]);
  });
});

interface SearchIndex {
  search(query: string): { id: string }[];
}

let loaded: SearchIndex | undefined;

/** The index that the site sends to browsers, with the settings of VitePress and of the site. */
async function searchIndex(): Promise<SearchIndex> {
  if (loaded) return loaded;
  const chunks = await readdir(join(site.folder, 'assets/chunks'));
  const name = chunks.find((chunk) => chunk.startsWith('@localSearchIndexroot')) ?? '';
  const { default: index }: { default: string } = await import(join(site.folder, 'assets/chunks', name));
  const ofVitePress = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'));
  const MiniSearch: { loadJSON(json: string, options: object): SearchIndex } = ofVitePress('minisearch');
  loaded = MiniSearch.loadJSON(index, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, boostDocument },
  });
  return loaded;
}
