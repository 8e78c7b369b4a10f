#!/usr/bin/env -S node --
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingPackage } from './missing-package.js';

/** The exit code if the command could not run, or its output could not be written: `provider-auth doctor | head -1`, or a full disk. */
const COULD_NOT_RUN = 2;

process.stdout.on('error', () => process.exit(COULD_NOT_RUN));

/** The folder of this file. npm starts the command through a link. */
function commandFolder(): string {
  return dirname(realpathSync(process.argv[1] ?? '.'));
}

async function runCommand(): Promise<number> {
  try {
    // Not a static import: it fails before any code of this file runs if a peer is not installed.
    const { run } = await import('./program.js');
    return await run(process.argv.slice(2), process, join(commandFolder(), 'page'));
  } catch (error) {
    const why = missingPackage(error);
    if (why === undefined) throw error;
    process.stderr.write(`nestjs-provider-auth could not run: ${why}\n`);
    return COULD_NOT_RUN;
  }
}

async function main(): Promise<void> {
  const exitCode = await runCommand();
  // `exit` after everything is written, because a step that timed out may still hold a socket.
  process.stdout.write('', (error) => process.exit(error ? COULD_NOT_RUN : exitCode));
}

void main();
