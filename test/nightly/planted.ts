/**
 * Plants each error of `planted/*.json` in a copy of this checkout, one for each core, and runs the spec that must notice it. So anybody
 * can repeat what a rule's proof notices. An entry fails if its spec passes, or if its text is not exactly once in the file. Without
 * planted errors, all these specs must pass.
 *
 *   npm run nightly -- planted                                            all errors
 *   node --import ./test/support/run/register-source.mjs test/nightly/planted.ts B3 tls lib/wire/chunks.ts
 *                                                                         those of these rules, lists and files; needs a build
 */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

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
async function troubleOf(error: PlantedError, copy: string): Promise<string | undefined> {
  const { file, find, replace, red } = error;
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
    const args = ['--bail', '1', ...(name === undefined ? [] : ['-t', name])];
    const { passed, failed, output } = await runSpecs([spec, ...args], copy);
    if (passed + failed === 0) return `no result of ${spec}: ${output.slice(-200).replaceAll(/\s+/g, ' ')}`;
    return failed > 0 ? undefined : `${passed} tests of ${red} pass with the error`;
  } finally {
    writeFileSync(place, code);
  }
}

async function runSpecs(specs: readonly string[], cwd: string, timeoutMs = 600_000) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...specs];
  const { stdout, output } = await runNode(args, { cwd, timeoutMs });
  const [, passed = 0, failed = 0] = /^(\d+) passed, (\d+) failed/m.exec(stdout) ?? [];
  return { passed: Number(passed), failed: Number(failed), output };
}

async function plantRemaining(copy: string): Promise<void> {
  for (const error of remaining) {
    const trouble = await troubleOf(error, copy);
    if (trouble !== undefined) failed += 1;
    const row = [trouble === undefined ? 'red' : 'NOT RED', error.rule, error.file, error.red];
    console.log(`| ${row.join(' | ')}${trouble === undefined ? '' : `: ${trouble}`} |`);
  }
}

if (errors.length === 0)
  throw new Error(`No planted error has this rule, list or file: ${wanted.join(', ')}`);

const home = await temporaryDirectory();
const remaining = errors.values();
let failed = 0;
try {
  const count = Math.min(availableParallelism(), errors.length);
  const copies = Array.from({ length: count }, (_, index) => join(home.path, `${index}`));
  for (const copy of copies) {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    for (const name of LINKED) symlinkSync(join(ROOT, name), join(copy, name));
  }
  const specs = new Set(errors.map(({ red }) => red.split(' -t ')[0] ?? ''));
  const unchanged = await runSpecs([...specs], copies[0] ?? ROOT, 3_600_000);
  if (unchanged.failed > 0 || unchanged.passed === 0)
    throw new Error(`Specs fail without a planted error:\n${unchanged.output}`);
  console.log('| | rule | file | spec |\n| --- | --- | --- | --- |');
  await Promise.all(copies.map(plantRemaining));
} finally {
  await home.remove();
}
console.log(`\n${errors.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
