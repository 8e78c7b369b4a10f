import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { examine } from '../../../lib/cli/doctor.js';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import { planChecks } from '../../support/application/built-in.js';
import { ORIGINATIONS } from '../../support/application/doctor-check.js';
import { PACKAGE } from '../../../lib/module/package.js';

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
    expect(await summary(ORIGINATIONS)).toEqual({
      problems: [],
      pairs: ['originations sandbox active right', 'originations production inactive right'],
    });
    expect(
      (await summary({ ...ORIGINATIONS, PROVIDER_ORIGINATIONS_ENVIRONMENT: 'production' })).pairs,
    ).toEqual(['originations sandbox inactive right', 'originations production active right']);
  });

  it('works without PROVIDER_ENVIRONMENT, and reports that it is missing', async () => {
    const { PROVIDER_ENVIRONMENT: _, ...variables } = ORIGINATIONS;
    expect(await summary(variables)).toEqual({
      problems: ['PROVIDER_ENVIRONMENT'],
      pairs: ['originations sandbox inactive right', 'originations production inactive right'],
    });
  });

  it('S5: a pair that shares its client id with another pair is wrong', async () => {
    expect(await summary({ ...ORIGINATIONS, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: 'one' })).toEqual({
      problems: ['PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID'],
      pairs: ['originations sandbox active right', 'originations production inactive wrong'],
    });
  });

  it('reports every problem, also of a pair that was not chosen', async () => {
    const variables = { ...ORIGINATIONS, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: undefined };
    expect(await summary(variables, { environment: 'sandbox' })).toEqual({
      problems: ['PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID'],
      pairs: ['originations sandbox active right'],
    });
  });

  it('B29: names what a pair lacks that was chosen, and not the token URL of the other environment', async () => {
    const sandbox = Object.entries(ORIGINATIONS).filter(([name]) => !name.includes('_PRODUCTION_'));
    const production = { interface: 'originations', environment: 'production' };
    expect((await summary(Object.fromEntries(sandbox), production)).problems).toEqual(
      ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map((name) => `PROVIDER_ORIGINATIONS_PRODUCTION_${name}`),
    );
  });

  it('B29: names all that an interface lacks that was chosen, if no environment of it has settings', async () => {
    const chosen = { interface: 'easy', environment: 'sandbox' };
    expect(await summary(ORIGINATIONS, chosen)).toEqual({
      problems: ['TOKEN_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map(
        (name) => `PROVIDER_EASY_SANDBOX_${name}`,
      ),
      pairs: [],
    });
  });

  it('B29: names no such setting if the other pairs have problems', async () => {
    const variables = { ...ORIGINATIONS, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: undefined };
    expect(await summary(variables, { interface: 'easy' })).toEqual({
      problems: ['PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID'],
      pairs: [],
    });
  });

  it('has wrong pairs if the setting is wrong that they share', async () => {
    const { PROVIDER_ORIGINATIONS_TOKEN_URL: _, ...variables } = ORIGINATIONS;
    expect(await summary(variables)).toEqual({
      problems: ['PROVIDER_ORIGINATIONS_TOKEN_URL'],
      pairs: ['originations sandbox active wrong', 'originations production inactive wrong'],
    });
  });

  it('is empty without any variable, and the reason is reported', async () => {
    expect(await summary({})).toEqual({ problems: expect.arrayContaining(['interfaces']), pairs: [] });
  });

  it('S5: knows that two pairs share a secret, even if only one of them was chosen', async () => {
    const variables = { ...ORIGINATIONS, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: 'canary-one' };
    const { pairs } = await planChecks(variables, { environment: 'production' });
    expect(
      pairs.map(({ environment, configured }) => [environment, configured?.profile.sameSecretAs]),
    ).toEqual([['production', 'PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET']]);
  });

  it('S5: compares no secret with that of a pair that is wrong', async () => {
    const variables = {
      ...ORIGINATIONS,
      PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: 'canary-one',
      PROVIDER_ORIGINATIONS_PRODUCTION_BASE_URL: 'http://provider.example',
    };
    const { pairs } = await planChecks(variables, {});
    expect(
      pairs.map(({ configured }) => [configured !== undefined, configured?.profile.sameSecretAs]),
    ).toEqual([
      [true, undefined],
      [false, undefined],
    ]);
  });
});

