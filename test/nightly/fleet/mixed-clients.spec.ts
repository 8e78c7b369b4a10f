import { expect, it } from 'vitest';
import { Fleet, leasesSince } from '../../support/fleet/fleet.js';
import { clientsFor } from '../../support/fleet/redis-clients.js';

const CLIENTS = clientsFor('single');

it('B22: processes with clients of all kinds make one token request together, and one more after a 401', async () => {
  const settings = (index: number) => ({ client: CLIENTS[index % CLIENTS.length] });
  const options = { lifetimeSeconds: 3600, latencyMs: 100 };
  const fleet = await Fleet.start({ size: CLIENTS.length, settings }, options);
  const { provider } = fleet;
  for (const command of ['get', 'renew'] as const) {
    const before = provider.tokenRequests.length;
    const started = performance.now();
    const tokens = await fleet.all('get', command);
    const most = leasesSince(started);
    expect(provider.tokenRequests.length - before).toBeLessThanOrEqual(most);
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(most);
    provider.token.revokeAll();
  }
  expect(await fleet.logs()).toEqual([]);
});
