import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { extend } from './markdown.js';
import { boostDocument, withSearchWords } from './search.js';

const ROOT = join(import.meta.dirname, '../..');
const BASE = process.env['SITE_BASE'] ?? '/';
const { homepage }: { homepage?: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Until package.json has an address of the repository, no page leads to it. */
const REPOSITORY = homepage === undefined ? [] : [{ text: 'GitHub', link: homepage }];

/** `npm run docs:site` makes a site of the pages of this folder and of the API reference. It loads nothing from other hosts. */
export default defineConfig({
  title: 'nestjs-provider-auth',
  description:
    'OAuth 2.0 client credentials in, authorized calls out: your NestJS code never touches a token.',
  lang: 'en',
  base: BASE,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config: extend,
    // Some colours of the default themes have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: {
      provider: 'local',
      options: {
        // Each result shows the text around the words.
        detailedView: true,
        _render: (source, env, md) => withSearchWords(env.relativePath, md.render(source, env)),
        // Without a label, the name of the button is its text.
        translations: { button: { buttonAriaLabel: '' } },
        miniSearch: { searchOptions: { boostDocument } },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'First call', link: '/tutorial' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Errors', link: '/errors' },
      { text: 'Questions', link: '/questions' },
      { text: 'API reference', link: '/api/nestjs-provider-auth/', activeMatch: '^/api/' },
      ...REPOSITORY,
    ],
    sidebar: {
      '/': sidebarOf(readFileSync(join(ROOT, 'docs/index.md'), 'utf8')),
      '/api/': { base: '/api/', items: sidebarOfApi(join(ROOT, 'docs/api/navigation.json')) },
    },
  },
  transformPageData(page) {
    // The front page has the whole width. Its text has no settings, because it is also a page of the package.
    if (page.relativePath === 'index.md')
      Object.assign(page.frontmatter, { pageClass: 'front-page', sidebar: false, aside: false });
    // The order of these pages says nothing, so they have no next page.
    if (page.relativePath.startsWith('api/')) Object.assign(page.frontmatter, { prev: false, next: false });
  },
  buildEnd({ outDir }) {
    for (const file of ['llms.txt', 'llms-full.txt', 'docs/grafana-dashboard.json'])
      copyFileSync(join(ROOT, file), join(outDir, basename(file)));
  },
});

/** The sections of the index and their links. The last one also leads to the API reference. */
function sidebarOf(index: string): DefaultTheme.SidebarItem[] {
  const [, ...sections] = index.split('\n## ');
  const groups = sections
    .map((section) => ({
      text: section.split('\n')[0] ?? '',
      items: [...section.matchAll(/^- \[(.+)\]\((.+)\.md\)/gm)].map(([, text = '', page = '']) => ({
        text,
        link: `/${page}`,
      })),
    }))
    .filter(({ items }) => items.length > 0);
  groups.at(-1)?.items.push({ text: 'API reference', link: '/api/nestjs-provider-auth/' });
  return groups;
}

interface ApiPage {
  readonly title: string;
  readonly path?: string;
  readonly children?: readonly ApiPage[];
}

/**
 * The names that are used most, and the pages that TypeDoc writes, with one group for each entry of the package. TypeDoc puts
 * the other entries below the main entry. Before the first `npm run docs` there are no pages.
 */
function sidebarOfApi(navigation: string): DefaultTheme.SidebarItem[] {
  if (!existsSync(navigation)) return [];
  const [main]: ApiPage[] = JSON.parse(readFileSync(navigation, 'utf8'));
  if (main === undefined) return [];
  const isEntry = ({ path }: ApiPage): boolean => path?.endsWith('/index.md') ?? false;
  const others = main.children?.filter(isEntry) ?? [];
  const page = readFileSync(join(dirname(navigation), main.path ?? ''), 'utf8');
  const [, mostUsed = ''] = /^## Most Used\n([^#]*)/m.exec(page) ?? [];
  const used = [...mostUsed.matchAll(/^- \[(\w+)\]\((.+)\.md\)/gm)].map(([, text = '', link = '']) => ({
    text,
    link: `${posix.dirname(main.path ?? '')}/${link}`,
  }));
  const entries = [
    { ...main, children: main.children?.filter((child) => !isEntry(child)) ?? [] },
    ...others.map((entry) => ({ ...entry, title: `/${entry.title}` })),
  ];
  return [
    { text: 'Most used', items: used },
    ...entries.map((entry) => ({ ...sidebarItemOf(entry), collapsed: true })),
  ];
}

function sidebarItemOf({ title, path, children }: ApiPage): DefaultTheme.SidebarItem {
  return {
    text: title,
    ...(path !== undefined && { link: path.replace(/(?:index)?\.md$/, '') }),
    ...(children !== undefined && { items: children.map(sidebarItemOf) }),
  };
}

/** As GitHub makes anchors of headings, so that a link works on both. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
