/**
 * Runs the packed tarball on each Node, NestJS, module system and axios that package.json claims (B15). The application
 * uses all entries. Prints a table, and ends with 1 unless each cell ran and passed. Further cells bundle the application or install it with another package manager.
 *
 * `-- --cell webpack-esm --cell pnpm` runs only these further cells.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, temporaryDirectory } from '../../support/package/packed-package.js';
import { atOnce } from './at-once.js';
import { type Cell, outcomeOf } from './cell.js';
import { dependencySets, type UndiciMajor } from './dependency-sets.js';
import { FURTHER_CELLS, FurtherApps, troubleOfCell } from './further-cells.js';
import { installNodes, type NodeRow } from './node-versions.js';
import { type Result, rowOf, table, titleOf } from './table.js';
import { MODULE_KINDS, WholeWayApp } from './whole-way-app.js';

const WORKERS = availableParallelism();

const { values } = parseArgs({
  options: { cell: { type: 'string', multiple: true } },
});
const directory = await temporaryDirectory();
try {
  process.exitCode = await runCellsOf(directory.path, values.cell);
} finally {
  await directory.remove();
}

/** @param only the further cells to run, without the table. */
async function runCellsOf(home: string, only?: readonly string[]): Promise<number> {
  const { tarball } = await pack(home);
  const results = only === undefined ? await runMatrix(home, tarball) : [];
  const failed = results.filter(({ trouble }) => trouble !== undefined);
  if (only === undefined) console.log(`\n${table(results)}\n`);
  for (const result of failed) console.log(`${describe(result)}: ${result.trouble}\n`);
  const further = await runFurtherCells(new FurtherApps(home, tarball), only ?? Object.keys(FURTHER_CELLS));
  const count = failed.length + further.failed;
  console.log(`${results.length + further.passed - failed.length} passed, ${count} failed`);
  return count === 0 && (only !== undefined || results.length > 0) ? 0 : 1;
}

/** One after the other, because a bundler uses all cores. */
async function runFurtherCells(apps: FurtherApps, names: readonly string[]) {
  const ended = { passed: 0, failed: 0 };
  for (const name of names) {
    const trouble = await troubleOfCell(name, apps);
    ended[trouble === undefined ? 'passed' : 'failed'] += 1;
    console.log(trouble === undefined ? `✔ ${name}` : `✘ ${name}: ${trouble}`);
  }
  return ended;
}

async function runMatrix(home: string, tarball: string): Promise<Result[]> {
  // The sets for the Nodes with undici 7 and with undici 8 differ only in undici.
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
