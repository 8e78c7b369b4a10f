import { expect, it } from 'vitest';
import { startFleet } from '../../support/fleet/fleet.js';
import { leasesSince } from '../../support/fleet/leases.js';

const SIZE = 64;

it(`B29: ${SIZE} processes that boot at once with token.atBoot ask for one token`, async () => {
  const { provider, fleet } = await startFleet({ size: SIZE }, { lifetimeSeconds: 3600, latencyMs: 100 });
  const started = performance.now();
  await fleet.all('boot');
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started));
  const asked = provider.tokenRequests.length;
  const tokens = await fleet.all('get');
  expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(asked);
  expect(provider.tokenRequests).toHaveLength(asked);
});
