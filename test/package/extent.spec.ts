import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest, ROOT } from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

/** A spec of the package with more cases in `npm run test:all`. */
const SPEC = 'test/package/declarations.spec.ts';

/** How many tests the spec has in a run with these options. */
async function casesWith(...options: string[]): Promise<number> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await runNode([vitest, 'list', ...options, SPEC], { cwd: ROOT });
  return stdout.split('\n').filter((line) => line.includes(SPEC)).length;
}

describe('npm run test:all', () => {
  it('B20: runs more cases than npm test', async () => {
    // Vitest loads the configuration again for each project, and gives the mode only to the first.
    expect(manifest.scripts['test:all']).toContain('--mode all');
    const few = await casesWith();
    expect(few).toBeGreaterThan(0);
    expect(await casesWith('--mode', 'all')).toBeGreaterThan(few);
  });
});
