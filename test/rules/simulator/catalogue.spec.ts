import { expect, it } from 'vitest';
import type { ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import { addInterfaces } from '../../support/application/catalogue.js';

// The specs of this suite share processes, so this spec loads its own copy of the simulator, and leaves no copy behind.
addInterfaces(['refunds'], '/refunds/token');

it('S4: a new interface in the catalogue has addresses, credentials and settings without another change', async () => {
  const { askForToken, callApi, startSimulator } = await import('../../support/application/simulator.js');
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
