import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/package/packed-package.js';

/** `npm run docs` and `npm run docs:site` write these folders, and git ignores them. */
const GENERATED = /^docs\/(?:api|\.vitepress\/dist)\/?$/;

/** A path from the root of the repository. A path with a placeholder, such as `lib/….ts` or `test/<name>`, does not count. */
const PATH = /(?<![\w./@$}-])(?:\.\/)?((?:lib|test|docs)\/[\w@./-]*)(?![\w@./*<{$…-])/g;

/** A comment at the end of a line, or a line of a block comment. A URL contains `//` too, after a colon. */
const COMMENT = /(?:^\s*(?:\/\*\*?|\*)|(?<!:)\/\/)(.*)$/gm;

const LINK = /\[`?([^\]`]+\.ts)`?\]\(([^)\s]+)\)/g;

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(ROOT, file)));

const pages = files.filter((file) => file.endsWith('.md'));

/** Files with lists of paths, or with commands. */
const lists = [
  '.ci/run',
  'package.json',
  'rolldown.config.ts',
  'test/only-in-all.ts',
  'test/support/run/longest-first.ts',
  'vitest.config.ts',
];

const sources = files.filter((file) => /^(lib|test)\/.*\.(ts|mjs|cjs)$/.test(file));

function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)].map(([, path = '']) => path.replace(/\.$/, ''));
}

/** An import names the file `x.ts` as `x.js`. */
function exists(path: string): boolean {
  return [path, path.replace(/\.js$/, '.ts')].some((file) => existsSync(join(ROOT, file)));
}

function missingPathsOf(file: string, text: string): string[] {
  return pathsIn(text)
    .filter((path) => !GENERATED.test(path) && !exists(path))
    .map((path) => `${file}: ${path}`);
}

function commentsOf(text: string): string {
  return [...text.matchAll(COMMENT)].map(([, comment = '']) => comment).join('\n');
}

describe('the paths that are cited', () => {
  it('are found in pages and comments', () => {
    const text =
      "const url = 'https://a.example/lib/b.ts'; // See `lib/index.ts`.\n/**\n * And test/RULES.md. */\n";
    expect(pathsIn(commentsOf(text))).toEqual(['lib/index.ts', 'test/RULES.md']);
    expect(pathsIn('`test/<name>`, lib/….js, test/hostile/api-*.spec.ts, x/test/y')).toEqual([]);
    expect(missingPathsOf('page.md', 'See lib/no-such-file.ts and lib/index.ts.')).toEqual([
      'page.md: lib/no-such-file.ts',
    ]);
  });

  it.each([...pages, ...lists])('exist: %s', (file) => {
    expect(missingPathsOf(file, textOf(file))).toEqual([]);
  });

  it('exist: the comments of lib and test', () => {
    expect(sources.length).toBeGreaterThan(400);
    expect(sources.flatMap((file) => missingPathsOf(file, commentsOf(textOf(file))))).toEqual([]);
  });

  it.each(pages)('are the targets of the links that show them: %s', (page) => {
    const wrong = [...textOf(page).matchAll(LINK)].filter(([, shown = '', target = '']) => {
      return !`/${join(dirname(page), target)}`.endsWith(`/${shown}`);
    });
    expect(wrong.map(([link]) => link)).toEqual([]);
  });
});
