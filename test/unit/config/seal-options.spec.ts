import { describe, expect, it } from 'vitest';
import { OptionsWithIsGlobal, sealOptions } from '../../../lib/config/seal-options.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { optionsWith, rightOptions, shownBy } from '../../support/secrets/config-canaries.js';

/** What the application is told when its factory does this. */
async function toldOf(create: () => unknown): Promise<ProviderAuthConfigError> {
  const failure: unknown = await sealOptions(create)().catch((error: unknown) => error);
  if (!(failure instanceof ProviderAuthConfigError)) throw new Error('was expected to be refused');
  return failure;
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

const withTimeout = (timeoutMs: number) => Promise.resolve(optionsWith({ 'token.timeoutMs': timeoutMs }));

const named = (name: string): Error => Object.assign(new Error('canary'), { name });

describe('C4: a factory of options', () => {
  it('is given what it injects, and its options are validated, late ones too', async () => {
    expect((await sealOptions(withTimeout)(7)).token.timeoutMs).toBe(7);
    await expect(sealOptions(withTimeout)(0)).rejects.toThrow('token.timeoutMs');
  });

  it('gives no isGlobal, which stands among the options of forRoot alone', async () => {
    const options = { ...rightOptions(), isGlobal: true };
    const { problems } = await toldOf(() => options);
    expect(problems).toEqual([
      {
        path: 'isGlobal',
        message: 'belongs beside useFactory, useClass or useExisting in forRootAsync. Move it there.',
      },
    ]);
    expect((await sealOptions(() => new OptionsWithIsGlobal(options))()).profiles).toHaveLength(4);
  });

  it.each([
    [named('TypeError'), 'TypeError'],
    [named('A_name1'), 'A_name1'],
    [named('N'.repeat(64)), 'N'.repeat(64)],
    [named('N'.repeat(65)), 'something'],
    [named('canary name'), 'something'],
    [named('canary!'), 'something'],
    [named(''), 'something'],
    [{ name: 'TypeError' }, 'something'],
    ['canary', 'something'],
    [undefined, 'something'],
  ])('S10: that throws %s is told by its class and its place', async (thrown, kind) => {
    const place = thrown instanceof Error ? ' at test/unit/config/seal-options.spec.ts:N' : '';
    const failures = [await toldOf(throwing(thrown)), await toldOf(async () => throwing(thrown)())];
    for (const failure of failures) {
      expect(failure.code).toBe('CONFIG_INVALID');
      const [problem] = failure.problems;
      expect({ ...problem, message: problem?.message.replace(/:\d+;/, ':N;') }).toEqual({
        path: '(options)',
        message: `the factory of the options threw ${kind}${place}; its text is not repeated, because it may hold a secret. Call the factory by itself to see it.`,
      });
      expect(shownBy(failure)).not.toContain('canary');
    }
  });

  it('may throw an error of this module, which is told as it is', async () => {
    const error = new ProviderAuthConfigError('NOT_CONFIGURED', []);
    expect(await toldOf(throwing(error))).toBe(error);
  });

  it('S10: is told by the name of its own class of errors', async () => {
    class VaultError extends Error {}
    const failure = await toldOf(throwing(new VaultError('canary')));
    expect(failure.message).toContain('threw VaultError at ');
  });
});
