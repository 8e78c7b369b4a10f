import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url);
const LOADER = new URL('test/support/run/register-source.mjs', root).href;

/** The soak must pass with any seed. This one is fixed, so that a failure can be repeated. */
const SEED = '20260';

it(
  'C3, S7, B1 to B9: under random faults, a fault explains each failed call, and memory and sockets do not grow',
  { timeout: 180_000 },
  async () => {
    const { stdout, code } = await run(
      process.execPath,
      ['--import', LOADER, 'test/e2e/soak/main.ts', '--seconds', '15', '--rate', '60', '--seed', SEED],
      { cwd: root, timeout: 150_000, killSignal: 'SIGKILL' },
    ).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { stdout: string; code: number | null }) => error,
    );
    // The test shows the whole report, because the report names the call, the rule and the seed.
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('\n0 wrong outcomes') });
  },
);
