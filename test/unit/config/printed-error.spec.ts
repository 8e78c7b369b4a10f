import { expect, it } from 'vitest';
import { readEnvironmentVariables } from '../../support/application/built-in.js';
import { configErrorOf, optionsWith } from '../../support/secrets/config-canaries.js';

it('C4: the error is a list of settings to change', async () => {
  const { message } = await configErrorOf(
    readEnvironmentVariables({
      PROVIDER_ENVIRONMENT: 'prod',
      PROVIDER_ORIGINATIONS_TOKEN_URL: '{auth_url_originations}',
      PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: 'http://api.example/v1',
      PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID: 'canary',
      PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET: 'changeme',
    }),
  );
  expect(message).toBe(
    [
      'The configuration of nestjs-provider-auth has 4 problems:',
      '',
      '  PROVIDER_ENVIRONMENT                         must be sandbox or production. Did you mean production?',
      '  PROVIDER_ORIGINATIONS_TOKEN_URL              is still a placeholder. Replace it with the address that the provider gave you.',
      '  PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL       is not https. The provider answers over https only; use its https address.',
      '  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET  is still a placeholder. Replace it with the value that your account representative gave you.',
      '',
      'Fix each line and start again.',
    ].join('\n'),
  );
});

it('C4: the error names options by their paths, and counts one problem as one', async () => {
  expect((await configErrorOf(optionsWith({ 'token.timeoutMs': 0 }))).message).toBe(
    [
      'The configuration of nestjs-provider-auth has 1 problem:',
      '',
      '  token.timeoutMs  must be a whole number of milliseconds from 1 to 600000.',
      '',
      'Fix it and start again.',
    ].join('\n'),
  );
});
