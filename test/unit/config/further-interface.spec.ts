import { expect, it } from 'vitest';
import { addInterfaces } from '../../support/application/catalogue.js';

// The name of one interface starts with the name of the other.
addInterfaces(['payouts', 'payoutsAbroad'], '/payouts/token');

it('C1: a new interface of the provider needs only an entry in the catalogue', async () => {
  const { validateOptions } = await import('../../support/application/built-in.js');
  const { readEnvironmentVariables } = await import('../../support/application/built-in.js');
  const right = {
    PROVIDER_ENVIRONMENT: 'sandbox',
    PROVIDER_PAYOUTS_SANDBOX_TOKEN_URL: 'https://auth.example/payouts/token',
    PROVIDER_PAYOUTS_SANDBOX_BASE_URL: 'https://api.example',
    PROVIDER_PAYOUTS_SANDBOX_CLIENT_ID: 'an id',
    PROVIDER_PAYOUTS_SANDBOX_CLIENT_SECRET: 'a secret',
  };
  expect((await validateOptions(readEnvironmentVariables(right), {})).profiles).toEqual([
    expect.objectContaining({ interface: 'payouts', environment: 'sandbox', active: true }),
  ]);
  const wrong = {
    ...right,
    PROVIDER_PAYOUTS_SANDBOX_TOKEN_URL: 'https://auth.example/oauth/token',
    PROVIDER_PAYOUTS_SANBOX_CLIENT_ID: 'x',
  };
  await expect(validateOptions(readEnvironmentVariables(wrong), {})).rejects.toThrow(
    /PROVIDER_PAYOUTS_SANDBOX_TOKEN_URL +is a token URL of originations: .* ends in \/payouts\/token[^]*Did you mean PROVIDER_PAYOUTS_SANDBOX_CLIENT_ID/,
  );
});

it('C4: an interface named in camel case has the same variables everywhere: options, hints and simulator', async () => {
  const { validateOptions } = await import('../../support/application/built-in.js');
  const { readEnvironmentVariables } = await import('../../support/application/built-in.js');
  const { clientEnvironment } = await import('../../support/application/built-in.js');
  const variables = clientEnvironment('https://127.0.0.1:1');
  expect(Object.keys(variables)).toContain('PROVIDER_PAYOUTS_ABROAD_SANDBOX_TOKEN_URL');
  const options = readEnvironmentVariables(variables);
  expect(Object.keys(options.interfaces)).toContain('payoutsAbroad');
  const misspelt = {
    ...variables,
    PROVIDER_PAYOUTS_ABROAD_SANBOX_CLIENT_ID: 'x',
    PROVIDER_PAYOUTS_ABROAD_PRODUCTION_BASE_ULR: 'x',
  };
  await expect(validateOptions(readEnvironmentVariables(misspelt), {})).rejects.toThrow(
    /mean PROVIDER_PAYOUTS_ABROAD_SANDBOX_CLIENT_ID\?[^]*mean PROVIDER_PAYOUTS_ABROAD_PRODUCTION_BASE_URL\?/,
  );
});
