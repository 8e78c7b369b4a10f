import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The specs that judge a folder's mutants: the unit specs, and those that reach it over real connections where most of
 * its behaviour is only seen there. Left out is what starts processes of its own, where no mutant is, and what would
 * take long for each mutant: that can only lower a score.
 */
const SPECS: Record<string, string[]> = {
  'lib/token': ['test/hostile/token-*.spec.ts', 'test/e2e/token/token-request.spec.ts'],
  'lib/http': ['test/hostile/api-*.spec.ts', 'test/e2e/http/*.spec.ts'],
};

/** Unit specs first: most mutants die there, and the rest is not run. */
class QuickestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  return moduleId.includes('/test/unit/') ? 0 : 1;
}

export default defineConfig({
  test: {
    include: ['test/unit/**/*.spec.ts', ...(SPECS[process.env['MUTATED_FOLDER'] ?? ''] ?? [])],
    exclude: ['test/unit/token/interleavings.spec.ts', 'test/unit/{cli,support,undici}/**'],
    // Stryker starts the process anew for each mutant; within one run nothing needs another.
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    restoreMocks: true,
    unstubEnvs: true,
    // A mutant that lets a test hang is to be found out soon.
    testTimeout: 5_000,
  },
});
