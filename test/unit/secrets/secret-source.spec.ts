import fs from 'node:fs';
import promised from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf, failureOf as tokenFailure, tokensOf } from '../../support/token/token-fixtures.js';
import { validateOptions } from '../../support/application/built-in.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { MountedFile } from '../../../lib/secrets/mounted-file.js';
import { credentialSource } from '../../../lib/secrets/client-key.js';
import type { SecretSource } from '../../../lib/secrets/secret-source.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { CANARY, optionsWith, shownBy } from '../../support/secrets/config-canaries.js';

const PLACE = {
  path: 'interfaces.easy.sandbox.clientSecret',
  env: 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE',
};

/** The source that the validation creates for a function. */
async function sourceOf(clientSecret: unknown): Promise<SecretSource> {
  const { profiles } = await validateOptions(
    optionsWith({ 'interfaces.easy.sandbox.clientSecret': clientSecret }),
    {},
  );
  const profile = profiles.find(({ interface: name, active }) => name === 'easy' && active);
  if (profile === undefined) throw new Error('no profile');
  return profile.clientSecret;
}

async function failureOf(source: SecretSource): Promise<ProviderAuthConfigError> {
  const failure = await errorOf(source.read());
  if (!(failure instanceof ProviderAuthConfigError)) throw failure;
  return failure;
}

function raise(): never {
  throw Object.assign(new Error('canary'), { code: 'CANARY' });
}

describe('B8: a function that returns the secret', () => {
  it('is not called at boot, and is called once for each read', async () => {
    let calls = 0;
    const source = await sourceOf(() => `rotated ${(calls += 1)}`);
    expect(calls).toBe(0);
    expect((await source.read()).reveal()).toBe('rotated 1');
    expect((await source.read()).reveal()).toBe('rotated 2');
  });

  it.each([
    ['a promise', () => Promise.resolve('value'), 'value'],
    ['a Secret', () => new Secret('value'), 'value'],
    ['a text with a line break at its end', () => 'value\n', 'value'],
    ['a text with a line break of Windows at its end', () => 'value\r\n', 'value'],
    ['a text with unusual characters', () => '&=+% ü🔑', '&=+% ü🔑'],
  ])('may return %s', async (_, clientSecret, expected) => {
    expect((await (await sourceOf(clientSecret)).read()).reveal()).toBe(expected);
  });

  it.each<[string, () => unknown, string]>([
    ['throws', raise, 'throws or rejects'],
    ['rejects', () => Promise.reject(new Error('canary')), 'throws or rejects'],
    ['gives nothing', () => undefined, 'is missing'],
    ['gives an empty text', () => '', 'is empty'],
    ['gives two line breaks', () => 'canary\n\n', 'line break'],
    ['gives an object', () => ({ secret: 'canary' }), 'not an object'],
    ['gives a placeholder', () => 'changeme', 'placeholder'],
    [
      'gives a thing that throws when it is touched',
      () => Object.defineProperty({}, 'reveal', { get: raise }),
      'throws or rejects',
    ],
  ])('S10: that %s rejects, and its text is not shown', async (_, clientSecret, words) => {
    const failure = await failureOf(await sourceOf(clientSecret));
    expect(failure.code).toBe('CONFIG_INVALID');
    expect(failure.problems).toStrictEqual([{ path: PLACE.path, message: expect.stringContaining(words) }]);
    expect(shownBy(failure)).not.toContain(CANARY);
  });

  it('is named in the error of a wrong value', async () => {
    const message =
      'cannot be used: its function gives a value which is empty. Set it to the client secret of this environment.';
    expect((await failureOf(await sourceOf(() => ''))).problems).toEqual([{ path: PLACE.path, message }]);
    const object = { reveal: 'canary' };
    expect((await failureOf(await sourceOf(() => object))).problems).toEqual([
      {
        path: PLACE.path,
        message: 'cannot be used: its function gives a value which must be a string, not an object.',
      },
    ]);
  });

  it('works again after a read that failed', async () => {
    let calls = 0;
    const source = await sourceOf(() => ((calls += 1) === 1 ? '' : 'value'));
    await failureOf(source);
    expect((await source.read()).reveal()).toBe('value');
  });
});

/** The error of a caller that waits for a token. */
const failureOfRead = async (clientSecret: SecretSource): Promise<string> => {
  const tokens = tokensOf(new FakeClock(), () => Promise.reject(tokenFailure()), {
    profile: { clientSecret },
  });
  return String(await errorOf(tokens.getToken()));
};

