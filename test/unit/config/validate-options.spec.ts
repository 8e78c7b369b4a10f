import { expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';

it('C4: fills in the defaults', async () => {
  const { token, profiles } = await validateOptions({
    environment: 'sandbox',
    interfaces: {
      originations: {
        tokenUrl: 'https://a.example/oauth/token',
        sandbox: { baseUrl: 'HTTPS://api.example:443/v1/', clientId: 'c', clientSecret: 's' },
      },
    },
  });
  expect(token).toEqual({
    timeoutMs: 5000,
    maxAttempts: 3,
    expiryLeewayMs: 0,
    renewAheadMs: 0,
    atBoot: 'no',
    maxAccounts: 1_000,
  });
  expect(profiles[0]).toMatchObject({ active: true, baseUrl: 'https://api.example/v1' });
});
