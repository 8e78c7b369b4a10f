import { describe, expect, it } from 'vitest';
import type { UncheckedOptions } from '../../../lib/config/process-env/read-variables.js';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import {
  type ConfigProblem,
  ProviderAuthConfigError,
} from '../../../lib/errors/provider-auth-config.error.js';

const EASY = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://sandbox.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://sandbox.example/easy',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'an-id',
  PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'a-secret-4711',
};

function optionsOf(variables: NodeJS.ProcessEnv = {}): UncheckedOptions {
  return readEnvironmentVariables({ ...EASY, ...variables });
}

async function atBootOf(options: unknown): Promise<string> {
  return (await validateOptions(options, {})).token.atBoot;
}

async function problemsOf(options: unknown): Promise<readonly ConfigProblem[]> {
  const error: unknown = await validateOptions(options, {}).catch((reason: unknown) => reason);
  return error instanceof ProviderAuthConfigError ? error.problems : [];
}

describe('B29: token.atBoot', () => {
  it('B29: is no unless it is set', async () => {
    expect(await atBootOf(optionsOf())).toBe('no');
  });

  it.each(['no', 'try', 'require'] as const)(
    'B29: may be %s, as an option and as a variable',
    async (atBoot) => {
      expect(await atBootOf({ ...optionsOf(), token: { atBoot } })).toBe(atBoot);
      expect(await atBootOf(optionsOf({ PROVIDER_TOKEN_AT_BOOT: atBoot }))).toBe(atBoot);
    },
  );

  it('B29: stays as the variable says where code sets other members of token', async () => {
    const options = { ...optionsOf({ PROVIDER_TOKEN_AT_BOOT: 'require' }), token: { renewAheadMs: 60_000 } };
    const { token } = await validateOptions(options, {});
    expect(token).toMatchObject({ atBoot: 'require', renewAheadMs: 60_000 });
  });

  it('B29: is as the code says where both set it', async () => {
    const options = {
      ...optionsOf({ PROVIDER_TOKEN_AT_BOOT: 'require' }),
      token: { atBoot: 'try' as const },
    };
    expect(await atBootOf(options)).toBe('try');
  });

  it.each([true, 'always', 1, {}, null])('B29: refuses %j, and names the three words', async (atBoot) => {
    expect(await problemsOf({ ...optionsOf(), token: { atBoot } })).toEqual([
      { path: 'token.atBoot', message: expect.stringMatching(/^must be no, try or require/) },
    ]);
  });

  it('B29: of the variable is a member of the options, which an application can spread', () => {
    expect(optionsOf({ PROVIDER_TOKEN_AT_BOOT: 'try' })).toMatchObject({ token: { atBoot: 'try' } });
    expect(optionsOf()).not.toHaveProperty('token');
  });

  it('B29: proposes no word if none is similar', async () => {
    const [problem] = await problemsOf({ ...optionsOf(), token: { atBoot: 'always' } });
    expect(problem?.message).toBe('must be no, try or require.');
  });

  it.each([{}, { token: { renewAheadMs: 1 } }])(
    'B29: a wrong variable is a problem that names it, beside %j in code',
    async (overrides) => {
      const [problem, ...others] = await problemsOf({
        ...optionsOf({ PROVIDER_TOKEN_AT_BOOT: 'reqire' }),
        ...overrides,
      });
      expect(others).toEqual([]);
      expect(problem).toEqual({
        path: 'token.atBoot',
        env: 'PROVIDER_TOKEN_AT_BOOT',
        message: 'must be no, try or require. Did you mean require?',
      });
    },
  );

  it('B29: a misspelt variable is a problem', async () => {
    expect(await problemsOf(optionsOf({ PROVIDER_TOKENS_AT_BOOT: 'try' }))).toEqual([
      {
        path: 'environment variable PROVIDER_TOKENS_AT_BOOT',
        env: 'PROVIDER_TOKENS_AT_BOOT',
        message: expect.stringContaining('Did you mean PROVIDER_TOKEN_AT_BOOT?'),
      },
    ]);
  });
});
