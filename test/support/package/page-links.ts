import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { ROOT } from './packed-package.js';

export interface PageLink {
  readonly page: string;
  readonly link: string;
  /** The file of the repository below its root. Other addresses have none. */
  readonly file: { readonly path: string; readonly heading: string | undefined } | undefined;
}

export async function linksOf(page: string): Promise<readonly PageLink[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => {
    if (link.startsWith('https:')) return { page, link, file: undefined };
    const [target = '', heading] = link.split('#');
    const path = target === '' ? page : posix.join(page, '..', target);
    return { page, link, file: { path, heading } };
  });
}

export function placeOfLink({ page, link }: PageLink): string {
  return `${page}: ${link}`;
}

/** Links to files or headings that do not exist. */
export async function deadLinksOf(page: string): Promise<string[]> {
  const dead: string[] = [];
  for (const one of await linksOf(page)) if (!(await exists(one))) dead.push(placeOfLink(one));
  return dead;
}

async function exists({ file }: PageLink): Promise<boolean> {
  if (file === undefined) return true;
  if (!existsSync(join(ROOT, file.path))) return false;
  if (file.heading === undefined) return true;
  const text = await readFile(join(ROOT, file.path), 'utf8');
  return [...text.matchAll(/^#+ (.*)$/gm)].some(([, title = '']) => anchorOf(title) === file.heading);
}

/** As GitHub makes anchors of headings. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
