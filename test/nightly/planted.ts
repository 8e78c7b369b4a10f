/**
 * Plants each error of `planted/*.json` in a copy of this checkout, and runs the spec that must notice it. So anybody can repeat what
 * a rule's proof notices. An entry fails if its spec passes, or if its text is not exactly once in the file.
 *
 *   npm run nightly -- planted                                            all errors
 *   node --import ./test/support/run/register-source.mjs test/nightly/planted.ts B3 tls lib/wire/chunks.ts
 *                                                                         those of these rules, lists and files
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/package/packed-package.js';

interface PlantedError {
  readonly rule: string;
  /** A file of lib, a text that is in it exactly once, and the text in its place. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The spec that must fail, and `-t` with a part of the name of its test if one test is meant. */
  readonly red: string;
}

const COPIED =
  'lib test package.json tsconfig.json vitest.config.ts docs README.md skills .env.example'.split(' ');
const LINKED = ['node_modules', 'dist', 'sample'];

const wanted = process.argv.slice(2);
const folder = join(ROOT, 'test/nightly/planted');
const errors = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const entries = JSON.parse(readFileSync(join(folder, name), 'utf8')) as PlantedError[];
    const names = ({ rule, file }: PlantedError): string[] => [
      ...rule.split(/[ ,]+/),
      name.replace('.json', ''),
      file,
    ];
    return entries.filter((entry) => wanted.length === 0 || names(entry).some((one) => wanted.includes(one)));
  });

/** What is wrong with an entry, if anything. */
function troubleOf({ file, find, replace, red }: PlantedError, copy: string): string | undefined {
  const place = join(copy, file);
  if (!existsSync(place)) return `there is no ${file}`;
  const code = readFileSync(place, 'utf8');
  const count = code.split(find).length - 1;
  if (count !== 1) return `the text is ${count} times in ${file}`;
  const [spec = '', name] = red.split(' -t ');
  if (!existsSync(join(copy, spec))) return `there is no ${spec}`;
  writeFileSync(
    place,
    code.replace(find, () => replace),
  );
  try {
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      spec,
      '--bail',
      '1',
      ...(name === undefined ? [] : ['-t', name]),
    ];
    const { stdout, signal } = spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: 'utf8',
      timeout: 600_000,
    });
    const [, passed, failed] = /^(\d+) passed, (\d+) failed/m.exec(stdout) ?? [];
    if (passed === undefined) return `no result of ${spec} (${signal ?? 'it ended early'})`;
    return Number(failed) > 0 ? undefined : `${passed} tests of ${red} pass with the error`;
  } finally {
    writeFileSync(place, code);
  }
}

const copy = mkdtempSync(join(tmpdir(), 'planted-'));
let failed = 0;
try {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(copy, name));
  console.log('| | rule | file | spec |\n| --- | --- | --- | --- |');
  for (const error of errors) {
    const trouble = troubleOf(error, copy);
    if (trouble !== undefined) failed += 1;
    const end = trouble === undefined ? '' : `: ${trouble}`;
    console.log(
      `| ${trouble === undefined ? 'red' : 'NOT RED'} | ${error.rule} | ${error.file} | ${error.red}${end} |`,
    );
  }
} finally {
  rmSync(copy, { recursive: true });
}
console.log(`\n${errors.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && errors.length > 0 ? 0 : 1;
