#!/usr/bin/env -S node --
import { run } from './program.js';

/** A verdict that could not be written is none: `provider-auth doctor | head -1`, or a full disk. */
const UNHEARD = 2;

process.stdout.on('error', () => process.exit(UNHEARD));

async function main(): Promise<void> {
  const exitCode = await run(process.argv.slice(2), process);
  // Once all is written; what a step gave up may still hold a socket.
  process.stdout.write('', (error) => process.exit(error ? UNHEARD : exitCode));
}

void main();
