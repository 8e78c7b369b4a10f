/**
 * Mutation testing, folder by folder, and the score of each. Ends with 1 if a folder is below the lowest allowed score. The
 * counts of the tested folders go into `docs/figures/mutation.json` and into the page.
 *
 *   npm run mutate                                   all folders
 *   npm run mutate -- lib/token                      one folder or several; other options go to Stryker, e.g. `--concurrency 1`
 *   npm run mutate -- lib/token --force              tests every mutant again, not only those of changed code
 *   npm run mutate -- --scores                       prints the table again, from the last reports
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { absolute, fileOf, readFigures, today } from '../support/figures/figure-file.ts';
import { publishFigures } from '../support/figures/figures.ts';
import { scoreOf } from '../support/figures/shown/mutation.ts';

/** Each folder, and the specs against real servers that test the mutants that its unit specs let survive. */
const FURTHER_SPECS = {
  'lib/secrets': [],
  'lib/net': [],
  'lib/logging': [],
  'lib/values': [],
  'lib/token': ['test/hostile/token-*.spec.ts', 'test/e2e/token/token-request.spec.ts'],
  'lib/config': [],
  'lib/http': ['test/hostile/api-*.spec.ts', 'test/e2e/http/!(tracing).spec.ts'],
};
const FOLDERS = Object.keys(FURTHER_SPECS);
const LOWEST_SCORE = 90;

const given = process.argv.slice(2);
const named = FOLDERS.filter((folder) => given.includes(folder));
const folders = named.length > 0 ? named : FOLDERS;
const options = given.filter((argument) => !FOLDERS.includes(argument));

if (!options.includes('--scores')) {
  for (const folder of folders) {
    // Quick specs first. Stryker stores their results, so the slow specs run only for the survivors.
    runStryker(folder, [], options);
    if (FURTHER_SPECS[folder].length > 0)
      runStryker(
        folder,
        FURTHER_SPECS[folder],
        options.filter((option) => option !== '--force'),
      );
  }
}
const counts = FOLDERS.map(countsOf);
print(counts);
if (!options.includes('--scores')) await publish(folders);
if (counts.some((row) => !(scoreOf(row) >= LOWEST_SCORE))) {
  console.error(`A folder is below ${LOWEST_SCORE} % or was not tested.`);
  process.exitCode = 1;
}

function runStryker(folder, specs, options) {
  forgetStaticSurvivors(folder);
  const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutation/stryker.config.mjs', ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATED_FOLDER: folder, FURTHER_SPECS: specs.join(' ') },
  });
  // A failed run leaves the report of an earlier run, which must not be shown as the result of this run.
  if (status !== 0) process.exit(status ?? 1);
}

/** Stryker knows no test that covers a static mutant. So it never sees that a new test may kill the mutant. */
function forgetStaticSurvivors(folder) {
  const file = `reports/mutation/${folder.replace('/', '-')}.incremental.json`;
  if (!existsSync(file)) return;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  for (const source of Object.values(report.files))
    source.mutants = source.mutants.filter((mutant) => !(mutant.static && mutant.status === 'Survived'));
  writeFileSync(file, JSON.stringify(report));
}

/** Counts as Stryker does: without mutants that cannot run and mutants that a comment in the code disables. */
function countsOf(folder) {
  const report = `reports/mutation/${folder.replace('/', '-')}.json`;
  if (!existsSync(report)) return { folder };
  const files = Object.values(JSON.parse(readFileSync(report, 'utf8')).files);
  const count = (...statuses) =>
    files.flatMap(({ mutants }) => mutants).filter(({ status }) => statuses.includes(status)).length;
  const counts = {
    killed: count('Killed'),
    timeout: count('Timeout'),
    survived: count('Survived'),
    uncovered: count('NoCoverage'),
  };
  const mutants = Object.values(counts).reduce((sum, counted) => sum + counted, 0);
  return { folder, mutants, ...counts };
}

/** Folders that were not tested now keep the counts and the date of their last run. */
async function publish(tested) {
  const before = existsSync(absolute(fileOf('mutation'))) ? readFigures('mutation') : undefined;
  const rows = counts
    .map((row) =>
      tested.includes(row.folder)
        ? { ...row, date: today() }
        : before?.figures.rows.find(({ folder }) => folder === row.folder),
    )
    .filter((row) => row !== undefined);
  const isWhole = tested.length === FOLDERS.length;
  const note = isWhole ? undefined : before?.note;
  await publishFigures('mutation', 'npm run mutate', { rows }, note === undefined ? {} : { note });
}

function print(rows) {
  const lines = rows.map((row) => {
    const { folder, mutants, killed, timeout, survived, uncovered } = row;
    if (mutants === undefined) return [folder, 'not tested yet'];
    return [folder, mutants, killed, timeout, survived, uncovered, `${scoreOf(row).toFixed(1)} %`];
  });
  const head = ['folder', 'mutants', 'killed', 'timeout', 'survived', 'no coverage', 'score'];
  console.log();
  for (const line of [head, head.map(() => '---'), ...lines]) console.log(`| ${line.join(' | ')} |`);
}
