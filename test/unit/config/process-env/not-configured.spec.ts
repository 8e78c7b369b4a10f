import { expect, it } from 'vitest';
import { notConfigured } from '../../../support/application/built-in.js';

it('C1: the error for a pair that is not configured names the missing settings, as options and as variables', () => {
  const error = notConfigured({ interface: 'easy', environment: 'production' });
  expect(error.code).toBe('NOT_CONFIGURED');
  expect(error.problems.map(({ path, env }) => [path, env])).toEqual([
    ['interfaces.easy.production.tokenUrl', 'PROVIDER_EASY_PRODUCTION_TOKEN_URL'],
    ['interfaces.easy.production.baseUrl', 'PROVIDER_EASY_PRODUCTION_BASE_URL'],
    ['interfaces.easy.production.clientId', 'PROVIDER_EASY_PRODUCTION_CLIENT_ID'],
    ['interfaces.easy.production.clientSecret', 'PROVIDER_EASY_PRODUCTION_CLIENT_SECRET'],
  ]);
  for (const { message } of error.problems)
    expect(message).toBe('is missing: easy production was used, but is not configured.');
  for (const { path, env } of error.problems)
    expect(error.message).toMatch(new RegExp(`^  ${path} +${env}$`, 'm'));
});

it('S4: a shared token URL is missing only if no other environment is configured', () => {
  const pair = { interface: 'originations', environment: 'production' } as const;
  const pathsOf = (configured: Parameters<typeof notConfigured>[1]) =>
    notConfigured(pair, configured).problems.map(({ path }) => path);
  expect(pathsOf([{ interface: 'easy', environment: 'sandbox' }])).toContain(
    'interfaces.originations.tokenUrl',
  );
  const easy = { interface: 'easy', environment: 'sandbox' } as const;
  expect(pathsOf([easy, { interface: 'originations', environment: 'sandbox' }])).toEqual([
    'interfaces.originations.production.baseUrl',
    'interfaces.originations.production.clientId',
    'interfaces.originations.production.clientSecret',
  ]);
});
