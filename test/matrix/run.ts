/**
 * Runs the packed tarball on each Node, NestJS, module system and axios that package.json claims (B15). The application
 * uses all entries. Prints a table, writes `docs/figures/matrix.json` and the table of the manual, and ends with 1 unless each
 * cell ran and passed.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { publishFigures } from '../support/figures/figures.js';
import { pack, temporaryDirectory } from '../support/package/packed-package.js';
import { atOnce } from './at-once.js';
import { type Cell, outcomeOf } from './cell.js';
import { dependencySets, type UndiciMajor } from './dependency-sets.js';
import { installNodes, type NodeRow } from './node-versions.js';
import { figuresOf, type Result, rowOf, table, titleOf } from './table.js';
import { MODULE_KINDS, WholeWayApp } from './whole-way-app.js';

const WORKERS = availableParallelism();

const directory = await temporaryDirectory();
try {
  const results = await runMatrix(directory.path);
  const failed = results.filter(({ trouble }) => trouble !== undefined);
  console.log(`\n${table(results)}\n`);
  for (const result of failed) console.log(`${describe(result)}: ${result.trouble}\n`);
  console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length === 0 && results.length > 0 ? 0 : 1;
  if (results.length > 0) await publishFigures('matrix', 'npm run test:matrix', figuresOf(results));
} finally {
  await directory.remove();
}

async function runMatrix(home: string): Promise<Result[]> {
  const { tarball } = await pack(home);
  // The sets of lowest versions are the same for each Node. The sets of newest versions differ only in undici.
  const installed = new Map<string, WholeWayApp>();
  const appsFor = (undici: UndiciMajor): WholeWayApp[] =>
    dependencySets(undici).map((set) => {
      const name = `${set.name}-undici-${set.dependencies['undici']}`;
      const app = installed.get(name) ?? new WholeWayApp(set, join(home, name));
      installed.set(name, app);
      return app;
    });
  const apps: Record<UndiciMajor, WholeWayApp[]> = { 7: appsFor(7), 8: appsFor(8) };
  let rows: NodeRow[] = [];
  const installations = [
    async () => {
      rows = await installNodes(join(home, 'nodes'));
    },
    ...[...installed.values()].map((app) => () => app.install(tarball)),
  ];
  await atOnce(WORKERS, installations, (install) => install());
  console.log('Installed. Compiling.');
  const compilations = apps[7].flatMap((app, index) => MODULE_KINDS.map((kind) => ({ app, index, kind })));
  await atOnce(WORKERS, compilations, async ({ app, index, kind }) => {
    await app.compile(kind);
    const onUndici8 = apps[8][index];
    if (onUndici8 !== app) await onUndici8?.copyFrom(app, kind);
  });
  console.log('Compiled. Running.');
  const cells = rows.flatMap((row) =>
    MODULE_KINDS.flatMap((kind) => apps[row.undici].map((app): Cell => ({ row, kind, app }))),
  );
  return runCells(cells);
}

/** The results are in the order of the cells, not in the order in which the cells end. */
async function runCells(cells: readonly Cell[]): Promise<Result[]> {
  const results: Result[] = [];
  await atOnce(WORKERS, [...cells.entries()], async ([index, cell]) => {
    const result = { ...cell, ...(await outcomeOf(cell)) };
    console.log(`${result.trouble === undefined ? '✔' : '✘'} ${describe(cell)}`);
    results[index] = result;
  });
  return results;
}

function describe(cell: Cell): string {
  return `${rowOf(cell)}, ${titleOf(cell.app.set)}`;
}
