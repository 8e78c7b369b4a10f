import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../../../lib/cli/program.js';
import { defineProvider } from '../../../lib/index.js';

/** Runs the command. What it wrote and its exit code. */
async function written(...args: readonly string[]) {
  const texts = { stdout: '', stderr: '' };
  const code = await run(args, {
    stdout: { write: (text: string) => (texts.stdout += text) },
    stderr: { write: (text: string) => (texts.stderr += text) },
  });
  return { code, ...texts };
}

describe('provider-auth doctor --probe', () => {
  it.each([
    'https://elsewhere.invalid/',
    'HTTPS:elsewhere.invalid',
    '//elsewhere.invalid/',
    'javascript:elsewhere',
    '\\\\elsewhere',
    '/\\elsewhere',
    '/else where',
    '/elsewhere\n',
    '/elsewhere#fragment',
    '',
  ])('S6: takes a path, and repeats nothing else: %j', async (path) => {
    const { code, stdout, stderr } = await written('doctor', '--probe', path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'nestjs-provider-auth could not run: --probe takes a path under the base URL, such as /payments.\n',
    );
  });
});

describe('provider-auth doctor --provider', () => {
  it.each([
    [['--interface', 'stock', '--environment', 'live'], '--environment takes one of test for stock.'],
    [
      ['--interface', 'parcels', '--environment', 'test'],
      '--environment takes one of demo, live for parcels.',
    ],
    [['--environment', 'production'], '--environment takes one of test, demo, live.'],
    [['--interface', 'easy'], '--interface takes one of stock, parcels.'],
  ])('B29: cannot run if no definition has what %j name together', async (names, says) => {
    const definitions = [
      defineProvider({ name: 'warehouse', environments: ['test'], interfaces: { stock: {} } }),
      defineProvider({ name: 'courier', environments: ['demo', 'live'], interfaces: { parcels: {} } }),
    ];
    vi.stubGlobal('definitionsOfTest', definitions);
    const folder = mkdtempSync(join(tmpdir(), 'provider-auth-definitions-'));
    onTestFinished(() => {
      vi.unstubAllGlobals();
      rmSync(folder, { recursive: true });
    });
    const file = join(folder, 'definitions.mjs');
    writeFileSync(file, 'export const [warehouse, courier] = globalThis.definitionsOfTest;');
    expect(await written('doctor', '--provider', file, ...names)).toEqual({
      code: 2,
      stdout: '',
      stderr: `nestjs-provider-auth could not run: ${says}\n`,
    });
  });
});
