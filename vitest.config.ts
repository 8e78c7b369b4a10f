import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const setUps = (...names: string[]) => names.map((name) => `./test/support/run/${name}.setup.ts`);

/** Importing Nest takes a second for each file. Specs that leave nothing behind in their process share it. */
const SHARED = { isolate: false, testTimeout: 120_000, maxWorkers: availableParallelism() + 1 };
const OWN_PROCESS = { ...SHARED, isolate: true, testTimeout: 180_000 };
/** Real applications and servers must end with their test. */
const GUARDED = { setupFiles: setUps('nothing-left') };
/** These specs wait for other processes. They run after the others, so that no machine is too busy for a lease. */
const WAITING = { isolate: false, maxWorkers: availableParallelism() + 2, sequence: { groupOrder: 2 } };
const FLEET = { ...WAITING, testTimeout: 120_000, globalSetup: setUps('redis', 'fleet') };
const PACKAGE = { ...WAITING, testTimeout: 300_000, globalSetup: setUps('package', 'redis') };

/** Only `.ci/run` runs these specs, because they install, compile and start whole applications. */
const INSTALLED = 'test/package/{declarations,entries,foreign-apps,installation,manual}.spec.ts';
/** Only `.ci/run` runs this spec, because it needs Chromium. */
const PAGE = 'test/package/simulator-page.spec.ts';
/** Only `npm run nightly` runs these specs, although they are not in `test/nightly`. */
const LONG = ['test/rules/tls/proxies.spec.ts'];
/** These specs choose the transport of each client, or are about agents. */
const OWN_TRANSPORT =
  process.env['TEST_TRANSPORT'] === 'undici'
    ? [
        'test/rules/http/{agents,resolved-address}.spec.ts',
        'test/rules/hostile/api-{detours,redirects}.spec.ts',
      ]
    : [];
/** Windows has no Redis, file modes and signals, and starts npm in another way. */
const NOT_ON_WINDOWS = [
  'test/{fleet,package}/**',
  'test/nightly/module/thaw.spec.ts',
  'test/rules/simulator/command-{files,provider}.spec.ts',
  'test/unit/cli/simulate/{own-files,simulate}.spec.ts',
];

function project(name: string, include: string[], options: object, left: string[] = []) {
  // The applications have specs for their own Jest.
  const exclude = ['test/package/apps/**', ...left, ...(process.platform === 'win32' ? NOT_ON_WINDOWS : [])];
  return { extends: true as const, test: { name, include, exclude, ...options } };
}

export default defineConfig({
  test: {
    pool: 'forks',
    // A hook starts servers or removes an installed application. On a slow disk this takes longer than vitest's 10 seconds.
    hookTimeout: 120_000,
    // One second is too short for a server or a file on a busy machine. What does not happen costs this time only in a failed test.
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/run/closing-line.reporter.ts'],
    // Without it, each project transforms `lib` again. After a change of tsconfig.json, run `npx vitest --clearCache`.
    experimental: { fsModuleCache: true },
    // The lowest axios of our range, whose own behaviour differs from the newest one.
    alias: process.env['TEST_AXIOS'] === undefined ? [] : [{ find: /^axios$/, replacement: 'axios-lowest' }],
    projects: [
      // `npm test`
      project('unit', ['test/unit/**/*.spec.ts'], SHARED),
      project('rules', ['test/{rules/*,models}/*.spec.ts'], { ...SHARED, ...GUARDED }, [
        ...LONG,
        ...OWN_TRANSPORT,
      ]),
      project('fleet', ['test/fleet/*.spec.ts'], FLEET),
      project('package', ['test/package/*.spec.ts'], PACKAGE, [INSTALLED, PAGE]),
      // `.ci/run`
      project('installed', [INSTALLED], PACKAGE),
      project('page', [PAGE], OWN_PROCESS),
      // `npm run nightly`
      project('nightly', ['test/nightly/!(fleet|package|site)/*.spec.ts', ...LONG], OWN_PROCESS),
      project('nightly-fleet', ['test/nightly/fleet/*.spec.ts'], FLEET),
      project('nightly-package', ['test/nightly/{package,site}/*.spec.ts'], PACKAGE),
    ],
  },
});
