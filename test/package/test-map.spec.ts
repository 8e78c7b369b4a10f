import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest, ROOT } from '../support/package/packed-package.js';

const PAGE = 'test/README.md';
const LINK = /\]\(([^)\s]+)\)/g;

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The files below a folder that git knows. Files of tools and editors are left out. */
function filesBelow(folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', folder], {
    cwd: ROOT,
  });
  return listed.toString().trim().split('\n');
}

interface Row {
  heading: string;
  cells: string[];
  /** The file or folder that the first cell links, from the root of the repository. */
  about: string | undefined;
}

function rowsOf(page: string): Row[] {
  let heading = '';
  const rows: Row[] = [];
  for (const line of textOf(page).split('\n')) {
    heading = /^##+ (.*)/.exec(line)?.[1] ?? heading;
    if (!/^\| [^-]/.test(line)) continue;
    const cells = line.split('|').map((cell) => cell.trim());
    const [, first = '', ...rest] = cells.slice(0, -1);
    const [target] = linksIn(page, first);
    rows.push({ heading, cells: [first, ...rest], about: target });
  }
  return rows;
}

/** Links to files, from the root of the repository. */
function linksIn(page: string, text: string): string[] {
  return [...text.matchAll(LINK)]
    .map(([, link = '']) => link.split('#')[0] ?? '')
    .filter((file) => file !== '' && !/^https?:/.test(file))
    .map((file) => join(dirname(page), file));
}

describe('the map of the tests', () => {
  const rows = rowsOf(PAGE);
  const entries = [...new Set(filesBelow('test').map((file) => file.split('/').slice(0, 2).join('/')))];
  const about = rows.map((row) => row.about);

  it.each(entries.filter((entry) => entry !== PAGE))('%s has one line', (entry) => {
    expect(about.filter((target) => target === entry)).toHaveLength(1);
  });

  it.each(filesBelow('test/support'))('%s has one line', (file) => {
    expect(about.filter((target) => target === file)).toHaveLength(1);
  });

  it('says something in each cell', () => {
    expect(rows.filter(({ cells }) => cells.includes(''))).toEqual([]);
  });

  it('says of each folder whether npm test runs it', () => {
    const [, ...folders] = rows.filter(({ heading }) => heading === 'Folders');
    expect(folders.length).toBeGreaterThan(10);
    const wrong = folders.filter(({ cells }) => {
      const name = /`(\w+)\/`/.exec(cells[0] ?? '')?.[1];
      const isRun = ` ${manifest.scripts['test']} `.includes(` --project ${name} `);
      return !cells.at(-1)?.startsWith(isRun ? 'yes' : 'no');
    });
    expect(wrong).toEqual([]);
  });

  it('uses the name of each double from the file that its line links', () => {
    const doubles = rows.filter(({ heading, cells }) => /doubles/i.test(heading) && cells[0]?.includes('`'));
    expect(doubles.length).toBeGreaterThan(10);
    const unknown = doubles.filter(({ cells }) => {
      const [name = ''] = /\w+/.exec(cells[0] ?? '') ?? [];
      const [file] = linksIn(PAGE, cells.join(' '));
      return file === undefined || !new RegExp(`\\b${name}\\b`).test(textOf(file));
    });
    expect(unknown).toEqual([]);
  });

  const pages = [PAGE, ...linksIn(PAGE, textOf(PAGE)).filter((file) => /^test\/.*\.md$/.test(file))];

  it.each([...new Set(pages)])('%s links to existing files and names existing scripts', (page) => {
    const text = textOf(page);
    expect(linksIn(page, text).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });
});
