import { join } from 'node:path';

/** Packages that Nest loads only if the application has them. */
export const ABSENT = [
  '@nestjs/microservices',
  '@nestjs/microservices/microservices-module.js',
  '@nestjs/platform-express',
  '@nestjs/websockets/socket-module',
  '@nestjs/websockets/socket-module.js',
  'class-transformer',
  'class-transformer/storage',
];

export const entry = join(import.meta.dirname, 'main.mjs');

/** The arguments of each bundler's file: the kind of modules, and the file to write. */
export const [format, outfile] = process.argv.slice(2);
