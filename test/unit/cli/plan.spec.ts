import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { destinationOf } from '../../../lib/cli/destination.js';
import { examine } from '../../../lib/cli/doctor.js';
import { JsonReporter } from '../../../lib/cli/json-reporter.js';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import { planChecks } from '../../support/application/built-in.js';
import { PACKAGE } from '../../../lib/module/package.js';

const RIGHT = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_ORIGINATIONS_TOKEN_URL: 'https://provider.example/oauth/token',
  PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: 'https://sandbox.provider.example/v1',
  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID: 'one',
  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET: 'canary-one',
  PROVIDER_ORIGINATIONS_PRODUCTION_BASE_URL: 'https://provider.example/v1',
  PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: 'two',
  PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: 'canary-two',
};

const summary = async (variables: NodeJS.ProcessEnv, filter = {}) => {
  const { problems, pairs } = await planChecks(variables, filter);
  return {
    problems: problems.map(({ env, path }) => env ?? path),
    pairs: pairs.map(({ interface: name, environment, active, configured }) =>
      [name, environment, active ? 'active' : 'inactive', configured ? 'right' : 'wrong'].join(' '),
    ),
  };
};

describe('the plan of the checks', () => {
  it('has every pair with settings, and marks the active pairs', async () => {
    expect(await summary(RIGHT)).toEqual({
      problems: [],
      pairs: ['originations sandbox active right', 'originations production inactive right'],
    });
    expect((await summary({ ...RIGHT, PROVIDER_ORIGINATIONS_ENVIRONMENT: 'production' })).pairs).toEqual([
      'originations sandbox inactive right',
      'originations production active right',
    ]);
  });

  it('works without PROVIDER_ENVIRONMENT, and reports that it is missing', async () => {
    const { PROVIDER_ENVIRONMENT: _, ...variables } = RIGHT;
    expect(await summary(variables)).toEqual({
      problems: ['PROVIDER_ENVIRONMENT'],
      pairs: ['originations sandbox inactive right', 'originations production inactive right'],
    });
  });

  it('S5: a pair that shares its client id with another pair is wrong', async () => {
    expect(await summary({ ...RIGHT, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: 'one' })).toEqual({
      problems: ['PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID'],
      pairs: ['originations sandbox active right', 'originations production inactive wrong'],
    });
  });

  it('reports every problem, also of a pair that was not chosen', async () => {
    const variables = { ...RIGHT, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: undefined };
    expect(await summary(variables, { environment: 'sandbox' })).toEqual({
      problems: ['PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID'],
      pairs: ['originations sandbox active right'],
    });
  });

  it('B29: names what a pair lacks that was chosen, and not the token URL of the other environment', async () => {
    const sandbox = Object.entries(RIGHT).filter(([name]) => !name.includes('_PRODUCTION_'));
    const production = { interface: 'originations', environment: 'production' };
    expect((await summary(Object.fromEntries(sandbox), production)).problems).toEqual(
      ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map((name) => `PROVIDER_ORIGINATIONS_PRODUCTION_${name}`),
    );
  });

  it('is empty without any variable, and the reason is reported', async () => {
    expect(await summary({})).toEqual({ problems: expect.arrayContaining(['interfaces']), pairs: [] });
  });
});

describe('the destination of a connection', () => {
  it('is the host of the token URL, without the brackets of an IPv6 address', () => {
    vi.stubEnv('HTTPS_PROXY', undefined);
    vi.stubEnv('https_proxy', undefined);
    vi.stubEnv('ALL_PROXY', undefined);
    vi.stubEnv('all_proxy', undefined);
    expect(destinationOf('https://[::1]:8443/oauth/token')).toEqual({
      host: '::1',
      port: 8443,
      isProxy: false,
    });
    expect(destinationOf('https://provider.example/oauth/token')).toMatchObject({ port: 443 });
  });

  it('is the proxy, if the variables name one', () => {
    vi.stubEnv('https_proxy', 'http://proxy.example');
    vi.stubEnv('no_proxy', 'direct.example');
    expect(destinationOf('https://provider.example/')).toEqual({
      host: 'proxy.example',
      port: 80,
      isProxy: true,
    });
    expect(destinationOf('https://direct.example/')).toMatchObject({ isProxy: false });
  });
});

describe('B24: the doctor for two definitions with similar names', () => {
  it('B24: report no variable of the other', async () => {
    const entries = { stock: { tokenUrlPer: 'environment', tokenPathExample: '/token' } } as const;
    const banks = ['bankAlpha', 'bankAlphb'].map((name) => createCatalogue(name, ['test'], entries));
    const variables = Object.fromEntries(banks.flatMap(variablesOf).map((name) => [name, 'x']));
    const misspelt = { BANK_ALPHB_STOCK_TEST_BASE_ULR: 'x' };
    const { problems = [] } = await examine(
      banks,
      { ...variables, ...misspelt },
      {},
      new JsonReporter(() => {}),
    );
    const reported = problems.filter(({ message }) => message.startsWith('is not a variable'));
    expect(reported.map(({ env }) => env)).toEqual(['BANK_ALPHB_STOCK_TEST_BASE_ULR']);
  });
});

it('the name and the version of telemetry and of the command are those of package.json', () => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  expect(PACKAGE).toEqual({ name, version });
});
