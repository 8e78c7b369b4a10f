import { afterAll, expect, it, vi } from 'vitest';

// Other specs of this process get modules without the setting.
afterAll(() => void vi.resetModules());

const EASY = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://auth.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://api.example',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'an id',
};

const VARIABLE = 'PROVIDER_EASY_SANDBOX_REGION';
const MISSING = 'is missing. Set it.';

it('B30: one decorated property makes the variable, the option, its problem, and a name that a definition cannot use', async () => {
  vi.resetModules();
  const { Setting } = await import('../../../lib/config/setting.js');
  const { EnvironmentOptions } = await import('../../../lib/config/options/environment-options.js');
  const flawOf = (value: unknown) => (value === undefined ? MISSING : undefined);
  Setting(flawOf, { need: 'required', variable: 'text' })(EnvironmentOptions.prototype, 'region');
  const { KNOWN_VARIABLES, notConfigured, readEnvironmentVariables } =
    await import('../../support/application/built-in.js');
  const { problemsOf } = await import('../../support/secrets/config-canaries.js');
  const { readDefinition } = await import('../../../lib/config/read-definition.js');
  const { environmentFile } = await import('../../support/package/settings-pages.js');
  const { CATALOGUE } = await import('../../support/application/built-in.js');

  expect([...KNOWN_VARIABLES]).toContain(VARIABLE);
  const given = await problemsOf(readEnvironmentVariables({ ...EASY, [VARIABLE]: 'eu' }));
  expect(given.map(({ env }) => env)).toEqual(['PROVIDER_EASY_SANDBOX_CLIENT_SECRET']);
  const missing = await problemsOf(readEnvironmentVariables(EASY));
  expect(missing).toContainEqual({ path: 'interfaces.easy.sandbox.region', env: VARIABLE, message: MISSING });
  const misspelt = await problemsOf(readEnvironmentVariables({ PROVIDER_EASY_SANDBOX_REGIN: 'eu' }));
  expect(misspelt.map(({ message }) => message)).toContainEqual(expect.stringContaining(`mean ${VARIABLE}?`));
  const { problems } = notConfigured({ interface: 'easy', environment: 'sandbox' });
  expect(problems.map(({ env }) => env)).toContain(VARIABLE);
  expect(() => readDefinition({ name: 'bank', environments: ['region'], interfaces: { a: {} } })).toThrow(
    'environments.0  is named like a member of the options',
  );
  expect(environmentFile(CATALOGUE)).toContain(`\n${VARIABLE}=\n`);
});
