/**
 * Runs all benchmarks, one after the other, and writes their figures into `docs/figures` and the pages. A missed limit does not
 * stop the run. The program ends with 1 if a limit was missed or a program failed, and names it.
 *
 *   npm run bench
 */
import { spawnSync } from 'node:child_process';

const SOURCES = ['--import', './test/support/run/register-source.mjs'];
const PROGRAMS = [
  ['get-token'],
  ['in-process'],
  ['accounts'],
  ['import'],
  ['boot'],
  ['size', '--contenders'],
  ['requests', '--runs', '3'],
  ['contenders'],
];

/** Only its limits matter. */
const SHOWN_BY_NO_PAGE = new Set(['accounts']);

const failed = PROGRAMS.filter(([name, ...args]) => {
  console.log(`\n# ${name}\n`);
  const command = [...SOURCES, `test/bench/${name}.bench.mjs`, ...args];
  if (!SHOWN_BY_NO_PAGE.has(name)) command.push('--write');
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status !== 0;
});
for (const [name] of failed) console.error(`${name}: missed a limit or failed.`);
process.exitCode = failed.length === 0 ? 0 : 1;
