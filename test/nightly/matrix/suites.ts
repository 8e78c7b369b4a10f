import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/package/packed-package.js';
import { installNodes } from './node-versions.js';

/**
 * Runs suites of this repository with another Node, which npm installs into the folder. Returns the exit code of vitest. The
 * suites use the dependencies of this repository, so the columns of the matrix say nothing about them.
 */
export async function runSuites(home: string, node: string, suites: readonly string[]): Promise<number> {
  const [row] = await installNodes(join(home, 'nodes'), [{ range: node, undici: 7 }]);
  if (row?.binary === undefined) throw new Error(`npm cannot install Node ${node} here.`);
  console.log(`Node ${row.version}, ${suites.join(' and ')}`);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const projects = suites.flatMap((suite) => ['--project', suite]);
  // Some specs start a command, which finds its Node on the PATH.
  const PATH = `${dirname(row.binary)}:${process.env['PATH']}`;
  const run = spawn(row.binary, [vitest, 'run', ...projects], {
    cwd: ROOT,
    env: { ...process.env, PATH },
    stdio: 'inherit',
  });
  const [code] = (await once(run, 'exit')) as [number | null];
  return code ?? 1;
}
