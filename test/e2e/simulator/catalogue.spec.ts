import { describe, expect, it, vi } from 'vitest';
import type { ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import { askForToken, callApi, startSimulator } from '../../support/application/simulator.js';

vi.mock('../../../lib/catalogue/provider-catalogue.js', async (original) => {
  const catalogue = await original<typeof import('../../../lib/catalogue/provider-catalogue.js')>();
  const refunds = {
    tokenUrlPer: 'environment',
    tokenPath: /\/refunds\/token$/,
    tokenPathExample: '/refunds/token',
  };
  return {
    ...catalogue,
    PROVIDER_CATALOGUE: { ...catalogue.PROVIDER_CATALOGUE, refunds },
    PROVIDER_INTERFACES: [...catalogue.PROVIDER_INTERFACES, 'refunds'],
    PROVIDER_PAIRS: [
      ...catalogue.PROVIDER_PAIRS,
      ...catalogue.PROVIDER_ENVIRONMENTS.map((environment) => ({ interface: 'refunds', environment })),
    ],
  };
});

describe('a new interface in the catalogue', () => {
  it('S4: has addresses, credentials and settings without another change', async () => {
    const refunds = 'refunds' as ProviderInterface;
    const provider = await startSimulator();
    expect(provider.tokenUrl(refunds, 'production')).toMatch(/\/refunds\/token$/);
    const { json } = await askForToken(provider, refunds, 'production');
    const { status, json: echo } = await callApi(provider, String(json['access_token']), '/x', {
      name: refunds,
      environment: 'production',
    });
    expect([status, echo['interface']]).toEqual([200, 'refunds']);
    expect(provider.options().interfaces).toHaveProperty('refunds.production.tokenUrl');
    expect(provider.env()).toMatchObject({ PROVIDER_REFUNDS_PRODUCTION_TOKEN_URL: expect.any(String) });
  });
});
