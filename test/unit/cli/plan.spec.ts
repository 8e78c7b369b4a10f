import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { examine } from '../../../lib/cli/doctor.js';
import { JsonReporter } from '../../../lib/cli/json-reporter.js';
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

  it('is empty without any variable, and the reason is reported', async () => {
    expect(await summary({})).toEqual({ problems: expect.arrayContaining(['interfaces']), pairs: [] });
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
