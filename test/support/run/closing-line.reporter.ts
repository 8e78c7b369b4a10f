import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/**
 * Ends the run with a line `N passed, N failed`. A file that cannot be loaded and a hook that throws have no failed test.
 * They count as failures too, because a broken file must not look like a passed file.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    let passed = 0;
    let skipped = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'skipped') skipped += 1;
        else failed += 1;
      }
      failed += module.errors().length;
      for (const group of module.children.allSuites()) failed += group.errors().length;
    }
    // If the setup of a run fails, the run has no tests.
    if (reason === 'failed') failed = Math.max(failed, 1);
    console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
