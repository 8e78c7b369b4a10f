import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { examine } from '../../../lib/cli/doctor.js';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import { planChecks } from '../../support/application/built-in.js';
import { ORIGINATIONS } from '../../support/application/doctor-check.js';
import { PACKAGE } from '../../../lib/module/package.js';

const ID = 'PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID';
const lacking = (pair: string, ...names: readonly string[]) =>
  names.map((name) => `PROVIDER_${pair}_${name}`);

interface Planned {
  readonly changes?: NodeJS.ProcessEnv;
  readonly filter?: object;
  readonly problems?: readonly string[];
  readonly pairs?: readonly string[];
}

describe('the plan of the checks', () => {
  it.each<[string, Planned]>([
    ['has every pair with settings', {}],
    [
      'marks the active pairs',
      {
        changes: { PROVIDER_ORIGINATIONS_ENVIRONMENT: 'production' },
        pairs: ['originations sandbox inactive right', 'originations production active right'],
      },
    ],
    [
      'works without PROVIDER_ENVIRONMENT',
      {
        changes: { PROVIDER_ENVIRONMENT: undefined },
        problems: ['PROVIDER_ENVIRONMENT'],
        pairs: ['originations sandbox inactive right', 'originations production inactive right'],
      },
    ],
    [
      'S5: has a wrong pair if that shares its client id with another pair',
      {
        changes: { [ID]: 'one' },
        problems: [ID],
        pairs: ['originations sandbox active right', 'originations production inactive wrong'],
      },
    ],
    [
      'has wrong pairs if the setting is wrong that they share',
      {
        changes: { PROVIDER_ORIGINATIONS_TOKEN_URL: undefined },
        problems: ['PROVIDER_ORIGINATIONS_TOKEN_URL'],
        pairs: ['originations sandbox active wrong', 'originations production inactive wrong'],
      },
    ],
    [
      'reports every problem, also of a pair that was not chosen',
      {
        changes: { [ID]: undefined },
        filter: { environment: 'sandbox' },
        problems: [ID],
        pairs: ['originations sandbox active right'],
      },
    ],
    [
      'B29: names all that an interface lacks that was chosen, if no environment of it has settings',
      {
        filter: { interface: 'easy', environment: 'sandbox' },
        problems: lacking('EASY_SANDBOX', 'TOKEN_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'),
        pairs: [],
      },
    ],
    [
      'B29: names no such setting if the other pairs have problems',
      { changes: { [ID]: undefined }, filter: { interface: 'easy' }, problems: [ID], pairs: [] },
    ],
  ])('%s', async (_, { changes, filter = {}, problems = [], pairs }) => {
    const plan = await planChecks({ ...ORIGINATIONS, ...changes }, filter);
    expect(plan.problems.map(({ env, path }) => env ?? path)).toEqual(problems);
    const shown = plan.pairs.map(({ interface: name, environment, active, configured }) =>
      [name, environment, active ? 'active' : 'inactive', configured ? 'right' : 'wrong'].join(' '),
    );
    expect(shown).toEqual(
      pairs ?? ['originations sandbox active right', 'originations production inactive right'],
    );
  });

  it('B29: names what a pair lacks that was chosen, and not the token URL of the other environment', async () => {
    const sandbox = Object.entries(ORIGINATIONS).filter(([name]) => !name.includes('_PRODUCTION_'));
    const filter = { interface: 'originations', environment: 'production' };
    const { problems } = await planChecks(Object.fromEntries(sandbox), filter);
    expect(problems.map(({ env }) => env)).toEqual(
      lacking('ORIGINATIONS_PRODUCTION', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'),
    );
  });

  it('S5: knows that two pairs share a secret, even if only one of them was chosen', async () => {
    const variables = { ...ORIGINATIONS, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: 'canary-one' };
    const { pairs } = await planChecks(variables, { environment: 'production' });
    expect(pairs.map(({ configured }) => configured?.profile.sameSecretAs)).toEqual([
      'PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET',
    ]);
  });
});

const [SANDBOX, PRODUCTION] = ['SANDBOX', 'PRODUCTION'].map(
  (environment) => `PROVIDER_ORIGINATIONS_${environment}_BASE_URL`,
) as ['PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL', 'PROVIDER_ORIGINATIONS_PRODUCTION_BASE_URL'];

it.each([
  ['those of all pairs, without the slash at the end', { [SANDBOX]: `${ORIGINATIONS[SANDBOX]}/` }, true],
  [
    'that of a pair that lacks another setting, too',
    { [ID.replace('PRODUCTION', 'SANDBOX')]: undefined },
    true,
  ],
  ['not one that is wrong', { [SANDBOX]: 'http://sandbox.provider.example/v1' }, false],
  ['not one that is missing', { [SANDBOX]: undefined }, false],
])('the base URLs of the plan are %s', async (_, changes, isThere) => {
  const plan = await planChecks({ ...ORIGINATIONS, ...changes }, { environment: 'production' });
  const wanted = [...(isThere ? [SANDBOX] : []), PRODUCTION];
  expect(plan.baseUrls.map(({ variable, url }) => [variable, url])).toEqual(
    wanted.map((variable) => [variable, ORIGINATIONS[variable]]),
  );
});

it('B24: the doctor reports a misspelt variable once, by the definition whose name it begins with', async () => {
  const entry = { tokenUrlPer: 'environment', tokenPathExample: '/token' } as const;
  const tills = [
    createCatalogue('tillAlpha', ['test'], { stock: entry }),
    createCatalogue('tillAlphb', ['test'], { stocks: entry }),
  ];
  const variables = Object.fromEntries(tills.flatMap(variablesOf).map((name) => [name, 'x']));
  // One letter from a variable of each of them.
  const misspelt = { TILL_ALPHB_STOCK_TEST_BASE_URL: 'x' };
  const { problems } = await examine(tills, { ...variables, ...misspelt }, {});
  expect(problems?.filter(({ env }) => env === 'TILL_ALPHB_STOCK_TEST_BASE_URL')).toEqual([
    {
      path: 'environment variable TILL_ALPHB_STOCK_TEST_BASE_URL',
      env: 'TILL_ALPHB_STOCK_TEST_BASE_URL',
      message: 'is not a variable of this module. Did you mean TILL_ALPHB_STOCKS_TEST_BASE_URL?',
    },
  ]);
});

it('the name and the version of telemetry and of the command are those of package.json', () => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  expect(PACKAGE).toEqual({ name, version });
});
