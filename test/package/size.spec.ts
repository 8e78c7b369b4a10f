import { expect, it } from 'vitest';
import { entries, manifest, ROOT } from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

const COMMAND = ['--import', './test/support/run/register-source.mjs', 'test/bench/size.bench.mjs'];

it('B19: `npm run size` shows packages, installed KiB, tarball KiB and what each entry adds', async () => {
  expect(manifest.scripts['size']).toContain(`node ${COMMAND.join(' ')}`);
  const { code, output } = await runNode(COMMAND, { cwd: ROOT, timeoutMs: 280_000 });
  expect(code).toBe(0);
  const rows = new Map(
    output
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, name = '', ...figures]) => [name, figures.filter((cell) => cell !== '').map(Number)]),
  );
  const figuresOf = (name: string) => rows.get(name) ?? [];
  const [ours = 0] = figuresOf(`${manifest.name} ${manifest.version}`);
  const [all = 0] = figuresOf('2 packages');
  expect(ours).toBeGreaterThan(100);
  expect(all).toBeGreaterThan(ours);
  expect(Number(/The tarball is (\d+) KiB/.exec(output)?.[1])).toBeLessThan(ours);
  const incomplete = entries.filter(({ subpath }) => {
    const figures = figuresOf(`\`${subpath}\``);
    return figures.length !== 3 || figures.some((figure) => !(figure > 0));
  });
  expect(incomplete).toEqual([]);
});
