import { defineConfig } from 'vitest/config';

/** One suite of the repository: `npm run test:<name>` runs `test/<name>`. */
function suite(name: string, options: { isolate: boolean; testTimeout: number }) {
  // The applications under test/package/apps bring specs of their own, for their own Jest.
  const files = { include: [`test/${name}/**/*.spec.ts`], exclude: ['test/package/apps/**'] };
  return { extends: true as const, test: { name, ...files, ...options } };
}

export default defineConfig({
  test: {
    pool: 'forks',
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/closing-line.reporter.ts'],
    projects: [
      // Importing Nest costs about a second a file; unit specs patch no globals, so they share one process.
      suite('unit', { isolate: false, testTimeout: 10_000 }),
      suite('e2e', { isolate: true, testTimeout: 30_000 }),
      suite('hostile', { isolate: true, testTimeout: 30_000 }),
      suite('leak', { isolate: true, testTimeout: 60_000 }),
      suite('fleet', { isolate: true, testTimeout: 120_000 }),
      suite('package', { isolate: true, testTimeout: 300_000 }),
    ],
  },
});