describe('the base URLs of the plan', () => {
  const SANDBOX = {
    interface: 'originations',
    environment: 'sandbox',
    url: 'https://sandbox.provider.example/v1',
    variable: 'PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL',
  };
  const PRODUCTION = {
    interface: 'originations',
    environment: 'production',
    url: 'https://provider.example/v1',
    variable: 'PROVIDER_ORIGINATIONS_PRODUCTION_BASE_URL',
  };

  it.each([
    ['those of all pairs, whatever was chosen', {}, [SANDBOX, PRODUCTION]],
    [
      'without the slash at the end',
      { PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: `${SANDBOX.url}/` },
      [SANDBOX, PRODUCTION],
    ],
    [
      'that of a pair that lacks another setting, too',
      { PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID: undefined },
      [SANDBOX, PRODUCTION],
    ],
    [
      'not one that is wrong',
      { PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: 'http://sandbox.provider.example/v1' },
      [PRODUCTION],
    ],
    ['not one that is missing', { PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: undefined }, [PRODUCTION]],
  ])('are %s', async (_, changes, baseUrls) => {
    const plan = await planChecks({ ...ORIGINATIONS, ...changes }, { environment: 'production' });
    expect(plan.baseUrls).toMatchObject(baseUrls);
    expect(plan.baseUrls).toHaveLength(baseUrls.length);
  });
});

describe('B24: the doctor for two definitions with similar names', () => {
  it('B24: report no variable of the other', async () => {
    const entries = { stock: { tokenUrlPer: 'environment', tokenPathExample: '/token' } } as const;
    const banks = ['bankAlpha', 'bankAlphb'].map((name) => createCatalogue(name, ['test'], entries));
    const variables = Object.fromEntries(banks.flatMap(variablesOf).map((name) => [name, 'x']));
    const misspelt = { BANK_ALPHB_STOCK_TEST_BASE_ULR: 'x' };
    const { problems = [] } = await examine(banks, { ...variables, ...misspelt }, {});
    const reported = problems.filter(({ message }) => message.startsWith('is not a variable'));
    expect(reported.map(({ env }) => env)).toEqual(['BANK_ALPHB_STOCK_TEST_BASE_ULR']);
  });

  it('B24: report a misspelt variable of one of them once', async () => {
    const entry = { tokenUrlPer: 'environment', tokenPathExample: '/token' } as const;
    const tills = [
      createCatalogue('tillAlpha', ['test'], { stock: entry }),
      createCatalogue('tillAlphb', ['test'], { stocks: entry }),
    ];
    const variables = Object.fromEntries(tills.flatMap(variablesOf).map((name) => [name, 'x']));
    // One letter from a variable of each of them, but it begins with the name of the second.
    const misspelt = { TILL_ALPHB_STOCK_TEST_BASE_URL: 'x' };
    const report = await examine(tills, { ...variables, ...misspelt }, {});
    expect(report.problems?.filter(({ env }) => env === 'TILL_ALPHB_STOCK_TEST_BASE_URL')).toEqual([
      {
        path: 'environment variable TILL_ALPHB_STOCK_TEST_BASE_URL',
        env: 'TILL_ALPHB_STOCK_TEST_BASE_URL',
        message: 'is not a variable of this module. Did you mean TILL_ALPHB_STOCKS_TEST_BASE_URL?',
      },
    ]);
  });
});

it('the name and the version of telemetry and of the command are those of package.json', () => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  expect(PACKAGE).toEqual({ name, version });
});
