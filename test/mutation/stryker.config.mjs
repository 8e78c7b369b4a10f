/** One folder a run, named by `MUTATED_FOLDER`: each has specs of its own that judge it. See `mutate.mjs`. */
const folder = process.env.MUTATED_FOLDER ?? 'lib/token';
const report = `reports/mutation/${folder.replace('/', '-')}`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [`${folder}/**/*.ts`],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  // Static mutants count as well: a constant that no test judges is as wrong as a line that none does.
  ignoreStatic: false,
  incremental: true,
  incrementalFile: `${report}.incremental.json`,
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: `${report}.json` },
  htmlReporter: { fileName: `${report}.html` },
  ignorePatterns: ['dist', 'reports', 'sample', 'test/package/apps'],
  // A machine that is busy with other things must not make a mutant look caught.
  timeoutMS: 10_000,
  timeoutFactor: 2,
  allowConsoleColors: false,
};
