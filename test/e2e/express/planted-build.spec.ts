import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandResult, runNode } from '../../support/run/run-command.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What is changed in a copy of the build, and where the comparison must report the change. */
interface Plant {
  readonly before: string | RegExp;
  readonly after: string;
  readonly subject: string;
  readonly isOfFetch?: true;
}

const PLANTS: Readonly<Record<string, Plant>> = {
  'the name of a header is written in another case': {
    before: "AUTHORIZATION_HEADER = 'Authorization'",
    after: "AUTHORIZATION_HEADER = 'AUTHORIZATION'",
    subject: 'server received',
  },
  'the message of an error is another': {
    before: 'maxContentLength size of ',
    after: 'maxContentLength of ',
    subject: 'result',
  },
  'a response has its members in another order': {
    before: /(\bstatusText,)(\s+)(headers,)(?=\s+config\b)/,
    after: '$3$2$1',
    subject: 'result',
  },
  'an answer that is cut short is a success': {
    before: /isCompleteWithoutBody\(error, (reader\.status)\)/,
    after: '$1 !== undefined',
    subject: 'result',
  },
  'a byte of a form is another': {
    before: 'Content-Disposition: form-data;',
    after: 'Content-Disposition: form-datA;',
    subject: 'server received',
    isOfFetch: true,
  },
};

let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), 'build-'));
  await cp(join(ROOT, 'dist/compiled'), copy, { recursive: true });
});

afterEach(() => rm(copy, { recursive: true, force: true }));

/** Returns how many files were changed. */
async function plant({ before, after }: Plant): Promise<number> {
  let changed = 0;
  for (const name of await readdir(copy, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(copy, name), 'utf8');
    const planted = text.replace(before, after);
    if (planted === text) continue;
    await writeFile(join(copy, name), planted);
    changed += 1;
  }
  return changed;
}

/** Always the same calls, with the transport and the axios that need least time. */
function compare(...options: string[]): Promise<CommandResult> {
  const main = ['--import', './test/support/run/register-source.mjs', 'test/e2e/express/main.ts'];
  const fixed = [
    '--transport',
    'undici',
    '--axios',
    'newest',
    '--seed',
    '20261122',
    '--findings',
    '5',
    '--no-shrink',
  ];
  return runNode([...main, '--against', copy, ...fixed, ...options], { cwd: ROOT, timeoutMs: 120_000 });
}

describe('the comparison of this checkout with a copy of its build', { timeout: 150_000 }, () => {
  it('B17: finds no difference', async () => {
    const { code, output } = await compare('--pairs', '100', '--fetch-pairs', '50');
    expect(output).toContain('0 kinds of differences');
    expect(code).toBe(0);
  });

  it.each(Object.entries(PLANTS))('B17: finds it if %s', async (_, planted) => {
    // If the code has moved, the plant must follow.
    expect(await plant(planted)).toBeGreaterThan(0);
    const pairs = planted.isOfFetch
      ? ['--pairs', '0', '--fetch-pairs', '100']
      : ['--pairs', '300', '--fetch-pairs', '0'];
    const { code, output } = await compare(...pairs);
    expect(output).toContain(`\n${planted.subject} (- before, + after):\n`);
    expect(code).toBe(1);
  });
});
