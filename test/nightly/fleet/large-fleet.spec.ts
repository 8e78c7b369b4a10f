import { expect, it } from 'vitest';
import { startFleet } from '../../support/fleet/fleet.js';
import { leasesSince } from '../../support/fleet/leases.js';

const SIZE = 64;

it(`B10: ${SIZE} processes that start at once request one token`, async () => {
  const { provider, fleet } = await startFleet({ size: SIZE }, { lifetimeSeconds: 3600, latencyMs: 100 });
  const started = performance.now();
  const tokens = await fleet.all('get');
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started));
  const requested = provider.tokenRequests.length;
  expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(requested);
  await fleet.all('get');
  expect(provider.tokenRequests).toHaveLength(requested);
});
