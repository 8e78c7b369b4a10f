/**
 * Mutation testing, folder by folder, and the score of each. Ends with 1 if a folder is below the lowest allowed score.
 *
 *   npm run mutate                                   all folders
 *   npm run mutate -- lib/token                      one folder or several; other options go to Stryker, e.g. `--concurrency 1`
 *   npm run mutate -- --daily                        one folder, a different one each day: a part of `npm run nightly`
 *   npm run mutate -- lib/token --force              tests every mutant again, not only those of changed code
 *   npm run mutate -- --unit                         leaves out the further specs of folders that have unit specs
 *   npm run mutate -- --scores                       prints the table again, from the last reports
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const FOLDERS = readdirSync('lib', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `lib/${name}`);

/**
 * The specs against real servers, or of other folders, that test the mutants that the unit specs of a folder let survive. A
 * spec that starts a process never counts: the process does not contain the mutant.
 */
const FURTHER_SPECS = {
  'lib/catalogue': [
    'test/{unit/{config/read-definition,http/authorized-request*,token/endpoint/*},rules/token/token-request}.spec.ts',
  ],
  'lib/cli': ['test/rules/{operations/{certificate-ends,doctor},simulator/command-*}.spec.ts'],
  'lib/errors': [
    'test/unit/{token/endpoint/{refusal,token-failures},http/others,config/keyed-clients}.spec.ts',
    'test/rules/http/refused-options.spec.ts',
  ],
  'lib/events': ['test/{rules/operations/telemetry,unit/token/{trouble-report,fleet/guarded-store}}.spec.ts'],
  'lib/http': [
    'test/{models/short-way,rules/hostile/api-{addresses,changed-requests,redirects}}.spec.ts',
    'test/rules/http/{attaching,companions,fetch-*,foreign-axios,redirects,refused-options,short-way}.spec.ts',
  ],
  'lib/module': [
    // A thread lists its variables in another order than a process, and cannot change its folder, as the doctor does.
    'test/rules/{module,testing,own-provider}/!(unknown-variables|operations|without-secret).spec.ts',
    'test/rules/operations/{boot-log,health,failing,telemetry}.spec.ts',
  ],
  'lib/opentelemetry': ['test/rules/operations/{telemetry,failing}.spec.ts'],
  'lib/redis': ['test/fleet/{client-states,entries,redis-codes}.spec.ts'],
  'lib/secrets': [
    'test/unit/config/{wrong-options,right-options,keyed-clients,changing-tls,tls-section,process-env/provider-auth-config}.spec.ts',
    'test/{unit/{token/endpoint/token-endpoint,redis/redis-token-store},rules/own-provider/{assertions,real-providers}}.spec.ts',
  ],
  'lib/terminus': ['test/rules/operations/{health,breakages}.spec.ts'],
  'lib/testing': ['test/rules/{testing/*,simulator/!(command*|closing|other-clients)}.spec.ts'],
  'lib/time': ['test/unit/token/*.spec.ts'],
  'lib/token': [
    'test/rules/{hostile/token-{life,proxy,redirects,refusals},token/token-request,tls/bound-tokens}.spec.ts',
    'test/{rules/{operations/{boot-log,refused-settings,telemetry},own-provider/{assertions,own-provider}},unit/module/*}.spec.ts',
  ],
  'lib/undici': [
    'test/rules/{undici/*,http/{refused-options,same-as-axios,companions,resending},hostile/api-!(detours|redirects)}.spec.ts',
  ],
  'lib/values': ['test/unit/{http,http/fetch,config,token/endpoint}/*.spec.ts'],
  'lib/wire': [
    'test/unit/http/**/*.spec.ts',
    'test/rules/{http/{same-as-axios,budget},hostile/api-answers}.spec.ts',
  ],
};
const LOWEST_SCORE = 90;

const given = process.argv.slice(2);
const ofToday = FOLDERS[Math.floor(Date.now() / 86_400_000) % FOLDERS.length];
const named = FOLDERS.filter(
  (folder) => given.includes(folder) || (given.includes('--daily') && folder === ofToday),
);
const folders = named.length > 0 ? named : FOLDERS;
const onlyUnit = given.includes('--unit');
const options = given.filter((one) => ![...FOLDERS, '--unit', '--daily'].includes(one));

if (!options.includes('--scores')) {
  for (const folder of folders) {
    const { [folder]: further = [] } = FURTHER_SPECS;
    const isQuick = existsSync(folder.replace('lib/', 'test/unit/'));
    // Quick specs first. Stryker stores their results, so the slow specs run only for the survivors.
    if (isQuick) runStryker(folder, [], options);
    const again = isQuick ? options.filter((option) => option !== '--force') : options;
    if (further.length > 0 && !(isQuick && onlyUnit)) runStryker(folder, further, again);
  }
}
const counts = folders.map(countsOf);
print(counts);
const missed = counts.filter((row) => !(row.mutants === 0 || scoreOf(row) >= LOWEST_SCORE));
if (missed.length > 0) {
  const names = missed.map(({ folder }) => folder).join(', ');
  console.error(`Below ${LOWEST_SCORE} %, or not tested: ${names}.`);
  process.exitCode = 1;
}

function runStryker(folder, specs, options) {
  forgetUncovered(folder);
  const env = { ...process.env, MUTATED_FOLDER: folder, FURTHER_SPECS: specs.join(' ') };
  if (folder === 'lib/undici') env.TEST_TRANSPORT = 'undici';
  const command = ['stryker', 'run', 'test/nightly/mutation/stryker.config.mjs', ...options];
  const { status } = spawnSync('npx', command, { stdio: 'inherit', env });
  // A failed run leaves the report of an earlier run, which must not be shown as the result of this run.
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * For these mutants, Stryker knows no test that covers them, so it would never try a new test. Such mutants are constants, and all
 * mutants of a folder that the first specs do not import.
 */
function forgetUncovered(folder) {
  const file = `reports/mutation/${folder.replace('/', '-')}.incremental.json`;
  if (!existsSync(file)) return;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  for (const source of Object.values(report.files))
    source.mutants = source.mutants.filter(
      ({ status, static: isStatic, coveredBy = [] }) =>
        !(status === 'NoCoverage' || (status === 'Survived' && (isStatic || coveredBy.length === 0))),
    );
  writeFileSync(file, JSON.stringify(report));
}

/** Counts as Stryker does: without mutants that cannot run and mutants that a comment in the code disables. */
function countsOf(folder) {
  const report = `reports/mutation/${folder.replace('/', '-')}.json`;
  if (!existsSync(report)) return { folder };
  const files = Object.values(JSON.parse(readFileSync(report, 'utf8')).files);
  const all = files.flatMap(({ mutants }) => mutants);
  const [killed, timeout, survived, uncovered] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(
    (one) => all.filter(({ status }) => status === one).length,
  );
  return { folder, mutants: killed + timeout + survived + uncovered, killed, timeout, survived, uncovered };
}

function scoreOf({ mutants, killed, timeout }) {
  return (100 * (killed + timeout)) / mutants;
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
