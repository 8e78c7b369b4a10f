import { expect, it } from 'vitest';
import { createCatalogue } from '../../../../lib/catalogue/catalogue.js';
import { misspeltVariables } from '../../../../lib/config/process-env/misspelt-variables.js';
import { readEnvironmentVariables } from '../../../support/application/built-in.js';
import { problemsOf } from '../../../support/secrets/config-canaries.js';

const entry = { tokenUrlPer: 'environment', tokenPathExample: '/' } as const;
const BANK = createCatalogue('bank', ['test'], { 'pay-in': entry, 'pay-on': entry });

/** The variables that are probably meant. */
const meantBy = (variable: string, value = 'canary') =>
  misspeltVariables(BANK, { [variable]: value }).map(({ message }) =>
    message.replace(/.*Did you mean (.*)\?/, '$1'),
  );

it('C4: a misspelt variable is reported with its name and a suggestion', async () => {
  expect(await problemsOf(readEnvironmentVariables({ PROVIDER_ENVIROMENT: 'canary' }))).toContainEqual({
    path: 'environment variable PROVIDER_ENVIROMENT',
    env: 'PROVIDER_ENVIROMENT',
    message: 'is not a variable of this module. Did you mean PROVIDER_ENVIRONMENT?',
  });
});

it('C4: it has one or two typing errors, begins with the name of the provider, and has a value', () => {
  expect(meantBy('BANK_PAY_IN_TST_BASE_URL')).toEqual(['BANK_PAY_IN_TEST_BASE_URL']);
  expect(meantBy('BANK_PY_IN_TST_BASE_URL')).toEqual(['BANK_PAY_IN_TEST_BASE_URL']);
  expect(meantBy('BANK_PY_IN_TST_BASE_UR')).toEqual([]);
  expect(meantBy('BNAK_ENVIRONMENT')).toEqual([]);
  expect(meantBy('BANK_PAY_IN_TEST_BASE_URL')).toEqual([]);
  expect(meantBy('BANK_PAY_IN_TST_BASE_URL', '')).toEqual([]);
});

it('C4: the nearest of several variables is suggested', () => {
  expect(meantBy('BANK_PAY_OM_TEST_BASE_URL')).toEqual(['BANK_PAY_ON_TEST_BASE_URL']);
  expect(meantBy('BANK_PAY_IM_TEST_BASE_URL')).toEqual(['BANK_PAY_IN_TEST_BASE_URL']);
});
