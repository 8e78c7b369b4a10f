import { register } from 'node:module';

// `node --import` this file: a child process then runs the sources as they are, so that a test of a whole process needs no
// build and never meets an old one.
register('./source-hooks.mjs', import.meta.url);
