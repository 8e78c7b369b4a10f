import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ALSO_ON_UNDICI, LOWEST_AXIOS, ON_LOWEST_AXIOS, SPECS_ONLY_IN_ALL } from './test/only-in-all.js';
import { LongestFirst } from './test/support/run/longest-first.js';

interface SuiteOptions {
  isolate: boolean;
  testTimeout: number;
  /** The number of files that run at once. All suites of one group have the same number. */
  maxWorkers: number;
  globalSetup?: string[];
}

/** Specs spend half of their time waiting for servers, timers and processes. With one file more than cores, no core is idle. */
const ONE_FILE_MORE_THAN_CORES = { isolate: true, maxWorkers: availableParallelism() + 1 };

/** If the machine has no Redis, the run fetches one. This takes a few seconds, once. */
const REDIS = './test/support/run/redis.setup.ts';

/** The specs of the package share one tarball. */
const PACKAGE = './test/support/run/package.setup.ts';

function project(name: string, include: string[], groupOrder: number, options: SuiteOptions) {
  // The applications under test/package/apps contain specs for their own Jest.
  const exclude = ['test/package/apps/**'];
  return { extends: true as const, test: { name, include, exclude, sequence: { groupOrder }, ...options } };
}

/**
 * One suite of the repository: `npm run test:<name>` runs `test/<name>`. The specs that `npm test` leaves out are a separate
 * project, so that a spec can still be run by its path.
 */
function suite(name: string, groupOrder: number, options: SuiteOptions) {
  const left = Object.keys(SPECS_ONLY_IN_ALL).filter((file) => file.startsWith(`test/${name}/`));
  const main = project(name, [`test/${name}/**/*.spec.ts`], groupOrder, options);
  main.test.exclude.push(...left);
  return left.length === 0 ? [main] : [main, project(`${name}-all`, left, groupOrder, options)];
}

/**
 * Runs specs about requests again with `undiciTransport()`: `test/support/http/given.ts` gives this transport to every client.
 * If the two transports differ on purpose, the spec checks the transport in one line and says why.
 */
function onUndici(name: keyof typeof ALSO_ON_UNDICI, exclude: string[] = []) {
  const options = { ...ONE_FILE_MORE_THAN_CORES, testTimeout: 30_000 };
  const { test, ...rest } = project(`${name}-undici`, ALSO_ON_UNDICI[name], 1, options);
  return { ...rest, test: { ...test, exclude, env: { TEST_TRANSPORT: 'undici' } } };
}

/** Runs specs about requests again with the lowest axios of our range, because its own behaviour differs from the newest one. */
function onLowestAxios() {
  const options = { ...ONE_FILE_MORE_THAN_CORES, testTimeout: 30_000 };
  const { test, ...rest } = project('hostile-lowest-axios', [...ON_LOWEST_AXIOS], 1, options);
  const alias = [{ find: /^axios$/, replacement: 'axios-lowest' }];
  return { ...rest, test: { ...test, alias, env: { TEST_AXIOS: LOWEST_AXIOS } } };
}

export default defineConfig({
  test: {
    pool: 'forks',
    // A hook starts servers or removes an installed application. On a slow disk this takes longer than vitest's 10 seconds.
    hookTimeout: 120_000,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/run/closing-line.reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      ...suite('e2e', 1, { ...ONE_FILE_MORE_THAN_CORES, testTimeout: 30_000 }),
      ...suite('hostile', 1, { ...ONE_FILE_MORE_THAN_CORES, testTimeout: 30_000 }),
      ...suite('leak', 1, { ...ONE_FILE_MORE_THAN_CORES, testTimeout: 60_000 }),
      // These specs make their own clients and choose the transport there.
      onUndici('e2e', ['test/e2e/http/{http2,tracing,resolved-address}.spec.ts']),
      onUndici('hostile'),
      onLowestAxios(),
      // Importing Nest takes about a second for each file. Unit specs patch no globals, so they share processes.
      ...suite('unit', 1, { ...ONE_FILE_MORE_THAN_CORES, isolate: false, testTimeout: 30_000 }),
      // A spec of a fleet starts many processes. Two such specs at once are enough for two cores.
      ...suite('fleet', 2, { isolate: true, maxWorkers: 2, testTimeout: 120_000, globalSetup: [REDIS] }),
      ...suite('package', 3, {
        ...ONE_FILE_MORE_THAN_CORES,
        testTimeout: 300_000,
        globalSetup: [PACKAGE, REDIS],
      }),
      // These specs use software of the operating system. CONTRIBUTING says what to install.
      ...suite('foreign', 4, { ...ONE_FILE_MORE_THAN_CORES, testTimeout: 60_000 }),
    ],
  },
});
