import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Setting } from '../../../lib/config/table/setting.js';

const TABLE = '../../../lib/config/table/settings.js';

/** A setting that this package does not have. */
const REGION: Setting<string> = {
  need: 'required',
  flawOf: (value) => (value === undefined ? 'is missing. Set it.' : undefined),
  variable: 'text',
  sentence: 'The region of that environment.',
};

// The tests import the library themselves, because the module that they replace is loaded before any test.
beforeAll(() => {
  vi.resetModules();
  vi.doMock(TABLE, async (original) => {
    const { SETTINGS, ...others } = await original<typeof import('../../../lib/config/table/settings.js')>();
    return { ...others, SETTINGS: { ...SETTINGS, environment: { region: REGION, ...SETTINGS.environment } } };
  });
});
afterAll(() => {
  vi.doUnmock(TABLE);
  vi.resetModules();
});

const EASY = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://auth.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://api.example',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'an id',
};

const VARIABLE = 'PROVIDER_EASY_SANDBOX_REGION';
const MISSING = 'is missing. Set it.';

it('B30: a row makes the variable, the option, and the problem in its place', async () => {
  const { KNOWN_VARIABLES, readEnvironmentVariables } = await import('../../support/application/built-in.js');
  const { problemsOf } = await import('../../support/secrets/config-canaries.js');
  expect([...KNOWN_VARIABLES]).toContain(VARIABLE);
  const given = await problemsOf(readEnvironmentVariables({ ...EASY, [VARIABLE]: 'eu' }));
  expect(given.map(({ env }) => env)).toEqual(['PROVIDER_EASY_SANDBOX_CLIENT_SECRET']);

  const missing = await problemsOf(
    readEnvironmentVariables({ ...EASY, PROVIDER_EASY_SANDBOX_KEY_FILE: 'x' }),
  );
  const [region] = missing;
  expect(region).toEqual({ path: 'interfaces.easy.sandbox.region', env: VARIABLE, message: MISSING });
  expect(missing.map(({ path }) => path.split('.').slice(3).join('.'))).toEqual([
    'region',
    'clientSecret',
    'tls.cert',
    'tls.key',
  ]);
  const misspelt = await problemsOf(readEnvironmentVariables({ PROVIDER_EASY_SANDBOX_REGIN: 'eu' }));
  expect(misspelt.map(({ message }) => message)).toContainEqual(expect.stringContaining(`mean ${VARIABLE}?`));
});

it('B30: a row makes the settings that an error lists, and the names that a definition cannot use', async () => {
  const { notConfigured } = await import('../../support/application/built-in.js');
  const { readDefinition } = await import('../../../lib/config/read-definition.js');
  const { problems } = notConfigured({ interface: 'easy', environment: 'sandbox' });
  expect(problems.map(({ env }) => env)).toContain(VARIABLE);
  expect(() => readDefinition({ name: 'bank', environments: ['region'], interfaces: { a: {} } })).toThrow(
    'environments.0  is named like a member of the options',
  );
});

it('B30: a row makes the line of .env.example, and the row of the page', async () => {
  const { CATALOGUE } = await import('../../support/application/built-in.js');
  const { environmentFile, withVariables } = await import('../../support/package/settings-pages.js');
  expect(environmentFile(CATALOGUE)).toContain(
    `# The region of that environment.\nPROVIDER_ORIGINATIONS_SANDBOX_REGION=`,
  );
  expect(environmentFile(CATALOGUE)).toContain(`\n${VARIABLE}=\n`);
  const page = await withVariables('| variable | meaning |\n| - | - |\n', CATALOGUE);
  expect(page).toMatch(/\| `PROVIDER_<IFACE>_<ENV>_REGION` +\| The region of that environment\./);
});
