/**
 * Mutation testing, folder by folder, and the score of each. Ends with 1 when a folder is below its floor.
 *
 *   npm run mutate                                   all folders
 *   npm run mutate -- lib/token                      one or some; options go on to Stryker, say `--concurrency 1`
 *   npm run mutate -- lib/token --force              judges every mutant anew, not only what has changed
 *   npm run mutate -- --scores                       the table once more, from the last reports
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Each folder, and the specs against real servers that judge what its unit specs let live. */
const REAL = {
  'lib/secrets': [],
  'lib/token': ['test/hostile/token-*.spec.ts', 'test/e2e/token/token-request.spec.ts'],
  'lib/config': [],
  'lib/http': ['test/hostile/api-*.spec.ts', 'test/e2e/http/!(tracing).spec.ts'],
};
const FOLDERS = Object.keys(REAL);
const FLOOR = 90;

const given = process.argv.slice(2);
const named = FOLDERS.filter((folder) => given.includes(folder));
const folders = named.length > 0 ? named : FOLDERS;
const options = given.filter((argument) => !FOLDERS.includes(argument));

if (!options.includes('--scores')) {
  for (const folder of folders) {
    // Quick judges first. Stryker keeps their verdicts, so the slow ones see only what is left.
    judge(folder, [], options);
    if (REAL[folder].length > 0)
      judge(
        folder,
        REAL[folder],
        options.filter((option) => option !== '--force'),
      );
  }
}
const scores = FOLDERS.map(scoreOf);
print(scores);
if (scores.some(({ score }) => !(score >= FLOOR))) {
  console.error(`A folder is below ${FLOOR} % or has not been judged.`);
  process.exitCode = 1;
}

function judge(folder, specs, options) {
  judgeStaticSurvivorsAgain(folder);
  const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutation/stryker.config.mjs', ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATED_FOLDER: folder, FURTHER_SPECS: specs.join(' ') },
  });
  // A run that breaks off leaves the report of an earlier one, which must not be taken for this one's.
  if (status !== 0) process.exit(status ?? 1);
}

/** What acts when a module is evaluated is covered by no test in particular: Stryker never sees that a new one judges it. */
function judgeStaticSurvivorsAgain(folder) {
  const file = `reports/mutation/${folder.replace('/', '-')}.incremental.json`;
  if (!existsSync(file)) return;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  for (const source of Object.values(report.files))
    source.mutants = source.mutants.filter((mutant) => !(mutant.static && mutant.status === 'Survived'));
  writeFileSync(file, JSON.stringify(report));
}

/** As Stryker counts: a mutant that cannot run, or that a comment in the code takes out, is none. */
function scoreOf(folder) {
  const report = `reports/mutation/${folder.replace('/', '-')}.json`;
  if (!existsSync(report)) return { folder, score: Number.NaN };
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
  return { folder, mutants, ...counts, score: (100 * (counts.killed + counts.timeout)) / mutants };
}

function print(scores) {
  const lines = scores.map(({ folder, mutants, killed, timeout, survived, uncovered, score }) =>
    mutants === undefined
      ? [folder, 'not judged yet']
      : [folder, mutants, killed, timeout, survived, uncovered, `${score.toFixed(1)} %`],
  );
  const head = ['folder', 'mutants', 'killed', 'timeout', 'survived', 'no coverage', 'score'];
  console.log();
  for (const line of [head, head.map(() => '---'), ...lines]) console.log(`| ${line.join(' | ')} |`);
}
