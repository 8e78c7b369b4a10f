import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

interface SuiteOptions {
  isolate: boolean;
  testTimeout: number;
  /** Files at once. The same for all suites of one group. */
  maxWorkers: number;
}

/** One suite of the repository: `npm run test:<name>` runs `test/<name>`. */
function suite(name: string, groupOrder: number, options: SuiteOptions) {
  // The applications under test/package/apps bring specs of their own, for their own Jest.
  const files = { include: [`test/${name}/**/*.spec.ts`], exclude: ['test/package/apps/**'] };
  return { extends: true as const, test: { name, ...files, sequence: { groupOrder }, ...options } };
}

/** Vitest leaves one core alone; on the two of a small machine that would be one file after another. */
const SIDE_BY_SIDE = { isolate: true, maxWorkers: Math.max(2, availableParallelism() - 1) };

/**
 * What the specs of a suite say of requests, said again of `undiciTransport()`: `test/support/given.ts` puts it under
 * every client. A spec in which the two rightly differ asks for the transport in one line and says why.
 */
function onUndici(name: string, include: string[], exclude: string[] = []) {
  const { test, ...rest } = suite(name, 2, { ...SIDE_BY_SIDE, testTimeout: 30_000 });
  return {
    ...rest,
    test: { ...test, name: `${name}-undici`, include, exclude, env: { TEST_TRANSPORT: 'undici' } },
  };
}

/** If the machine has no Redis, the run fetches one. This takes a few seconds, once. */
function withRedis({ test, ...rest }: ReturnType<typeof suite>) {
  return { ...rest, test: { ...test, globalSetup: './test/support/redis.setup.ts' } };
}

export default defineConfig({
  test: {
    pool: 'forks',
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/closing-line.reporter.ts'],
    projects: [
      // Importing Nest costs about a second a file; unit specs patch no globals, so they share one process.
      suite('unit', 1, { isolate: false, maxWorkers: 1, testTimeout: 10_000 }),
      suite('e2e', 2, { ...SIDE_BY_SIDE, testTimeout: 30_000 }),
      suite('hostile', 2, { ...SIDE_BY_SIDE, testTimeout: 30_000 }),
      // http2 and tracing bring clients of their own and say there how they travel.
      onUndici('e2e', ['test/e2e/http/*.spec.ts'], ['test/e2e/http/{http2,tracing}.spec.ts']),
      onUndici('hostile', ['test/hostile/api-*.spec.ts']),
      suite('leak', 2, { ...SIDE_BY_SIDE, testTimeout: 60_000 }),
      // Fleets are many processes: whatever ran beside them would measure the machine.
      withRedis(suite('fleet', 3, { isolate: true, maxWorkers: 1, testTimeout: 120_000 })),
      withRedis(suite('package', 4, { ...SIDE_BY_SIDE, testTimeout: 300_000 })),
      // These talk to software of the operating system: CONTRIBUTING says what to install.
      suite('foreign', 5, { ...SIDE_BY_SIDE, testTimeout: 60_000 }),
    ],
  },
});
