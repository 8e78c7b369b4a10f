import { defineConfig } from 'vitest/config';
import type { PoolOptions } from 'vitest/node';
import { KeptThread } from './kept-thread.js';
import { KillingFirst } from './killing-first.js';

const folder = (process.env['MUTATED_FOLDER'] ?? '').replace('lib/', '');
const furtherSpecs = (process.env['FURTHER_SPECS'] ?? '').split(' ').filter(Boolean);

/**
 * The specs that test the mutants of a folder: its unit specs, and the further specs of `mutate.mjs`. A spec that is left
 * out can only lower a score.
 */
export default defineConfig({
  plugins: [
    {
      name: 'kept-thread',
      // This hook runs after Stryker has set the pool to the threads of vitest.
      configureVitest({ project }) {
        const poolRunner = {
          name: 'kept-thread',
          createPoolWorker: (options: PoolOptions) => new KeptThread(options),
        };
        Object.assign(project.config, { pool: poolRunner.name, poolRunner });
      },
    },
  ],
  test: {
    include: [`test/unit/${folder}/**/*.spec.ts`, ...furtherSpecs],
    exclude: [
      // Specs with much random input. They are slow, and chance must not decide about a score.
      'test/unit/token/accounts-interleavings.spec.ts',
      'test/unit/config/random-options.spec.ts',
      // Simulate outages or calls of an hour, play faults in every order, or make 10,000 clients. They are slow, so a mutant that only
      // they reach would take minutes.
      'test/unit/token/outage-figures.spec.ts',
      'test/unit/token/fleet/random-schedules.spec.ts',
      'test/unit/http/many-accounts.spec.ts',
      // Loads all modules a second time.
      'test/unit/config/further-interface.spec.ts',
    ],
    isolate: false,
    globalSetup: folder === 'redis' ? ['test/support/run/redis.setup.ts'] : [],
    setupFiles: ['test/nightly/mutation/fixed-seed.ts', 'test/nightly/mutation/imported-unmutated.ts'],
    sequence: { sequencer: KillingFirst, setupFiles: 'list' },
    // A tenth of the random calls of `test/models`, and the same ones for each mutant.
    env: folder === 'http' ? { TEST_TIMES: '0.1', TEST_SEED: '1' } : {},
    restoreMocks: true,
    unstubEnvs: true,
    // Short, because some mutants let a test hang. Long enough for a busy machine.
    testTimeout: furtherSpecs.length > 0 ? 30_000 : 10_000,
  },
});
