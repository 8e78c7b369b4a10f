/** One run tests one folder, because each folder has its own specs. `MUTATED_FOLDER` names it. See `mutate.mjs`. */
const folder = process.env.MUTATED_FOLDER ?? 'lib/token';
const report = `reports/mutation/${folder.replace('/', '-')}`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [`${folder}/**/*.ts`],
  testRunner: 'vitest',
  vitest: { configFile: 'test/nightly/mutation/vitest.config.ts', related: false },
  // Static mutants count as well: an untested constant is as bad as an untested line.
  ignoreStatic: false,
  incremental: true,
  incrementalFile: `${report}.incremental.json`,
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: `${report}.json` },
  htmlReporter: { fileName: `${report}.html` },
  ignorePatterns: ['dist', 'reports', 'sample', 'test/package/apps'],
  // A busy machine must not cause timeouts, because a timeout counts as a kill. A new thread alone may need 20 seconds there,
  // and each timeout needs a new thread. Endless loops end sooner: Stryker counts how often they run.
  timeoutMS: 90_000,
  timeoutFactor: 2,
  allowConsoleColors: false,
};
