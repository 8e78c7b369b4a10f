import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A file of the build under test: `dist`, unless BENCH_DIST names another folder. */
export function library(path) {
  return import(pathToFileURL(resolve(process.env.BENCH_DIST ?? 'dist', path)).href);
}
