import fs from 'node:fs';
import promised from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MountedFile } from '../../../lib/secrets/mounted-file.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { validateOptions } from '../../support/application/built-in.js';
import { optionsWith } from '../../support/secrets/config-canaries.js';
import { secretOfFile } from '../../support/secrets/secret-of-file.js';

const PLACE = { path: 'interfaces.easy.sandbox.clientSecret', env: undefined };
const ABSENT = 'names a file that does not exist. Mount it, or name the right one.';
const FORBIDDEN = 'names a file that this process may not read. Give its user the right to.';
const UNREADABLE = 'names a file that cannot be read. Check what is mounted there.';

let folder: string;
let file: string;

beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'secret-'));
  file = join(folder, 'secret');
  fs.writeFileSync(file, 'value');
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  fs.rmSync(folder, { recursive: true });
});

/** Makes the system fail. Tests may run as root, and root may read every file. */
function failAt(step: 'stat' | 'readFile', thrown: unknown): void {
  vi.spyOn(fs, `${step}Sync`).mockImplementation(() => {
    throw thrown;
  });
  vi.spyOn(promised, step).mockRejectedValue(thrown);
  syncBuiltinESMExports();
}

const failing = (code: unknown): Error => Object.assign(new Error('the text of the system'), { code });

/** The messages at boot and at a later read. */
async function messagesOf(source: ReturnType<typeof secretOfFile>): Promise<unknown[]> {
  const failure: unknown = await source.read().catch((error: unknown) => error);
  if (!(failure instanceof ProviderAuthConfigError)) throw new Error('was expected to fail');
  return [source.flaw(), ...failure.problems];
}

const twice = (message: string): unknown[] => [message, { path: PLACE.path, message }];

describe('C4: a secret file that cannot be read', () => {
  it.each([
    ['ENOENT', ABSENT],
    ['ENOTDIR', ABSENT],
    ['EACCES', FORBIDDEN],
    ['EPERM', FORBIDDEN],
    ['EIO', UNREADABLE],
    [undefined, UNREADABLE],
  ])('is reported with the way to fix %s, at boot and later', async (code, message) => {
    const source = secretOfFile(file, PLACE);
    failAt('readFile', failing(code));
    expect(await messagesOf(source)).toEqual(twice(message));
    failAt('stat', failing(code));
    expect(await messagesOf(source)).toEqual(twice(message));
  });

  it.each([null, 'ENOENT', { code: 'ENOENT' }])(
    'is unreadable when no error is thrown but %j',
    async (thrown) => {
      failAt('readFile', thrown);
      expect(await messagesOf(secretOfFile(file, PLACE))).toEqual(twice(UNREADABLE));
    },
  );

  it('does not exist below another file', async () => {
    expect(await messagesOf(secretOfFile(join(file, 'secret'), PLACE))).toEqual(twice(ABSENT));
  });
});

it('C4: a file that cannot be a secret file is not read', async () => {
  fs.writeFileSync(join(folder, 'long'), 's'.repeat(100_000));
  const [read, readSync] = [vi.spyOn(promised, 'readFile'), vi.spyOn(fs, 'readFileSync')];
  syncBuiltinESMExports();
  const tooLong =
    'names a file that is far too long for a secret. Name the file that holds the secret and nothing else.';
  expect(await messagesOf(secretOfFile(join(folder, 'long'), PLACE))).toEqual(twice(tooLong));
  const none = 'names something that is not a file. Name the file that holds the secret.';
  expect(await messagesOf(secretOfFile(folder, PLACE))).toEqual(twice(none));
  for (const reading of [read, readSync])
    expect(reading.mock.calls.filter(([name]) => name === folder || name === join(folder, 'long'))).toEqual(
      [],
    );
});

it('B8: the path of a secret file is relative to the folder in which the process started', async () => {
  vi.spyOn(process, 'cwd').mockReturnValueOnce(folder).mockReturnValue(tmpdir());
  expect((await secretOfFile('secret', PLACE).read()).reveal()).toBe('value');
});

it('B8: a file that is replaced while the application starts is checked and kept as it was read', async () => {
  const readFileSync = fs.readFileSync;
  vi.spyOn(fs, 'readFileSync').mockImplementation((...given: Parameters<typeof readFileSync>) => {
    const content = readFileSync(...given);
    if (given[0] === file) fs.writeFileSync(file, '');
    return content;
  });
  syncBuiltinESMExports();
  const clientSecret = new MountedFile(file, 'secret');
  const { profiles } = await validateOptions(
    optionsWith({ 'interfaces.easy.sandbox.clientSecret': clientSecret }),
    {},
  );
  const secrets = profiles.map((profile) => profile.clientSecret.atBoot?.reveal());
  expect(secrets).toContain('value');
});
