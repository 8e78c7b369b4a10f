import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Unit specs first: most mutants die there, and the rest is not run. */
class QuickestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  return moduleId.includes('/test/unit/') ? 0 : 1;
}

/**
 * The specs that judge mutants: the unit specs, and what `mutate.mjs` names besides. Whatever is left out can only lower
 * a score.
 */
export default defineConfig({
  test: {
    include: ['test/unit/**/*.spec.ts', ...(process.env['FURTHER_SPECS'] ?? '').split(' ').filter(Boolean)],
    exclude: [
      // Chance must not decide about a score.
      'test/unit/token/interleavings.spec.ts',
      'test/unit/config/random-options.spec.ts',
      'test/unit/{cli,support,undici}/**',
    ],
    // Stryker starts the process anew for each mutant; within one run nothing needs another.
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    restoreMocks: true,
    unstubEnvs: true,
    // A mutant that lets a test hang is to be found out soon.
    testTimeout: 5_000,
  },
});
