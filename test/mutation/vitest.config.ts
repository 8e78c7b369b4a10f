import { defineConfig } from 'vitest/config';
import { BaseSequencer, type PoolOptions, type TestSpecification } from 'vitest/node';
import { KeptThread } from './kept-thread.js';

/** Unit specs first: most mutants die there, and the rest is not run. */
class QuickestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  return moduleId.includes('/test/unit/') ? 0 : 1;
}

const folder = (process.env['MUTATED_FOLDER'] ?? '').replace('lib/', '');
const furtherSpecs = (process.env['FURTHER_SPECS'] ?? '').split(' ').filter(Boolean);

/**
 * The specs that judge a folder's mutants: its unit specs, and what `mutate.mjs` names besides. Whatever is left out can
 * only lower a score.
 */
export default defineConfig({
  plugins: [
    {
      name: 'kept-thread',
      // After Stryker has had its say, which is always for threads of vitest's own.
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
      // Chance must not decide about a score.
      'test/unit/token/interleavings.spec.ts',
      'test/unit/config/random-options.spec.ts',
      // Loads everything a second time.
      'test/unit/config/further-interface.spec.ts',
    ],
    isolate: false,
    setupFiles: ['test/mutation/imported-unmutated.ts'],
    sequence: { sequencer: QuickestFirst, setupFiles: 'list' },
    restoreMocks: true,
    unstubEnvs: true,
    // Soon enough for a mutant that lets a test hang, and late enough for a machine that does something else as well.
    testTimeout: furtherSpecs.length > 0 ? 30_000 : 10_000,
  },
});
