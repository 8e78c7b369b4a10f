import { expect, it } from 'vitest';
import { startFleet } from '../support/fleet/fleet.js';
import { clientsFor } from '../support/fleet/redis-clients.js';

const CLIENTS = clientsFor('single');

it('B22: processes with clients of all kinds make one token request together, and one more after a 401', async () => {
  const settings = (index: number) => ({ client: CLIENTS[index % CLIENTS.length] });
  const options = { lifetimeSeconds: 3600, latencyMs: 100 };
  const { provider, fleet } = await startFleet({ size: CLIENTS.length, settings }, options);
  const cold = await fleet.all('get');
  expect(new Set(cold.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(provider.tokenRequests).toHaveLength(1);
  provider.token.revokeAll();
  const renewed = await fleet.all('renew');
  expect(new Set(renewed.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(provider.tokenRequests).toHaveLength(2);
  const records = await fleet.all('record');
  expect(records.flatMap(({ logs }) => logs)).toEqual([]);
});
