import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Catalogue, createCatalogue } from '../../../../lib/catalogue/catalogue.js';
import { variablesOf } from '../../../../lib/config/process-env/variable-names.js';
import { belongsToAnother, strangersOf } from '../../../../lib/config/process-env/misspelt-variables.js';
import { defineProvider } from '../../../../lib/index.js';
import { requiredPartsOf } from '../../../../lib/testing/any-provider.js';
import { readEnvironmentVariables } from '../../../support/application/built-in.js';
import { problemsOf } from '../../../support/secrets/config-canaries.js';

/** The suggestions for variables that are unknown. Other problems are ignored. */
async function suggestionsFor(...variables: string[]): Promise<string[]> {
  const given = Object.fromEntries(variables.map((variable) => [variable, 'canary']));
  return (await problemsOf(readEnvironmentVariables(given)))
    .filter(({ path }) => path.startsWith('environment variable '))
    .map(({ message }) => message.replace(/.*Did you mean (.*)\?/, '$1'));
}

const catalogueOf = (name: string, ...interfaces: string[]) =>
  createCatalogue(
    name,
    ['test'],
    Object.fromEntries(interfaces.map((of) => [of, { tokenUrlPer: 'environment', tokenPathExample: '/' }])),
  );

describe('C4: a variable that looks misspelt', () => {
  it('is reported with its name and a suggestion', async () => {
    expect(await problemsOf(readEnvironmentVariables({ PROVIDER_ENVIROMENT: 'canary' }))).toContainEqual({
      path: 'environment variable PROVIDER_ENVIROMENT',
      env: 'PROVIDER_ENVIROMENT',
      message: 'is not a variable of this module. Did you mean PROVIDER_ENVIRONMENT?',
    });
  });

  it('has two typing errors, and not three', async () => {
    expect(await suggestionsFor('PROVIDER_EASY_SANBX_CLIENT_ID')).toEqual([
      'PROVIDER_EASY_SANDBOX_CLIENT_ID',
    ]);
    expect(await suggestionsFor('PROVDR_EASY_SANDBOX_CLIENT_ID')).toEqual([
      'PROVIDER_EASY_SANDBOX_CLIENT_ID',
    ]);
    expect(await suggestionsFor('PROVDR_EAY_SANDBOX_CLIENT_ID')).toEqual([]);
    expect(await suggestionsFor('PRODR_EASY_SANDBOX_CLIENT_ID')).toEqual([]);
    expect(await suggestionsFor('MY_PROVIDER_ENVIRONMENT')).toEqual([]);
    expect(await suggestionsFor('PROVIDER_EASY_SANDBOX_CLIENT_ID_FIL')).toEqual([]);
  });

  it('gets the most similar variable as suggestion', async () => {
    expect(await suggestionsFor('PROVIDER_EASY_SANDBOX_CLIENT_I')).toEqual([
      'PROVIDER_EASY_SANDBOX_CLIENT_ID',
    ]);
    expect(await suggestionsFor('PROVIDER_ORIGINATION_TOKEN_URL')).toEqual([
      'PROVIDER_ORIGINATIONS_TOKEN_URL',
    ]);
    expect(await suggestionsFor('PROVIDER_EASY_PRODUCTION_CLIENT_SECRET_FIL')).toEqual([
      'PROVIDER_EASY_PRODUCTION_CLIENT_SECRET_FILE',
    ]);
  });

  it.each([
    ['LIVE', 'PRODUCTION'],
    ['PRD', 'PRODUCTION'],
    ['PROD', 'PRODUCTION'],
    ['TEST', 'SANDBOX'],
    ['SBX', 'SANDBOX'],
    ['SAND', 'SANDBOX'],
  ])('may have %s as the word for the environment', async (word, environment) => {
    expect(await suggestionsFor(`PROVIDER_EASY_${word}_BASE_URL`)).toEqual([
      `PROVIDER_EASY_${environment}_BASE_URL`,
    ]);
    expect(await suggestionsFor(`PROVIDER_ORIGINATIONS_${word}_CLIENT_SECRET_FILE`)).toEqual([
      `PROVIDER_ORIGINATIONS_${environment}_CLIENT_SECRET_FILE`,
    ]);
  });

  it.each([
    ['PROVIDER_EASY_TOKEN_URL', 'PROVIDER_EASY_SANDBOX_TOKEN_URL'],
    ['PROVIDER_ORIGINATIONS_CLIENT_ID', 'PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID'],
    ['PROVIDER_EASY_CLIENT_SECRET_FILE', 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE'],
    ['PROVIDER_ORIGINATIONS_LIVE_TOKEN_URL', 'PROVIDER_ORIGINATIONS_TOKEN_URL'],
    ['PROVIDER_EASY_SANDBOX_ENVIRONMENT', 'PROVIDER_EASY_ENVIRONMENT'],
  ])('may be on the wrong level: %s instead of %s', async (variable, meant) => {
    expect(await suggestionsFor(variable)).toEqual([meant]);
  });

  it.each([
    'PROVIDER_EASY_WEBHOOK_BASE_URL',
    'PROVIDER_EASY_SANDBOX_BASE_URI_TEMPLATE',
    'EASY_LIVE_BASE_URL',
  ])('is not %s, which is a different setting', async (variable) => {
    expect(await suggestionsFor(variable)).toEqual([]);
  });
});

describe('C4: a variable that ends in _ENV', () => {
  it('is a short form, for all interfaces and for one interface', async () => {
    expect(await suggestionsFor('PROVIDER_ENV')).toEqual(['PROVIDER_ENVIRONMENT']);
    expect(await suggestionsFor('PROVIDER_EASY_ENV')).toEqual(['PROVIDER_EASY_ENVIRONMENT']);
  });

  it('belongs to the application if the correct variable is set, too', async () => {
    expect(await suggestionsFor('PROVIDER_ENV', 'PROVIDER_ENVIRONMENT')).toEqual([]);
    expect(await suggestionsFor('PROVIDER_EASY_ENV', 'PROVIDER_EASY_ENVIRONMENT')).toEqual([]);
    expect(await suggestionsFor('PROVIDER_ENVIROMENT', 'PROVIDER_ENVIRONMENT')).toEqual([
      'PROVIDER_ENVIRONMENT',
    ]);
  });

  it('is not a variable with _ENV in its middle', async () => {
    expect(await suggestionsFor('PROVIDER_ENV_NAME')).toEqual([]);
  });
});

describe('B24: a variable that looks misspelt belongs to another provider of the application', () => {
  const CATALOGUES = {
    bank: catalogueOf('bank', 'orders'),
    bank1: catalogueOf('bank1', 'orders'),
    bankOrders: catalogueOf('bank-orders', 'stock'),
  };
  type Name = keyof typeof CATALOGUES;

  it.each<[string, Name, Name, boolean]>([
    ['BANK1_ORDERS_TEST_BASE_URL', 'bank', 'bank1', true],
    ['BANK1_ORDERS_TEST_BASE_ULR', 'bank', 'bank1', true],
    ['BANK1_ORDERS_TEST_BASE_ULR', 'bank1', 'bank', false],
    ['BANK1_ORDERS_TEST_BASE_URL', 'bank', 'bankOrders', false],
    ['BNK_ORDERS_TEST_BASE_URL', 'bank', 'bank1', false],
    ['BANK_ORDERS_STOCK_TEST_BASE_URL', 'bank', 'bankOrders', true],
    ['BANK_ORDERS_STOCK_TEST_BASE_ULR', 'bank', 'bankOrders', true],
    ['BANK_ORDERS_STOCK_TEST_BASE_ULR', 'bankOrders', 'bank', false],
    ['BANK_ORDERS_TEST_BASE_URL', 'bankOrders', 'bank', true],
    ['BANK_ORDERS_TEST_BASE_ULR', 'bank', 'bankOrders', false],
  ])('%s, checked for %s beside %s: %s', (variable, name, beside, is) => {
    const [checked, other] = [CATALOGUES[name], CATALOGUES[beside]];
    expect(belongsToAnother(variable, checked, [checked, other])).toBe(is);
    expect(belongsToAnother(variable, checked, [checked])).toBe(false);
  });
});

describe('B24: a definition that another copy of this package made', () => {
  it.each([
    ['of the process', true],
    ['of a file', false],
  ])('C4: knows its own variables among those %s', async (_, isProcess) => {
    vi.resetModules();
    const otherCopy = await import('../../../../lib/config/read-definition.js');
    const own = otherCopy.readDefinition({
      name: 'auth0',
      environments: ['sandbox'],
      interfaces: { api: {} },
    });
    const variables = Object.fromEntries(variablesOf(own).map((name) => [name, 'canary']));
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { misspelt, unknown } = strangersOf(own, isProcess ? process.env : variables, [own]);
    expect({ misspelt, unknown }).toEqual({ misspelt: [], unknown: [] });
  });

  it('B35: keeps what begins with its longer name out of the warning of another provider', async () => {
    vi.resetModules();
    const otherCopy = await import('../../../../lib/config/read-definition.js');
    const parts = { environments: ['sandbox'], interfaces: { api: {} } };
    const longer = otherCopy.readDefinition({ name: 'granary-west', ...parts });
    const own = catalogueOf('granary', 'stock');
    const variables = { GRANARY_WEST_COLOUR: 'canary', GRANARY_COLOUR: 'canary' };
    expect(strangersOf(own, variables, [own, longer]).unknown).toEqual(['GRANARY_COLOUR']);
  });
});

describe('B24: a shared environment with the variables of another service', () => {
  it('C4: does not refuse those of a provider that this process does not know', () => {
    const own = catalogueOf('partner-a', 'stock');
    const variables = Object.fromEntries(
      variablesOf(own)
        .flatMap((name) => [name, name.replace('PARTNER_A', 'PARTNER_B')])
        .map((name) => [name, 'canary']),
    );
    expect(strangersOf(own, variables, [own])).toEqual({ misspelt: [], unknown: [] });
    delete variables['PARTNER_A_ENVIRONMENT'];
    expect(strangersOf(own, variables, [own]).misspelt.map(({ env }) => env)).toEqual([
      'PARTNER_B_ENVIRONMENT',
    ]);
  });
});

const strangersIn = (catalogue: Catalogue, ...variables: string[]) =>
  strangersOf(catalogue, Object.fromEntries(variables.map((variable) => [variable, 'canary'])), [catalogue]);
const unknownIn = (catalogue: Catalogue, ...variables: string[]) =>
  strangersIn(catalogue, ...variables).unknown;
const meantIn = (catalogue: Catalogue, ...variables: string[]) =>
  strangersIn(catalogue, ...variables).misspelt.map(({ message }) =>
    message.replace(/.*Did you mean (.*)\?/, '$1'),
  );

describe('B35: a variable under the name of a provider that is none of its variables', () => {
  const SHORT = catalogueOf('short', 'orders', 'stock');
  const LONGER = catalogueOf('longer', 'orders', 'stock');

  it('B35: counts if it begins with one of the interfaces, or with a long name of the provider', () => {
    const variables = ['RETRIES', 'ORDERS_RETRIES', 'STOCK_RETRIES', 'ORDERSRETRIES'];
    const under = (prefix: string) => variables.map((variable) => `${prefix}_${variable}`);
    expect(unknownIn(SHORT, ...under('SHORT'))).toEqual(['SHORT_ORDERS_RETRIES', 'SHORT_STOCK_RETRIES']);
    expect(unknownIn(LONGER, ...under('LONGER'))).toEqual(under('LONGER'));
    expect(unknownIn(LONGER, 'LONGERRETRIES', 'RETRIES_LONGER_', 'OTHER_LONGER_ORDERS_RETRIES')).toEqual([]);
    expect(unknownIn(SHORT, 'OTHER_SHORT_ORDERS_RETRIES')).toEqual([]);
  });

  it('B35: does not count without a value', () => {
    const variables = { LONGER_RETRIES: '', LONGER_PAUSE: '1' };
    expect(strangersOf(LONGER, variables, [LONGER]).unknown).toEqual(['LONGER_PAUSE']);
  });

  it('B35: does not count if it begins with the longer name of another provider', () => {
    const { catalogue } = requiredPartsOf(
      defineProvider({ name: 'longer-orders', environments: ['test'], interfaces: { pay: {} } }),
    );
    expect(unknownIn(LONGER, 'LONGER_ORDERS_PAUSE', 'LONGER_STOCK_PAUSE')).toEqual(['LONGER_STOCK_PAUSE']);
    expect(unknownIn(catalogue, 'LONGER_ORDERS_PAUSE', 'LONGER_STOCK_PAUSE')).toEqual([
      'LONGER_ORDERS_PAUSE',
    ]);
  });

  it('B35: comes with the variable that is similar to it', () => {
    expect(unknownIn(LONGER, 'LONGER_STOCK_TEST_BASE_URLXYZ')).toEqual([
      'LONGER_STOCK_TEST_BASE_URLXYZ (did you mean LONGER_STOCK_TEST_BASE_URL?)',
    ]);
  });

  it('C4: a typing error in the name of the provider counts only if the name is long', () => {
    expect(meantIn(LONGER, 'LNOGER_ENVIRONMENT')).toEqual(['LONGER_ENVIRONMENT']);
    expect(meantIn(SHORT, 'SHROT_ENVIRONMENT')).toEqual([]);
    expect(meantIn(SHORT, 'SHORT_ENVIROMENT')).toEqual(['SHORT_ENVIRONMENT']);
  });

  it('C4: the nearest of several variables is meant', () => {
    const both = catalogueOf('longer', 'pay-in', 'pay-on');
    expect(meantIn(both, 'LONGER_PAY_OM_TEST_BASE_URL')).toEqual(['LONGER_PAY_ON_TEST_BASE_URL']);
    expect(meantIn(both, 'LONGER_PAY_IM_TEST_BASE_URL')).toEqual(['LONGER_PAY_IN_TEST_BASE_URL']);
  });

  it('C4: of two interfaces, the one with the longer name owns the variable', () => {
    for (const names of [
      ['pay', 'pay-out'],
      ['pay-out', 'pay'],
    ]) {
      const catalogue = createCatalogue(
        'longer',
        ['production'],
        Object.fromEntries(names.map((of) => [of, { tokenUrlPer: 'environment', tokenPathExample: '/' }])),
      );
      expect(meantIn(catalogue, 'LONGER_PAY_OUT_LIVE_BASE_URL')).toEqual([
        'LONGER_PAY_OUT_PRODUCTION_BASE_URL',
      ]);
      expect(meantIn(catalogue, 'LONGER_PAY_LIVE_BASE_URL')).toEqual(['LONGER_PAY_PRODUCTION_BASE_URL']);
    }
  });
});
