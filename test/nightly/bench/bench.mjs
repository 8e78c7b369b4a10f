/**
 * Runs all benchmarks, one after the other. They print their figures as tables, and a maintainer copies what a page shows. A missed
 * limit does not stop the run. The program ends with 1 if a limit was missed or a program failed, and names it.
 *
 *   npm run bench
 */
import { spawnSync } from 'node:child_process';

const SOURCES = ['--import', './test/support/run/register-source.mjs'];
const PROGRAMS = [
  ['get-token'],
  ['in-process'],
  ['accounts'],
  ['cold-accounts'],
  ['import'],
  ['boot'],
  ['size', '--contenders'],
  ['requests', '--runs', '3'],
  ['contenders'],
  ['mcp'],
];

const failed = PROGRAMS.filter(([name, ...args]) => {
  console.log(`\n# ${name}\n`);
  const command = [...SOURCES, `test/nightly/bench/${name}.bench.mjs`, ...args];
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status !== 0;
});
for (const [name] of failed) console.error(`${name}: missed a limit or failed.`);
process.exitCode = failed.length === 0 ? 0 : 1;
