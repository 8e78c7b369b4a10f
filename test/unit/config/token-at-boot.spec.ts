import { describe, expect, it } from 'vitest';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import { optionsWith, problemsOf } from '../../support/secrets/config-canaries.js';

/** What code sets beside the variable, as an application does that spreads its options. */
function optionsOf(variable: string | undefined, token?: object): object {
  const read = readEnvironmentVariables({
    PROVIDER_ENVIRONMENT: 'sandbox',
    PROVIDER_TOKEN_AT_BOOT: variable,
  });
  const { interfaces } = optionsWith({});
  return { ...read, interfaces, ...(token && { token }) };
}

describe('B29: token.atBoot', () => {
  it.each<[string, string | undefined, object | undefined, object]>([
    ['no unless it is set', undefined, undefined, { atBoot: 'no' }],
    ['as the option says', undefined, { atBoot: 'try' }, { atBoot: 'try' }],
    ['as the variable says', 'require', undefined, { atBoot: 'require' }],
    [
      'as the variable says if code sets only other members',
      'require',
      { timeoutMs: 1_000 },
      { atBoot: 'require' },
    ],
    ['as the code says where both set it', 'require', { atBoot: 'try' }, { atBoot: 'try' }],
  ])('B29: is %s', async (_, variable, token, expected) => {
    expect((await validateOptions(optionsOf(variable, token), {})).token).toMatchObject(expected);
  });

  it('B29: is as the variable says if code sets other members in the options themselves', async () => {
    const { environment, interfaces } = optionsWith({});
    const options = readEnvironmentVariables({ PROVIDER_TOKEN_AT_BOOT: 'require' });
    Object.assign(options, { environment, interfaces, token: { timeoutMs: 1_000 } });
    expect((await validateOptions(options, {})).token.atBoot).toBe('require');
  });

  it.each([undefined, { timeoutMs: 1_000 }])(
    'B29: a wrong variable is a problem that names it: %j',
    async (token) => {
      expect(await problemsOf(optionsOf('reqire', token))).toEqual([
        {
          path: 'token.atBoot',
          env: 'PROVIDER_TOKEN_AT_BOOT',
          message: 'must be no, try or require. Did you mean require?',
        },
      ]);
    },
  );

  it.each([true, 'always', null])('B29: refuses %j, and names the three words', async (atBoot) => {
    expect(await problemsOf(optionsOf(undefined, { atBoot }))).toEqual([
      { path: 'token.atBoot', message: expect.stringMatching(/^must be no, try or require/) },
    ]);
  });
});
