import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/package/packed-package.js';

const RULES = { S: 11, C: 7, B: 40 };
/** Proven by a figure of `npm run bench`, by `npm run check`, by `.ci/run` or by night. */
const ELSEWHERE = ['B14', 'B15', 'B16', 'B19', 'B20', 'B22', 'B30', 'B31'];
/** `test/RULES.md` says what measures them. */
const NOT_PLANTED = /^(?:[TR]\d+|C6|C7|B15|B20)$/;

const all = Object.entries(RULES).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

/** The rules of `test/RULES.md`, each with the files that its line names. */
const lines = readFileSync(join(ROOT, 'test/RULES.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, number = ''] = /^\| ([SCBTR]\d+) +\|/.exec(line) ?? [];
    const files = [...line.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => join('test', target));
    return number === '' ? [] : [{ number, files }];
  });

/** Whether a spec that `npm test` runs has a test with this number in its name. */
function isHomeOf(number: string, file: string): boolean {
  if (!/^test\/(?!nightly\/).+\.spec\.ts$/.test(file)) return false;
  const texts = readFileSync(join(ROOT, file), 'utf8').match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? [];
  return texts.some((text) => new RegExp(`\\b${number}\\b`).test(text));
}

it('C6: the top level contains only the agreed folders, and files that a tool or a reader expects there', () => {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).match(/^[^.\n].*/gm) ?? [];
  const folders = files.flatMap((file) => /^([^/]+)\//.exec(file)?.[1] ?? []);
  expect(new Set(folders)).toEqual(new Set(['docs', 'lib', 'sample', 'skills', 'test']));
  const expected =
    /\/|^((CHANGELOG|CONTRIBUTING|README|SECURITY)\.md|LICENSE|nest-cli\.json|package(-lock)?\.json|(rolldown|vitest)\.config\.ts|tsconfig(\.build)?\.json)$/;
  expect(files.filter((file) => !expected.test(file))).toEqual([]);
});

it('B20: each rule has one line, and each line names files that exist', () => {
  const numbers = lines.map(({ number }) => number);
  expect(numbers.length).toBe(new Set(numbers).size);
  expect(all.filter((rule) => !numbers.includes(rule))).toEqual([]);
  const named = lines.flatMap(({ number, files }) => files.map((file) => `${number}: ${file}`));
  expect(named.filter((line) => !existsSync(join(ROOT, line.replace(/^\w+: /, ''))))).toEqual([]);
});

it('B20: each rule has a home in npm test', () => {
  const homeless = lines.filter(({ number, files }) => !files.some((file) => isHomeOf(number, file)));
  expect(homeless.map(({ number }) => number).filter((number) => !ELSEWHERE.includes(number))).toEqual([]);
});

it('B20: each rule that a change in lib can break has a planted error', () => {
  const folder = join(ROOT, 'test/nightly/planted');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const planted: string[] = texts.join('').match(/(?<="rule": "[^"]*)[A-Z]\d+/g) ?? [];
  const numbers = lines.map(({ number }) => number).filter((number) => !NOT_PLANTED.test(number));
  expect(numbers.filter((number) => !planted.includes(number))).toEqual([]);
});