it('B35: the code of an error of a function is not repeated', async () => {
  const message = await failureOfRead(await sourceOf(raise));
  expect(message).toContain('the client secret could not be read. ');
  expect(message).not.toMatch(/canary/i);
});

const twice = (message: string): unknown[] => [
  { ...PLACE, message },
  { path: PLACE.path, message },
];

describe('B8: a file with the secret', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = givenFolder();
    file = join(folder, 'canary-file');
    fs.writeFileSync(file, 'value');
  });

  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  const made = (path = file): SecretSource => {
    const clientSecret = new MountedFile(path, 'secret');
    return credentialSource({ clientSecret }, 'clientSecret', PLACE, undefined);
  };

  /** What the boot says, and what a later read says. */
  async function problemsAfter(change: () => void): Promise<unknown[]> {
    change();
    const { problems, message } = await failureOf(made());
    expect(message).not.toContain(CANARY);
    const options = optionsWith({ 'interfaces.easy.sandbox.clientSecret': new MountedFile(file, 'secret') });
    const atBoot = (await errorOf(validateOptions(options, {}))) as ProviderAuthConfigError;
    return [...problems, ...atBoot.problems];
  }

  it.each([
    ['a text', 'value', 'value'],
    ['a text with a line break at its end', 'value\n', 'value'],
    ['a text with a line break of Windows at its end', 'value\r\n', 'value'],
    ['a text with unusual characters', 'ü & = + %', 'ü & = + %'],
    ['the longest text', 's'.repeat(65_536), 's'.repeat(65_536)],
  ])('may contain %s', async (_, content, secret) => {
    fs.writeFileSync(file, content);
    expect((await made().read()).reveal()).toBe(secret);
  });

  it.each([
    ['nothing', '', 'names a file whose content is empty. Set it to the client secret of this environment.'],
    ['a line break', '\n', 'is empty'],
    ['two line breaks at its end', 'canary\n\n', 'line break'],
    ['two lines', 'canary\ncanary', 'control character'],
    ['an invisible mark', '\ufeffcanary', 'white space'],
    ['a placeholder', '<CLIENT_SECRET>', 'placeholder'],
    ['far too much', 's'.repeat(65_537), 'names a file that is far too long. Name the file'],
  ])('S10: that contains %s is refused, at boot and later', async (_, content, words) => {
    const message = expect.stringContaining(words) as string;
    expect(await problemsAfter(() => fs.writeFileSync(file, content))).toEqual(twice(message));
  });

  it.each([
    ['ENOENT', 'names a file that does not exist. Mount it, or name the right one.'],
    ['ENOTDIR', 'names a file that does not exist. Mount it, or name the right one.'],
    ['EACCES', 'names a file that this process may not read. Give its user the right to.'],
    ['EPERM', 'names a file that this process may not read. Give its user the right to.'],
    ['EIO', 'names a file that cannot be read. Check what is mounted there.'],
    [undefined, 'names a file that cannot be read. Check what is mounted there.'],
  ])(
    'C4: that fails with %s is reported with the way to fix it, at boot and later',
    async (code, message) => {
      // Tests may run as root, and root may read every file.
      for (const step of ['stat', 'readFile'] as const) {
        const fail = () => {
          vi.spyOn(promised, step).mockRejectedValue(Object.assign(new Error('canary'), { code }));
          syncBuiltinESMExports();
        };
        expect(await problemsAfter(fail)).toEqual(twice(message));
        vi.restoreAllMocks();
        syncBuiltinESMExports();
      }
    },
  );

  it('C4: that is a folder is refused', async () => {
    const message =
      'names something that is not a file. Name the file that holds the secret and nothing else.';
    expect((await failureOf(made(folder))).problems).toEqual([{ ...PLACE, message }]);
  });

  it('B8: has a path relative to the folder in which the process started', async () => {
    vi.spyOn(process, 'cwd').mockReturnValueOnce(folder).mockReturnValue(tmpdir());
    expect((await made('canary-file').read()).reveal()).toBe('value');
  });

  it('B35: that is gone after the boot is named in the error with the code of Node', async () => {
    const source = made();
    fs.rmSync(file);
    const message = await failureOfRead(source);
    expect(message).toContain('the client secret could not be read (ENOENT). ');
    expect(message).not.toContain('canary');
  });

  it('S10: shows neither its path nor the secret', async () => {
    fs.writeFileSync(file, CANARY);
    const source = await sourceOf(new MountedFile(file, 'secret'));
    expect(shownBy(source)).not.toContain(CANARY);
    expect(shownBy(made())).not.toContain(CANARY);
  });
});
