import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/package/packed-package.js';
import { runNode } from '../../support/run/run-command.js';

type Ways = Readonly<Record<'default' | 'undici', Readonly<Record<'warm' | 'refused', readonly string[]>>>>;

it('B30: CONTRIBUTING.md has a sentence about each file that a warm call and a 401 run', async () => {
  const program = 'test/support/architecture/way-of-a-call.mjs';
  const { stdout, output } = await runNode([program, '--json'], { cwd: ROOT });
  expect(output).toBe(stdout);
  const ways = JSON.parse(stdout) as Ways;
  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = (heading: string) =>
    [...(page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/`([\w/.-]+\.ts)`/g)].map(
      ([, file = '']) => file,
    );
  const [warm, refused] = [named('The way of a warm call'), named('The way of a 401')];
  for (const files of Object.values(ways)) {
    expect(files.warm.filter((file) => !warm.includes(file))).toEqual([]);
    expect(files.refused.filter((file) => ![...warm, ...refused].includes(file))).toEqual([]);
  }
});
