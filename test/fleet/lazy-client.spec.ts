import { expect, it } from 'vitest';
import { Fleet, leasesSince } from '../support/fleet/fleet.js';

it('B10: clients that connect when they are first used, and queue nothing, share the first token', async () => {
  const fleet = await Fleet.start({ size: 4, settings: () => ({ lazyRedis: true }) });
  const started = performance.now();
  await fleet.all('get');
  expect(fleet.provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started));
  expect(await fleet.logs()).toEqual([]);
});
