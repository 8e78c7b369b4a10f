import { expect, it } from 'vitest';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';

const PROBLEMS = [
  { path: 'interfaces.easy.sandbox.baseUrl', env: 'EASY_BASE_URL', message: 'is missing.' },
  { path: 'token.timeoutMs', message: 'must be a number.' },
];

it('C4: lists the settings in one column, by variable where there is one, and counts the problems', () => {
  const error = new ProviderAuthConfigError('CONFIG_INVALID', PROBLEMS);
  expect(error.message).toBe(
    `The configuration of nestjs-provider-auth has 2 problems:

  EASY_BASE_URL    is missing.
  token.timeoutMs  must be a number.

Fix each line and start again.`,
  );
  expect(error).toMatchObject({
    name: 'ProviderAuthConfigError',
    code: 'CONFIG_INVALID',
    problems: PROBLEMS,
  });
});

it('B31: names the provider of the application', () => {
  expect(new ProviderAuthConfigError('CONFIG_INVALID', PROBLEMS.slice(1), 'warehouse').message).toBe(
    `The configuration of warehouse (nestjs-provider-auth) has 1 problem:

  token.timeoutMs  must be a number.

Fix it and start again.`,
  );
});

it('C4: lists what an unconfigured environment lacks, as options and as variables', () => {
  expect(new ProviderAuthConfigError('NOT_CONFIGURED', PROBLEMS).message).toBe(
    `Your code used an interface of nestjs-provider-auth in an environment that is not configured. These settings are missing, here as options and as environment variables:

  interfaces.easy.sandbox.baseUrl  EASY_BASE_URL
  token.timeoutMs

Set them and start again, or use an environment that is configured.`,
  );
});
