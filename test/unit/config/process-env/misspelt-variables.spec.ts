import { expect, it, onTestFinished, vi } from 'vitest';
import { createCatalogue } from '../../../../lib/catalogue/catalogue.js';
import { examine } from '../../../../lib/cli/doctor.js';
import { misspeltVariables } from '../../../../lib/config/process-env/misspelt-variables.js';
import { defineProvider, ProviderAuthModule, providerAuthConfig } from '../../../../lib/index.js';
import { requiredPartsOf } from '../../../../lib/testing/any-provider.js';
import { bootWith } from '../../../support/application/boot.js';
import { ORIGINATIONS } from '../../../support/application/doctor-check.js';
import { playSteps } from '../../../support/application/played-steps.js';

const entry = { tokenUrlPer: 'environment', tokenPathExample: '/' } as const;
const BANK = createCatalogue('bank', ['test'], { 'pay-in': entry, 'pay-on': entry });

/** The variables that are probably meant. */
const meantBy = (variable: string, value = 'canary') =>
  misspeltVariables(BANK, { [variable]: value }).map(({ message }) =>
    message.replace(/.*Did you mean (.*)\?/, '$1'),
  );

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

const TERMS = { environments: ['test'], interfaces: { pay: {} } } as const;
const ACME = defineProvider({ name: 'acme', ...TERMS });
const ACME_2 = defineProvider({ name: 'acme-2', ...TERMS });
const PROVIDER_B = defineProvider({ name: 'provider-b', ...TERMS });

const variablesUnder = (name: string) => ({
  [`${name}_ENVIRONMENT`]: 'test',
  [`${name}_PAY_TEST_TOKEN_URL`]: 'https://login.example/token',
  [`${name}_PAY_TEST_BASE_URL`]: 'https://api.example',
  [`${name}_PAY_TEST_CLIENT_ID`]: 'one-client',
  [`${name}_PAY_TEST_CLIENT_SECRET`]: 'canary-of-a-client',
});

it('B24: definitions whose names differ by a short ending boot together, and none refuses a variable of another', async () => {
  const names = ['ACME', 'ACME_2', 'PROVIDER_B'];
  const variables = Object.assign({}, ORIGINATIONS, ...names.map(variablesUnder)) as NodeJS.ProcessEnv;
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { app } = await bootWith([
    ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
    ACME.Module.forRootAsync(ACME.config.asProvider()),
    ACME_2.Module.forRootAsync(ACME_2.config.asProvider()),
    PROVIDER_B.Module.forRootAsync(PROVIDER_B.config.asProvider()),
  ]);
  expect(app.get(ACME_2.Service).status()).toHaveLength(1);
  playSteps();
  const catalogues = [ACME, ACME_2].map((provider) => requiredPartsOf(provider).catalogue);
  expect((await examine(catalogues, variables, {})).problems).toBeUndefined();
});

it('B24: a variable of a definition with a shorter name is no misspelt one', () => {
  const shorter = createCatalogue('bank', ['test'], { 'east-pay': entry });
  const longer = createCatalogue('bank-east', ['test'], { pays: entry });
  const variables = { BANK_EAST_PAY_TEST_BASE_URL: 'canary' };
  expect(misspeltVariables(longer, variables)).toHaveLength(1);
  expect(misspeltVariables(longer, variables, [longer, shorter])).toEqual([]);
});
