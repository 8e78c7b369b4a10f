import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Catalogue, createCatalogue } from '../../../../lib/catalogue/catalogue.js';
import { strangersOf } from '../../../../lib/config/process-env/misspelt-variables.js';
import { variablesOf } from '../../../../lib/config/process-env/variable-names.js';
import { readEnvironmentVariables } from '../../../support/application/built-in.js';
import { problemsOf } from '../../../support/secrets/config-canaries.js';

const catalogueOf = (name: string, ...interfaces: string[]) =>
  createCatalogue(
    name,
    ['test'],
    Object.fromEntries(interfaces.map((of) => [of, { tokenUrlPer: 'environment', tokenPathExample: '/' }])),
  );

const strangersIn = (catalogue: Catalogue, ...variables: string[]) =>
  strangersOf(catalogue, Object.fromEntries(variables.map((variable) => [variable, 'canary'])), [catalogue]);
const unknownIn = (catalogue: Catalogue, ...variables: string[]) =>
  strangersIn(catalogue, ...variables).unknown;
const meantIn = (catalogue: Catalogue, ...variables: string[]) =>
  strangersIn(catalogue, ...variables).misspelt.map(({ message }) =>
    message.replace(/.*Did you mean (.*)\?/, '$1'),
  );

const LONGER = catalogueOf('longer', 'orders', 'stock');

describe('C4: a variable that looks misspelt', () => {
  it('C4: is reported with its name and a suggestion', async () => {
    expect(await problemsOf(readEnvironmentVariables({ PROVIDER_ENVIROMENT: 'canary' }))).toContainEqual({
      path: 'environment variable PROVIDER_ENVIROMENT',
      env: 'PROVIDER_ENVIROMENT',
      message: 'is not a variable of this module. Did you mean PROVIDER_ENVIRONMENT?',
    });
  });

  it('C4: has one or two typing errors, and begins with the name of the provider', () => {
    expect(meantIn(LONGER, 'LONGER_STOCK_TST_BASE_URL')).toEqual(['LONGER_STOCK_TEST_BASE_URL']);
    expect(meantIn(LONGER, 'LONGER_STOK_TST_BASE_URL')).toEqual(['LONGER_STOCK_TEST_BASE_URL']);
    expect(meantIn(LONGER, 'LONGER_STOK_TST_BASE_UR')).toEqual([]);
    expect(meantIn(LONGER, 'LNOGER_ENVIRONMENT')).toEqual([]);
    expect(unknownIn(LONGER, 'LNOGER_ENVIRONMENT', 'OTHER_LONGER_RETRIES', 'LONGERRETRIES')).toEqual([]);
  });

  it('C4: gets the nearest of several variables', () => {
    const both = catalogueOf('nearest', 'pay-in', 'pay-on');
    expect(meantIn(both, 'NEAREST_PAY_OM_TEST_BASE_URL')).toEqual(['NEAREST_PAY_ON_TEST_BASE_URL']);
    expect(meantIn(both, 'NEAREST_PAY_IM_TEST_BASE_URL')).toEqual(['NEAREST_PAY_IN_TEST_BASE_URL']);
  });
});

describe('B35: another variable under the name of a provider', () => {
  it('B35: is a warning, with the variable that is similar to it', () => {
    const variables = { LONGER_RETRIES: '1', LONGER_PAUSE: '', LONGER_STOCK_TEST_BASE_URLXYZ: '1' };
    expect(strangersOf(LONGER, variables, [LONGER])).toEqual({
      misspelt: [],
      unknown: ['LONGER_RETRIES', 'LONGER_STOCK_TEST_BASE_URLXYZ (did you mean LONGER_STOCK_TEST_BASE_URL?)'],
    });
  });

  it('B35: begins with an interface if the name of the provider is short', () => {
    const short = catalogueOf('short', 'orders');
    expect(unknownIn(short, 'SHORT_RETRIES', 'SHORT_ORDERS_RETRIES')).toEqual(['SHORT_ORDERS_RETRIES']);
    expect(meantIn(short, 'SHORT_ENVIROMENT')).toEqual(['SHORT_ENVIRONMENT']);
  });
});

describe('B24: a variable of another provider of the application', () => {
  it.each(['BANK_ORDERS_TEST_BASE_URL', 'BANK_ORDERS_STOCK_TEST_BASE_ULR', 'BANK_ORDERS_COLOUR'])(
    'B24: is no variable of a provider with a shorter or a longer name: %s',
    (variable) => {
      const bank = catalogueOf('bank', 'orders');
      const bankOrders = catalogueOf('bank-orders', 'stock');
      const [own, other] = variable.includes('BANK_ORDERS_TEST') ? [bankOrders, bank] : [bank, bankOrders];
      expect(strangersOf(own, { [variable]: 'canary' }, [own, other])).toEqual({ misspelt: [], unknown: [] });
    },
  );

  it.each([
    ['of the process', true],
    ['of a file', false],
  ])('C4: is known among those %s, even if another copy of this package defines it', async (_, isProcess) => {
    vi.resetModules();
    const otherCopy = await import('../../../../lib/config/read-definition.js');
    const parts = { environments: ['sandbox'], interfaces: { api: {} } };
    const own = otherCopy.readDefinition({ name: 'mybank', ...parts });
    const longer = otherCopy.readDefinition({ name: 'mybank-west', ...parts });
    const names = [...variablesOf(own), ...variablesOf(longer), 'MYBANK_WEST_COLOUR'];
    const variables = Object.fromEntries(names.map((name) => [name, 'canary']));
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const strangers = strangersOf(own, isProcess ? process.env : variables, [own, longer]);
    expect(strangers).toEqual({ misspelt: [], unknown: [] });
  });
});
