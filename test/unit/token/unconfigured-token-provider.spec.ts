import { describe, expect, it } from 'vitest';
import { notConfigured } from '../../support/application/built-in.js';
import { UnconfiguredTokenProvider } from '../../../lib/token/unconfigured-token-provider.js';
import { errorOf } from '../../support/token/token-fixtures.js';

describe('UnconfiguredTokenProvider', () => {
  const pair = { interface: 'easy', environment: 'production' } as const;
  const provider = new UnconfiguredTokenProvider(pair, () => notConfigured(pair));

  it('S7: gives no token, and says which settings it lacks', async () => {
    const error = await errorOf(provider.getToken());
    expect(error).toMatchObject({ name: 'ProviderAuthConfigError', code: 'NOT_CONFIGURED' });
    expect(String(error)).toMatch(/easy\.production|EASY_PRODUCTION/);
    expect(await errorOf(provider.renew())).toMatchObject({ code: 'NOT_CONFIGURED' });
  });

  it('B33: has no tokens of accounts either, and still says what is wrong with a target', async () => {
    const tokens = provider.for({ account: 'one' });
    expect(await errorOf(tokens.getToken())).toMatchObject({ code: 'NOT_CONFIGURED' });
    expect(() => provider.for({ account: '' })).toThrow(new TypeError('account of for() is empty.'));
  });

  it('has an empty status', () => {
    expect(provider.status()).toEqual({
      interface: 'easy',
      environment: 'production',
      active: false,
      state: 'empty',
    });
  });
});
