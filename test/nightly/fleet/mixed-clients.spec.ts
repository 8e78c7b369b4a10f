import { expect, it } from 'vitest';
import { startFleet } from '../../support/fleet/fleet.js';
import { leasesSince } from '../../support/fleet/leases.js';
import { clientsFor } from '../../support/fleet/redis-clients.js';

const CLIENTS = clientsFor('single');

it('B22: processes with clients of all kinds make one token request together, and one more after a 401', async () => {
  const settings = (index: number) => ({ client: CLIENTS[index % CLIENTS.length] });
  const options = { lifetimeSeconds: 3600, latencyMs: 100 };
  const { provider, fleet } = await startFleet({ size: CLIENTS.length, settings }, options);
  for (const command of ['get', 'renew'] as const) {
    const before = provider.tokenRequests.length;
    const started = performance.now();
    const tokens = await fleet.all(command);
    const most = leasesSince(started);
    expect(provider.tokenRequests.length - before).toBeLessThanOrEqual(most);
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(most);
    provider.token.revokeAll();
  }
  const records = await fleet.all('record');
  expect(records.flatMap(({ logs }) => logs)).toEqual([]);
});
