import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ORIGIN, originOf } from '../../../../lib/config/process-env/read-variables.js';
import { readEnvironmentVariables } from '../../../support/application/built-in.js';
import { problemsOf } from '../../../support/secrets/config-canaries.js';

const VARIABLE = 'PROVIDER_EASY_SANDBOX_BASE_URL';

const variableOf = (options: object, path: string) => originOf(options)?.variableOf(path, options);

const contradictions = async (options: unknown) =>
  (await problemsOf(options))
    .filter(({ message }) => message.startsWith('is set together with'))
    .map(({ path, env, message }) => [path, env, message]);

describe('C4: where an option came from', () => {
  it('C4: is its variable, as long as the application did not replace the option', () => {
    const options = readEnvironmentVariables({ [VARIABLE]: 'https://canary.example' });
    const { easy } = options.interfaces as { easy: { sandbox: object } };
    const withSandbox = (sandbox: object) => ({ ...options, interfaces: { easy: { ...easy, sandbox } } });
    const place = 'interfaces.easy.sandbox';
    expect(variableOf(options, `${place}.baseUrl`)).toBe(VARIABLE);
    expect(variableOf(options, `${place}.clientId`)).toBe('PROVIDER_EASY_SANDBOX_CLIENT_ID');
    expect(variableOf(options, `${place}.tls.ca`)).toBe('PROVIDER_EASY_SANDBOX_CA_FILE');
    expect(variableOf(options, `${place}.other`)).toBeUndefined();
    const replaced = withSandbox({ ...easy.sandbox, baseUrl: 'https://other.example' });
    expect(variableOf(replaced, `${place}.baseUrl`)).toBeUndefined();
    expect(variableOf(replaced, `${place}.clientId`)).toBe('PROVIDER_EASY_SANDBOX_CLIENT_ID');
    const inCode = withSandbox({ baseUrl: 'https://other.example' });
    expect(variableOf(inCode, `${place}.baseUrl`)).toBeUndefined();
    expect(originOf({ ...inCode, [ORIGIN]: undefined })).toBeUndefined();
  });

  it('C4: is no variable for an option that the application has changed in the object itself', () => {
    const options = readEnvironmentVariables({
      [VARIABLE]: 'https://canary.example',
      PROVIDER_ENVIRONMENT: 'sandbox',
    });
    const { easy } = options.interfaces as { easy: { sandbox: { baseUrl: string } } };
    easy.sandbox.baseUrl = 'https://other.example';
    Object.assign(options, { environment: 'production' });
    expect(variableOf(options, 'interfaces.easy.sandbox.baseUrl')).toBeUndefined();
    expect(variableOf(options, 'environment')).toBeUndefined();
  });

  it.each([
    ['PROVIDER_EASY_SANDBOX_CLIENT_SECRET', 'canary'],
    ['PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE', '/canary'],
  ])('C4: is %s also if the option is from another reading of the variables', (name, text) => {
    const [options, again] = [
      readEnvironmentVariables({ [name]: text }),
      readEnvironmentVariables({ [name]: text }),
    ];
    const mixed = { ...options, interfaces: again.interfaces };
    expect(variableOf(mixed, 'interfaces.easy.sandbox.clientSecret')).toBe(name);
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
