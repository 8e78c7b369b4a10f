import { describe, expect, it } from 'vitest';
import { OptionsWithIsGlobal } from '../../../lib/config/validate-created.js';
import { validateCreated } from '../../support/application/built-in.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { optionsWith, rightOptions, shownBy } from '../../support/secrets/config-canaries.js';

/** The error that the application gets from its factory. */
async function errorOf(create: () => unknown): Promise<ProviderAuthConfigError> {
  const failure: unknown = await validateCreated(create).catch((error: unknown) => error);
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
  it('returns options that are validated, also asynchronous ones', async () => {
    expect((await validateCreated(() => withTimeout(7))).token.timeoutMs).toBe(7);
    await expect(validateCreated(() => withTimeout(0))).rejects.toThrow('token.timeoutMs');
  });

  it('returns no isGlobal, which is only an option of forRoot', async () => {
    const options = { ...rightOptions(), isGlobal: true };
    const { problems } = await errorOf(() => options);
    expect(problems).toEqual([
      {
        path: 'isGlobal',
        message: 'belongs next to useFactory, useClass or useExisting in forRootAsync. Move it there.',
      },
    ]);
    expect((await validateCreated(() => new OptionsWithIsGlobal(options))).profiles).toHaveLength(4);
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
  ])('S10: that throws %s is reported with its class and its place', async (thrown, kind) => {
    const place = thrown instanceof Error ? ' at test/unit/config/validate-created.spec.ts:N' : '';
    const failures = [await errorOf(throwing(thrown)), await errorOf(async () => throwing(thrown)())];
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

  it('may throw an error of this module, which is not changed', async () => {
    const error = new ProviderAuthConfigError('NOT_CONFIGURED', []);
    expect(await errorOf(throwing(error))).toBe(error);
  });

  it('S10: is reported with the name of its class of errors', async () => {
    class VaultError extends Error {}
    const failure = await errorOf(throwing(new VaultError('canary')));
    expect(failure.message).toContain('threw VaultError at ');
  });
});
