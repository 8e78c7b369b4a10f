import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const CATALOGUE = '../../../lib/catalogue/provider-catalogue.js';

/** The catalogue of tomorrow: one entry more, nothing else. */
beforeAll(() => {
  vi.resetModules();
  vi.doMock(CATALOGUE, async (original) => {
    const today = await original<typeof import('../../../lib/catalogue/provider-catalogue.js')>();
    const payouts = {
      tokenUrlPer: 'environment',
      tokenPath: /\/payouts\/token$/,
      tokenPathExample: '/payouts/token',
    };
    return {
      ...today,
      PROVIDER_CATALOGUE: { ...today.PROVIDER_CATALOGUE, payouts },
      PROVIDER_INTERFACES: [...today.PROVIDER_INTERFACES, 'payouts'],
    };
  });
});

afterAll(() => {
  vi.doUnmock(CATALOGUE);
  vi.resetModules();
});

it('C1: a further interface of the provider needs an entry in the catalogue and nothing here', async () => {
  const { validateOptions } = await import('../../support/validate-options.js');
  const { readEnvironmentVariables } = await import('../../../lib/config/read-environment-variables.js');
  const right = {
    PROVIDER_ENVIRONMENT: 'sandbox',
    PROVIDER_PAYOUTS_SANDBOX_TOKEN_URL: 'https://auth.example/payouts/token',
    PROVIDER_PAYOUTS_SANDBOX_BASE_URL: 'https://api.example',
    PROVIDER_PAYOUTS_SANDBOX_CLIENT_ID: 'an id',
    PROVIDER_PAYOUTS_SANDBOX_CLIENT_SECRET: 'a secret',
  };
  expect(validateOptions(readEnvironmentVariables(right), {}).profiles).toEqual([
    expect.objectContaining({ interface: 'payouts', environment: 'sandbox', active: true }),
  ]);
  const wrong = {
    ...right,
    PROVIDER_PAYOUTS_SANDBOX_TOKEN_URL: 'https://auth.example/oauth/token',
    PROVIDER_PAYOUTS_SANBOX_CLIENT_ID: 'x',
  };
  expect(() => validateOptions(readEnvironmentVariables(wrong), {})).toThrow(
    /PROVIDER_PAYOUTS_SANDBOX_TOKEN_URL +is a token URL of originations: .* ends in \/payouts\/token[^]*Did you mean PROVIDER_PAYOUTS_SANDBOX_CLIENT_ID/,
  );
});
