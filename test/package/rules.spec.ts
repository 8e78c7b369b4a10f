import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = 'test/RULES.md';
/** For example S8, B12 or T73, but not the beginning of a word such as `S3cr3t`. */
const NUMBER = /(?<!#)\b[SCBTR]\d{1,3}\b/g;
const LINK = /\[[^\]]+\]\(([^)]+)\)/g;

/** Files next to the folders: the agreed files, and files that npm, git hosts and tools read there. */
const TOP_LEVEL_FILES = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'nest-cli.json',
  'package-lock.json',
  'package.json',
  'rolldown.config.ts',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
];

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Line {
  number: string;
  sentence: string;
  /** Files below the root: the implementation and the proof. */
  implementedBy: string[];
  provenBy: string[];
}

function linksOf(cell: string): string[] {
  return [...cell.matchAll(LINK)].map(([, target]) => join(dirname(PAGE), target!));
}

function linesOf(page: string): Line[] {
  return page
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, number]) => /^[SCBTR]\d+$/.test(number ?? ''))
    .map(([, number, sentence, implementedBy, provenBy]) => ({
      number: number!,
      sentence: sentence!,
      implementedBy: linksOf(implementedBy!),
      provenBy: linksOf(provenBy!),
    }));
}

/** The numbers that a file cites: anywhere in `lib`; in `test` only inside string literals, because names of tests are string literals. */
function citedBy(path: string): string[] {
  const text = textOf(path);
  const texts = path.startsWith('lib/') ? [text] : (text.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []);
  return texts.flatMap((part) => part.match(NUMBER) ?? []);
}

/** The files of the repository, as git knows them. */
function files(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  return listed.toString().trim().split('\n');
}

function citations(): Map<string, string> {
  const cited = new Map<string, string>();
  for (const path of files()) {
    const isRead = /^lib\/.*\.ts$/.test(path) || /^test\/.*(\.spec|\/cases)\.ts$/.test(path);
    if (!isRead || path.startsWith('test/package/apps/')) continue;
    for (const number of citedBy(path)) cited.set(number, path);
  }
  return cited;
}

describe('the page of the rules', () => {
  const lines = linesOf(textOf(PAGE));
  const known = new Set(lines.map(({ number }) => number));

  it('C6: the top level contains only the agreed folders, and files that tools require there', () => {
    const agreed = ['docs', 'lib', 'sample', 'skills', 'test'];
    const folders = files().flatMap((path) => /^([^/.][^/]*)\//.exec(path)?.[1] ?? []);
    expect([...new Set(folders)].filter((folder) => !agreed.includes(folder))).toEqual([]);
    const loose = files().filter((path) => !path.includes('/') && !path.startsWith('.'));
    expect(loose.toSorted()).toEqual(TOP_LEVEL_FILES);
  });

  it('has one line for each number', () => {
    expect(lines.length).toBeGreaterThan(140);
    expect(lines.length).toBe(known.size);
  });

  it('knows each number that code or a test cites', () => {
    const unknown = [...citations()].filter(([number]) => !known.has(number));
    expect(unknown).toEqual([]);
  });

  it.each(lines)(
    '$number has an implementation and a proof',
    ({ number, sentence, implementedBy, provenBy }) => {
      expect(sentence).toMatch(/^\S.{15,}\.$/);
      for (const path of implementedBy) expect(textOf(path)).not.toBe('');
      expect(provenBy).not.toEqual([]);
      for (const path of provenBy) expect(citedBy(path), `${path} cites ${number}`).toContain(number);
    },
  );
});
