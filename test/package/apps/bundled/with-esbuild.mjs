import { build } from 'esbuild';
import { ABSENT, entry, format, outfile } from './settings.mjs';

/** CommonJS code in an ES module needs `require`, and esbuild makes none. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

await build({
  entryPoints: [entry],
  outfile,
  format,
  bundle: true,
  minify: true,
  platform: 'node',
  external: ABSENT,
  banner: { js: format === 'esm' ? REQUIRE : '' },
  logLevel: 'error',
});
