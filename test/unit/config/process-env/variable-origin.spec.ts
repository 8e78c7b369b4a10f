import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { VariableOrigin, ORIGIN } from '../../../../lib/config/process-env/variable-origin.js';
import { readEnvironmentVariables } from '../../../support/application/built-in.js';
import { problemsOf } from '../../../support/secrets/config-canaries.js';

const VARIABLE = 'PROVIDER_EASY_SANDBOX_BASE_URL';

const contradictions = async (options: unknown) =>
  (await problemsOf(options))
    .filter(({ message }) => message.startsWith('is set together with'))
    .map(({ path, env, message }) => [path, env, message]);

describe('C4: where an option came from', () => {
  it('is its variable, as long as the application did not replace the option', () => {
    const origin = new VariableOrigin();
    origin.note('baseUrl', VARIABLE, 'canary');
    origin.note('clientId', 'UNSET', undefined);
    expect(origin.variableOf('baseUrl', 'canary')).toBe(VARIABLE);
    expect(origin.variableOf('clientId', undefined)).toBe('UNSET');
    expect(origin.variableOf('baseUrl', 'replaced')).toBeUndefined();
    expect(origin.variableOf('tokenUrl', undefined)).toBeUndefined();
    expect([origin.valueOf('baseUrl'), origin.valueOf('tokenUrl')]).toEqual(['canary', undefined]);
  });

  it('has problems, which are reported with their option as long as the option is unchanged', () => {
    const origin = new VariableOrigin();
    const problem = { path: 'baseUrl', env: VARIABLE, message: 'is set twice.' };
    const other = { path: 'clientId', env: 'OTHER', message: 'is set twice.' };
    for (const refused of [problem, other]) origin.refuse(refused);
    origin.note('baseUrl', VARIABLE, 'canary');
    origin.note('clientId', 'OTHER', 'canary');
    expect(origin.problemsOf('baseUrl', 'canary')).toEqual([problem]);
    expect(origin.problemsOf('baseUrl', 'replaced')).toEqual([]);
    expect(Object.isFrozen(problem)).toBe(true);
  });

  it('S10: shows no value, and is not in JSON', () => {
    const options = readEnvironmentVariables({ [VARIABLE]: 'https://canary.example' });
    expect(inspect(Reflect.get(options, ORIGIN), { showHidden: true, depth: null })).not.toContain('canary');
    expect(JSON.stringify(options)).toBe(
      '{"interfaces":{"easy":{"sandbox":{"baseUrl":"https://canary.example"}}}}',
    );
  });
});

describe('C4: variables that contradict each other', () => {
  const SECRETS = ['PROVIDER_EASY_SANDBOX_CLIENT_SECRET', 'PROVIDER_EASY_PRODUCTION_CLIENT_SECRET'] as const;
  const variables = Object.fromEntries(
    SECRETS.flatMap((name) => [
      [name, 'canary'],
      [`${name}_FILE`, '/canary'],
    ]),
  );

  it('are reported once each, with the variable to remove', async () => {
    expect(await contradictions(readEnvironmentVariables(variables))).toEqual(
      SECRETS.map((name, index) => [
        `interfaces.easy.${index === 0 ? 'sandbox' : 'production'}.clientSecret`,
        `${name}_FILE`,
        `is set together with ${name}. Keep only one of them.`,
      ]),
    );
  });

  it('are settled one after the other', async () => {
    const options = readEnvironmentVariables(variables);
    const { easy } = options.interfaces as { easy: { sandbox: object } };
    const sandbox = { ...easy.sandbox, clientSecret: () => 'x' };
    const settled = { ...options, interfaces: { easy: { ...easy, sandbox } } };
    expect((await contradictions(settled)).map(([path]) => path)).toEqual([
      'interfaces.easy.production.clientSecret',
    ]);
  });
});
