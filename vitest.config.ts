import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import {
  ALSO_ON_UNDICI,
  ALSO_WITH_DIRECT_SENDER,
  LOWEST_AXIOS,
  NOT_ON_WINDOWS,
  ON_LOWEST_AXIOS,
  ON_OTHER_CLIENTS,
  ON_VALKEY,
  SPECS_ONLY_IN_ALL,
} from './test/only-in-all.js';
import { LongestFirst } from './test/support/run/longest-first.js';

interface SuiteOptions {
  isolate: boolean;
  testTimeout: number;
  /** The number of files that run at once. All suites of one group have the same number. */
  maxWorkers: number;
  globalSetup?: string[];
  setupFiles?: string[];
}

/** Specs spend half of their time waiting for servers, timers and processes. With one file more than cores, no core is idle. */
const ONE_FILE_MORE_THAN_CORES = { isolate: true, maxWorkers: availableParallelism() + 1 };

/** Fleets wait for leases to end, specs of the package for npm. With one file more than cores, a third of the cores' time was idle. */
const TWO_FILES_MORE_THAN_CORES = { isolate: true, maxWorkers: availableParallelism() + 2 };

/** Importing Nest takes about a second for each file. Specs that leave nothing behind in their process share it. */
const SHARED_PROCESSES = { ...ONE_FILE_MORE_THAN_CORES, isolate: false };

/** Real applications and servers, each of which must end with its test. */
const APPLICATIONS = {
  ...SHARED_PROCESSES,
  testTimeout: 60_000,
  setupFiles: ['./test/support/run/nothing-left.setup.ts'],
};

/** If the machine has no Redis, the run fetches one. This takes a few seconds, once. */
const REDIS = './test/support/run/redis.setup.ts';

/** If the machine has no Valkey, the run fetches Debian's. */
const VALKEY = './test/support/run/valkey.setup.ts';

/** The processes of all fleets run one file. */
const WORKER = './test/support/run/fleet.setup.ts';

/** Fleets wait for leases to end, while specs of the package or Chromium use the cores. So they are in one group. */
const FLEET = { ...TWO_FILES_MORE_THAN_CORES, testTimeout: 120_000, globalSetup: [REDIS, WORKER] };

/** The specs of the package share one tarball. */
const PACKAGE = './test/support/run/package.setup.ts';

/** Specs of two suites share one site of the manual. */
const SITE = './test/support/run/site.setup.ts';

/** What this system cannot run. */
const ELSEWHERE = process.platform === 'win32' ? Object.keys(NOT_ON_WINDOWS) : [];

function project(name: string, include: string[], groupOrder: number, options: SuiteOptions) {
  // The applications under test/package/apps contain specs for their own Jest.
  const exclude = ['test/package/apps/**', ...ELSEWHERE];
  return { extends: true as const, test: { name, include, exclude, sequence: { groupOrder }, ...options } };
}

/**
 * One suite of the repository: `npm run test:<name>` runs `test/<name>`. The specs that `npm test` leaves out are a separate
 * project, so that a spec can still be run by its path. `inAll` are options of that project that differ.
 */
function suite(name: string, groupOrder: number, options: SuiteOptions, inAll: Partial<SuiteOptions> = {}) {
  const left = Object.keys(SPECS_ONLY_IN_ALL).filter((file) => file.startsWith(`test/${name}/`));
  const main = project(name, [`test/${name}/**/*.spec.ts`], groupOrder, options);
  main.test.exclude.push(...left);
  return left.length === 0
    ? [main]
    : [main, project(`${name}-all`, left, groupOrder, { ...options, ...inAll })];
}

/**
 * Runs specs about requests again with `undiciTransport()`: `test/support/http/given.ts` gives this transport to every client.
 * If the two transports differ on purpose, the spec checks the transport in one line and says why.
 */
function onUndici(name: keyof typeof ALSO_ON_UNDICI, exclude: string[] = []) {
  const { test, ...rest } = project(`${name}-undici`, ALSO_ON_UNDICI[name], 1, APPLICATIONS);
  return { ...rest, test: { ...test, exclude, env: { TEST_TRANSPORT: 'undici' } } };
}

