import { register } from 'node:module';

// Use this file with `node --import`. A child process then runs the sources directly, so a test of a whole process needs no
// build and never uses an old one.
register('./source-hooks.mjs', import.meta.url);
