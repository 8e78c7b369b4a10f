import { expect, it } from 'vitest';
import { ROOT } from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

it('B30: a warm call runs no more files than its limit', async () => {
  const { code, output } = await runNode(['test/architecture/way-of-a-call.mjs'], { cwd: ROOT });
  const rows = [...output.matchAll(/^\| (\w+) \| (\w+) \| (\d+) \|/gm)].map(([, ...row]) => row.join(' '));
  expect({ code, rows }).toEqual({
    code: 0,
    rows: [
      expect.stringMatching(/^axios cold \d\d$/),
      expect.stringMatching(/^axios warm 2\d$/),
      expect.stringMatching(/^axios 401 \d\d$/),
      expect.stringMatching(/^undici cold \d\d$/),
      expect.stringMatching(/^undici warm 2\d$/),
      expect.stringMatching(/^undici 401 \d\d$/),
    ],
  });
});
