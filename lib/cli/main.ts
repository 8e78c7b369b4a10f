#!/usr/bin/env -S node --
import { run } from './program.js';

// Whoever reads the output may stop reading: `provider-auth doctor | head -1`.
process.stdout.on('error', () => process.exit());

async function main(): Promise<void> {
  const exitCode = await run(process.argv.slice(2), process);
  // A look-up that was given up may still be under way in the system and would keep the process.
  process.stdout.write('', () => process.exit(exitCode));
}

void main();
