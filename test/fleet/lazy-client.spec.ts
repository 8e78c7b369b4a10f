import { expect, it } from 'vitest';
import { startFleet } from '../support/fleet/fleet.js';
import { leasesSince } from '../support/fleet/leases.js';

it('B10: clients that connect when they are first used, and queue nothing, share the first token', async () => {
  const { provider, fleet } = await startFleet({ size: 4, settings: () => ({ lazyRedis: true }) });
  const started = performance.now();
  await fleet.all('get');
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started));
  const records = await fleet.all('record');
  expect(records.flatMap(({ logs }) => logs)).toEqual([]);
});
