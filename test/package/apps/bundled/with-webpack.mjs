import { basename, dirname } from 'node:path';
import webpack from 'webpack';
import { ABSENT, entry, format, outfile } from './settings.mjs';

const isModule = format === 'esm';

webpack(
  {
    mode: 'production',
    target: 'node20',
    entry,
    output: {
      path: dirname(outfile),
      filename: basename(outfile),
      ...(isModule && { module: true, chunkFormat: 'module', library: { type: 'module' } }),
    },
    experiments: { outputModule: isModule },
    plugins: [
      new webpack.IgnorePlugin({ checkResource: (request) => ABSENT.includes(request) }),
      // Everything in one file, as in a container or a function of a cloud.
      new webpack.optimize.LimitChunkCountPlugin({ maxChunks: 1 }),
    ],
  },
  (error, stats) => {
    const errors = error ? [error] : stats.toJson({ all: false, errors: true }).errors;
    for (const { message } of errors) console.error(message);
    process.exitCode = errors.length;
  },
);
