import { build } from 'rolldown';
import { ABSENT, entry, format, outfile } from './settings.mjs';

await build({
  input: entry,
  external: ABSENT,
  platform: 'node',
  logLevel: 'silent',
  output: { file: outfile, format, minify: true, codeSplitting: false },
});
