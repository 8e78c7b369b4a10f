#!/usr/bin/env -S node --
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './program.js';

/** The exit code if the output could not be written: `provider-auth doctor | head -1`, or a full disk. */
const OUTPUT_LOST = 2;

process.stdout.on('error', () => process.exit(OUTPUT_LOST));

/** The folder of this file. npm starts the command through a link. */
function commandFolder(): string {
  return dirname(realpathSync(process.argv[1] ?? '.'));
}

async function main(): Promise<void> {
  const exitCode = await run(process.argv.slice(2), process, join(commandFolder(), 'page'));
  // `exit` after everything is written, because a step that timed out may still hold a socket.
  process.stdout.write('', (error) => process.exit(error ? OUTPUT_LOST : exitCode));
}

void main();
