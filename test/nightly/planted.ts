/**
 * Plants each error of `planted/*.json` in a copy of this checkout, and runs the spec that must notice it. So anybody can repeat what
 * a rule's proof notices. Each core has a copy of its own. An entry fails if its spec passes, or if its text is not exactly once in the file.
 *
 *   npm run nightly -- planted                                            all errors
 *   node --import ./test/support/run/register-source.mjs test/nightly/planted.ts B3 tls lib/wire/chunks.ts
 *                                                                         those of these rules, lists and files
 */
import { execFile } from 'node:child_process';
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
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
async function troubleOf(
  { file, find, replace, red }: PlantedError,
  copy: string,
): Promise<string | undefined> {
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
    const command = ['node_modules/vitest/vitest.mjs', 'run', spec, '--bail', '1'];
    const { stdout, signal } = await run([...command, ...(name === undefined ? [] : ['-t', name])], copy);
    const [, passed, failed] = /^(\d+) passed, (\d+) failed/m.exec(stdout) ?? [];
    if (passed === undefined) return `no result of ${spec} (${signal ?? 'it ended early'})`;
    return Number(failed) > 0 ? undefined : `${passed} tests of ${red} pass with the error`;
  } finally {
    writeFileSync(place, code);
  }
}

function run(args: readonly string[], cwd: string) {
  type Ended = { readonly stdout: string; readonly signal?: string | null };
  const ended: Promise<Ended> = promisify(execFile)(process.execPath, args, {
    cwd,
    timeout: 600_000,
    maxBuffer: Infinity,
  });
  return ended.catch((failure: unknown) => failure as Ended);
}

async function plantInACopy(_: unknown, index: number): Promise<void> {
  const copy = join(home, `${index}`);
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(copy, name));
  for (const error of left) {
    const trouble = await troubleOf(error, copy);
    if (trouble !== undefined) failed += 1;
    const row = [trouble === undefined ? 'red' : 'NOT RED', error.rule, error.file, error.red];
    console.log(`| ${row.join(' | ')}${trouble === undefined ? '' : `: ${trouble}`} |`);
  }
}

const home = mkdtempSync(join(tmpdir(), 'planted-'));
const left = errors.values();
let failed = 0;
try {
  console.log('| | rule | file | spec |\n| --- | --- | --- | --- |');
  await Promise.all(Array.from({ length: availableParallelism() }, plantInACopy));
} finally {
  rmSync(home, { recursive: true });
}
console.log(`\n${errors.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && errors.length > 0 ? 0 : 1;