/** Runs specs about requests again with the lowest axios of our range, because its own behaviour differs from the newest one. */
function onLowestAxios() {
  const { test, ...rest } = project('hostile-lowest-axios', [...ON_LOWEST_AXIOS], 1, APPLICATIONS);
  const alias = [{ find: /^axios$/, replacement: 'axios-lowest' }];
  return { ...rest, test: { ...test, alias, env: { TEST_AXIOS: LOWEST_AXIOS } } };
}

/** Runs specs of the request path again with a direct sender: `test/support/http/http-client.ts` gives it to every client. */
function withDirectSender() {
  const options = { ...SHARED_PROCESSES, testTimeout: 60_000 };
  const { test, ...rest } = project('unit-direct', [...ALSO_WITH_DIRECT_SENDER], 1, options);
  return { ...rest, test: { ...test, env: { TEST_WAY_OUT: 'direct' } } };
}

/** Runs specs of fleets again with other settings of `test/support/fleet`. */
function fleetWith(name: string, include: string[], env: Record<string, string>, server = REDIS) {
  const options = { ...FLEET, globalSetup: [server, WORKER] };
  const { test, ...rest } = project(`fleet-${name}`, include, 3, options);
  return { ...rest, test: { ...test, env } };
}

/** Runs specs of fleets again with other Redis clients, and with Valkey. */
function onOtherRedis() {
  return [
    ...ON_OTHER_CLIENTS.clients.map((client) =>
      fleetWith(client.replaceAll(/\W+/g, '-'), ON_OTHER_CLIENTS.specs, { TEST_REDIS_CLIENT: client }),
    ),
    fleetWith('valkey', ON_VALKEY, { TEST_REDIS_SERVER: 'valkey-server' }, VALKEY),
  ];
}

/**
 * `test/support/run/extent.ts` reads this variable. Each project gets it here, because vitest passes `--mode` to this file only
 * for the root: for the projects the mode is always `test`.
 */
function withExtent<Project extends { test: { name: string; env?: Record<string, string> } }>(
  mode: string,
  projects: Project[],
): Project[] {
  const extent = { TEST_EXTENT: mode === 'all' ? 'all' : 'few' };
  return projects.map((one) => ({ ...one, test: { ...one.test, env: { ...one.test.env, ...extent } } }));
}

export default defineConfig(({ mode }) => ({
  test: {
    pool: 'forks',
    // A hook starts servers or removes an installed application. On a slow disk this takes longer than vitest's 10 seconds.
    hookTimeout: 120_000,
    // One second is too short for a server or a file on a busy machine. What does not happen costs this time only in a failed test.
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/run/closing-line.reporter.ts'],
    sequence: { sequencer: LongestFirst },
    // Most projects import the same files of `lib`. Without the cache, each of them transforms all of them again. It stays in
    // `node_modules`: after a change of tsconfig.json, run `npx vitest --clearCache`.
    experimental: { fsModuleCache: true },
    projects: withExtent(mode, [
      ...suite('e2e', 1, APPLICATIONS),
      ...suite('hostile', 1, APPLICATIONS),
      ...suite('leak', 1, { ...APPLICATIONS, ...ONE_FILE_MORE_THAN_CORES }),
      // These specs make their own clients and choose the transport there.
      onUndici('e2e', ['test/e2e/http/{http2,tracing,resolved-address}.spec.ts']),
      onUndici('hostile'),
      onLowestAxios(),
      withDirectSender(),
      // The long spec of this suite has its own process, so that it starts first. As the last one it would run alone.
      ...suite('unit', 1, { ...SHARED_PROCESSES, testTimeout: 60_000 }, ONE_FILE_MORE_THAN_CORES),
      ...suite('fleet', 2, FLEET),
      ...onOtherRedis(),
      ...suite('package', 2, {
        ...TWO_FILES_MORE_THAN_CORES,
        testTimeout: 300_000,
        globalSetup: [PACKAGE, REDIS, SITE],
      }),
      // These specs use software of the operating system. CONTRIBUTING says what to install.
      ...suite('foreign', 3, { ...TWO_FILES_MORE_THAN_CORES, testTimeout: 180_000, globalSetup: [SITE] }),
    ]),
  },
}));
