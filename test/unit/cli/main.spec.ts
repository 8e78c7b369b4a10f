import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';

type Run = typeof import('../../../lib/cli/program.js').run;

const run = vi.fn<Run>();
let folder: string;
let starts = 0;

beforeAll(() => {
  vi.doMock('../../../lib/cli/program.js', () => ({ run }));
});

afterAll(() => {
  vi.doUnmock('../../../lib/cli/program.js');
});

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'provider-auth-main-')));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Starts the command by this file, as a new process would. What happens to its output is up to the test. */
async function start(args: readonly string[], exitCode: 0 | 1 | 2, error: Error | null = null) {
  run.mockResolvedValue(exitCode);
  const argv = process.argv;
  process.argv = [process.execPath, ...args];
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const ended = vi.fn<(text: unknown) => void>();
  const write = (text: string, done?: (failure: Error | null) => void): boolean => {
    ended(text);
    done?.(error);
    return true;
  };
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation(write as never);
  const before = process.stdout.listeners('error');
  try {
    starts += 1;
    // With another query, the file is evaluated again.
    const main = `../../../lib/cli/main.js?${starts}`;
    await import(/* @vite-ignore */ main);
    await vi.waitFor(() => expect(exit).toHaveBeenCalled());
  } finally {
    process.argv = argv;
    writing.mockRestore();
  }
  const listeners = process.stdout.listeners('error').filter((one) => !before.includes(one));
  for (const listener of listeners) process.stdout.off('error', listener as () => void);
  return { exit, ended, listeners };
}

it.each([0, 1, 2] as const)(
  'the exit code is that of the command, after everything is written: %i',
  async (code) => {
    const file = join(folder, 'main.js');
    writeFileSync(file, '');
    const { exit, ended } = await start([file, 'doctor', '--json'], code);
    expect(run.mock.lastCall).toEqual([['doctor', '--json'], process, join(folder, 'page')]);
    expect(ended.mock.calls).toEqual([['']]);
    expect(exit.mock.calls).toEqual([[code]]);
  },
);

// On Windows npm makes no link, and a link needs a privilege.
it.skipIf(process.platform === 'win32')(
  'the page of simulate is in the own folder of the command, even if npm starts it through a link',
  async () => {
    mkdirSync(join(folder, 'installed'));
    writeFileSync(join(folder, 'installed', 'main.js'), '');
    const link = join(folder, 'provider-auth');
    symlinkSync(join(folder, 'installed', 'main.js'), link);
    await start([link], 0);
    expect(run.mock.lastCall).toEqual([[], process, join(folder, 'installed', 'page')]);
  },
);

it('without a file of the command, the page is looked for above the folder in which Node runs', async () => {
  await start([], 0);
  expect(run.mock.lastCall?.[2]).toBe(join(process.cwd(), '..', 'page'));
});

it('the exit code is 2 if the output could not be written', async () => {
  const { exit } = await start([join(import.meta.dirname, 'main.spec.ts')], 0, new Error('EPIPE'));
  expect(exit.mock.calls).toEqual([[2]]);
});

it('the exit code is 2 as soon as the output has an error', async () => {
  const { exit, listeners } = await start([join(import.meta.dirname, 'main.spec.ts')], 0);
  expect(listeners).toHaveLength(1);
  exit.mockClear();
  listeners[0]!();
  expect(exit.mock.calls).toEqual([[2]]);
});
