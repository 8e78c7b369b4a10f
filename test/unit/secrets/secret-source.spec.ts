import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf, failureOf as tokenFailure, tokensOf } from '../../support/token/token-fixtures.js';
import { validateOptions } from '../../support/application/built-in.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { Secret } from '../../../lib/secrets/secret.js';
import type { SecretSource } from '../../../lib/secrets/secret-source.js';
import { secretOfFile } from '../../support/secrets/secret-of-file.js';
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
  const failure: unknown = await source.read().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof ProviderAuthConfigError))
    throw new Error('was expected to fail with an error of ours');
  return failure;
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
    [
      'throws',
      () => {
        throw new Error('canary');
      },
      'throws or rejects',
    ],
    ['rejects', () => Promise.reject(new Error('canary')), 'throws or rejects'],
    ['gives nothing', () => undefined, 'is missing'],
    ['gives null', () => null, 'not null'],
    ['gives an empty text', () => '', 'is empty'],
    ['gives a line break', () => '\n', 'is empty'],
    ['gives white space', () => Promise.resolve('  '), 'contains nothing but white space'],
    ['gives two line breaks', () => 'canary\n\n', 'line break'],
    ['gives space before the secret', () => ' canary', 'white space'],
    ['gives a control character', () => 'can\u0007ary', 'control character'],
    ['gives an object', () => ({ secret: 'canary' }), 'not an object'],
    ['gives a placeholder', () => 'changeme', 'placeholder'],
    ['gives a Secret that holds nothing', () => new Secret(''), 'is empty'],
    [
      'gives a thing that throws when it is touched',
      () => ({
        get reveal() {
          throw new Error('canary');
        },
      }),
      'throws or rejects',
    ],
  ])('S10: that %s rejects, and its text is not shown', async (_, clientSecret, words) => {
    const failure = await failureOf(await sourceOf(clientSecret));
    expect(failure.code).toBe('CONFIG_INVALID');
    expect(failure.problems).toStrictEqual([{ path: PLACE.path, message: expect.stringContaining(words) }]);
    expect(shownBy(failure)).not.toContain(CANARY);
  });

  it('is named in the error of a wrong value', async () => {
    const message = 'cannot be used: its function gives a value which is empty. Set it.';
    expect((await failureOf(await sourceOf(() => ''))).problems).toEqual([{ path: PLACE.path, message }]);
    const object = { reveal: 'canary' };
    expect((await failureOf(await sourceOf(() => object))).problems).toEqual([
      {
        path: PLACE.path,
        message: 'cannot be used: its function gives a value which must be a string, not an object.',
      },
    ]);
  });

  it('is called as a method, without arguments', async () => {
    const given: unknown[] = [];
    const source = await sourceOf((...args: unknown[]) => {
      given.push(...args);
      return 'value';
    });
    await source.read();
    expect(given).toEqual([]);
  });

  it('works again after a read that failed', async () => {
    let calls = 0;
    const source = await sourceOf(() => ((calls += 1) === 1 ? '' : 'value'));
    await failureOf(source);
    expect((await source.read()).reveal()).toBe('value');
  });
});

const failureOfRead = async (clientSecret: SecretSource): Promise<string> => {
  const tokens = tokensOf(new FakeClock(), () => Promise.reject(tokenFailure()), {
    profile: { clientSecret },
  });
  return String(await errorOf(tokens.getToken()));
};

describe('B35: a file that becomes unreadable after the boot', () => {
  it('B35: is named in the error and the log with the code of Node', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'secret-'));
    const file = join(folder, 'canary-file');
    await writeFile(file, 'value');
    const source = secretOfFile(file, PLACE);
    expect(source.flaw()).toBeUndefined();
    await rm(folder, { recursive: true });
    const message = await failureOfRead(source);
    expect(message).toContain('the client secret could not be read (ENOENT). ');
    expect(message).not.toContain('canary');
  });

  it('B35: and the code of an error of a function is not repeated', async () => {
    const source = await sourceOf(() => {
      throw Object.assign(new Error('canary'), { code: 'CANARY' });
    });
    const message = await failureOfRead(source);
    expect(message).toContain('the client secret could not be read. ');
    expect(message).not.toMatch(/canary/i);
  });
});

describe('B8: a file with the secret', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secret-'));
    file = join(folder, 'canary-file');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const source = () => secretOfFile(file, PLACE);

  it.each([
    ['value', 'value'],
    ['value\n', 'value'],
    ['value\r\n', 'value'],
    ['ü & = + %', 'ü & = + %'],
  ])('%j is the secret %j', async (content, secret) => {
    await writeFile(file, content);
    expect(source().flaw()).toBeUndefined();
    expect((await source().read()).reveal()).toBe(secret);
  });

  it('is read again for each read', async () => {
    const rotated = source();
    await writeFile(file, 'first\n');
    expect((await rotated.read()).reveal()).toBe('first');
    await writeFile(file, 'second\n');
    expect((await rotated.read()).reveal()).toBe('second');
  });

  it.each([
    ['nothing', '', 'is empty'],
    ['a line break', '\n', 'is empty'],
    ['white space', ' \n', 'contains nothing but white space'],
    ['two line breaks at its end', 'canary\n\n', 'line break'],
    ['a space at its end', 'canary \n', 'white space'],
    ['two lines', 'canary\ncanary', 'control character'],
    ['an invisible mark', '\ufeffcanary', 'white space'],
    ['a placeholder', '<CLIENT_SECRET>', 'placeholder'],
    ['far too much', 'canary'.repeat(20_000), 'too long'],
  ])('S10: that contains %s is refused, at boot and later', async (_, content, words) => {
    await writeFile(file, content);
    const failure = await failureOf(source());
    expect(source().flaw()).toContain(words);
    expect(failure.problems).toEqual([{ ...PLACE, message: expect.stringContaining(words) }]);
    expect(`${source().flaw()} ${shownBy(failure)}`).not.toContain(CANARY);
  });

  it('S10: that does not exist, or is a folder, is refused without its name', async () => {
    expect(source().flaw()).toContain('does not exist');
    expect(shownBy(await failureOf(source()))).not.toContain(CANARY);
    expect(secretOfFile(folder, PLACE).flaw()).toContain('is not a file');
    expect((await failureOf(secretOfFile(folder, PLACE))).message).toContain('is not a file');
    expect(secretOfFile(join(folder, 'a\0b'), PLACE).flaw()).toContain('cannot be read');
  });

  it('is named in the error of a wrong value', async () => {
    await writeFile(file, '');
    expect(source().flaw()).toBe('names a file whose content is empty. Set it.');
    const message = 'cannot be used: its file has content which is empty. Set it.';
    expect((await failureOf(source())).problems).toEqual([{ ...PLACE, message }]);
  });

  it('S10: shows neither its path nor the secret', async () => {
    await writeFile(file, CANARY);
    expect(shownBy(source())).not.toContain(CANARY);
    const { profiles } = await validateOptions(
      optionsWith({ 'interfaces.easy.sandbox.clientSecret': source().file }),
      {},
    );
    const [profile] = profiles.filter(({ interface: name, active }) => name === 'easy' && active);
    expect(profile?.clientSecret.atBoot?.reveal()).toBe(CANARY);
    expect(shownBy(profile?.clientSecret)).not.toContain(CANARY);
  });
});
