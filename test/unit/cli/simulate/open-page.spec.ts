import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPage } from '../../../../lib/cli/simulate/open-page.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';
import { Watched } from '../../../support/token/token-fixtures.js';

const PAGE = 'http://127.0.0.1:4010/key/';

/** A program that the test ends. */
class Program extends EventEmitter {
  unref = vi.fn<() => void>();
}

/** The programs that were started, without starting one. */
function givenPrograms() {
  const program = new Program();
  const spawn = vi.fn<(...args: unknown[]) => Program>(() => program);
  replaceBuiltIn(childProcess, { spawn: spawn as never });
  return { program, spawn };
}

beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

describe('the program that opens the page', () => {
  it.each<[platform: NodeJS.Platform, program: string, args: string[]]>([
    ['linux', 'xdg-open', [PAGE]],
    ['freebsd', 'xdg-open', [PAGE]],
    ['darwin', 'open', [PAGE]],
    ['win32', 'rundll32', ['url.dll,FileProtocolHandler', PAGE]],
  ])('B25: on %s it is %s, and the browser outlives the simulator', (platform, name, args) => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
    const { program, spawn } = givenPrograms();
    void openPage(PAGE);
    expect(spawn.mock.calls).toEqual([[name, args, { stdio: 'ignore', detached: true }]]);
    expect(program.unref).toHaveBeenCalledOnce();
  });

  it.each([
    [0, true],
    [3, false],
    [null, false],
  ])('B25: that ends with %s has opened the page: %s', async (code, isOpen) => {
    const { program } = givenPrograms();
    const opened = openPage(PAGE);
    program.emit('exit', code);
    expect(await opened).toBe(isOpen);
  });

  it('B25: that does not exist has opened no page', async () => {
    const { program } = givenPrograms();
    const opened = openPage(PAGE);
    program.emit('error', new Error('spawn xdg-open ENOENT'));
    expect(await opened).toBe(false);
  });

  it('B25: that cannot be started at all has opened no page', async () => {
    givenPrograms().spawn.mockImplementation(() => {
      throw new Error('spawn E2BIG');
    });
    expect(await openPage(PAGE)).toBe(false);
  });

  it('B25: that runs for 5 s is the browser itself', async () => {
    givenPrograms();
    const opened = new Watched(openPage(PAGE));
    await vi.advanceTimersByTimeAsync(4999);
    expect(opened.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect(opened.result).toBe(true);
  });
});
