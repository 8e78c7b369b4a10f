import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { openPage } from '../../../../lib/cli/simulate/keyboard.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';

const PAGE = 'http://127.0.0.1:4010/key/';

it.each<[platform: NodeJS.Platform, program: string, args: string[]]>([
  ['linux', 'xdg-open', [PAGE]],
  ['darwin', 'open', [PAGE]],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', PAGE]],
])('B25: on %s, %s opens the page', async (platform, name, args) => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
  const program = Object.assign(new EventEmitter(), { unref: () => undefined });
  const spawn = vi.fn<(...args: unknown[]) => object>(() => program);
  replaceBuiltIn(childProcess, { spawn: spawn as never });
  const opened = openPage(PAGE);
  program.emit('exit', 0);
  expect(await opened).toBe(true);
  expect(spawn.mock.calls).toEqual([[name, args, { stdio: 'ignore', detached: true }]]);
});
