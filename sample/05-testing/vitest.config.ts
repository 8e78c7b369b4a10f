import { defineConfig } from 'vitest/config';

export default defineConfig({
  // "verbose" names what was not run, and why; "default" only counts it.
  test: { include: ['src/**/*.spec.ts'], reporters: ['verbose'], unstubEnvs: true, testTimeout: 60_000 },
});
