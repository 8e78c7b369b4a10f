import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

const ROOT = join(import.meta.dirname, '../..');

/** `npm run docs:site` makes a site of the pages of this folder. It loads nothing from other hosts. */
export default defineConfig({
  title: 'nestjs-provider-auth',
  description: 'Access tokens for NestJS backends: configuration, requests, errors, operations, security.',
  lang: 'en',
  base: process.env['SITE_BASE'] ?? '/',
  srcExclude: ['api/**'],
  markdown: { anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'First call', link: '/tutorial' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Errors', link: '/errors' },
      { text: 'Questions', link: '/questions' },
    ],
    sidebar: sidebarOf(readFileSync(join(ROOT, 'docs/index.md'), 'utf8')),
  },
  buildEnd({ outDir }) {
    for (const file of ['llms.txt', 'llms-full.txt']) copyFileSync(join(ROOT, file), join(outDir, file));
  },
});

/** The sections of the index and their links. */
function sidebarOf(index: string): { text: string; items: { text: string; link: string }[] }[] {
  const [, ...sections] = index.split('\n## ');
  return sections.map((section) => ({
    text: section.split('\n')[0] ?? '',
    items: [...section.matchAll(/^- \[(.+)\]\((.+)\.md\)/gm)].map(([, text = '', page = '']) => ({
      text,
      link: `/${page}`,
    })),
  }));
}

/** As GitHub makes anchors of headings, so that a link works on both. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
