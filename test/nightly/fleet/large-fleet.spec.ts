import { expect, it } from 'vitest';
import { Fleet, leasesSince } from '../../support/fleet/fleet.js';

const SIZE = 64;

it(`B10: ${SIZE} processes that start at once request one token`, async () => {
  const fleet = await Fleet.start({ size: SIZE }, { lifetimeSeconds: 3600, latencyMs: 100 });
  const { provider } = fleet;
  const started = performance.now();
  const tokens = await fleet.all('get');
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started));
  const requested = provider.tokenRequests.length;
  expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(requested);
  await fleet.all('get');
  expect(provider.tokenRequests).toHaveLength(requested);
});
