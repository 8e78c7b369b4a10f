import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The reporter "verbose" shows why a test was skipped. The reporter "default" only counts it.
  test: { include: ['src/**/*.spec.ts'], reporters: ['verbose'], unstubEnvs: true, testTimeout: 60_000 },
});
