import { expect, it, onTestFinished } from 'vitest';
import { ProviderSimulator } from '../../lib/testing/index.js';
import { Fleet } from '../support/fleet/fleet.js';
import { RedisServer } from '../support/fleet/redis-server.js';

it('B10: clients that connect when they are first used, and queue nothing, share the first token (hole 17)', async () => {
  const provider = await ProviderSimulator.start();
  onTestFinished(() => provider.close());
  const redis = await RedisServer.start();
  onTestFinished(() => redis.close());
  const plan = { size: 4, provider, redisPort: redis.port, settings: () => ({ lazyRedis: true }) };
  const fleet = await Fleet.start(plan);
  onTestFinished(() => fleet.close());
  await fleet.all('get');
  expect(provider.tokenRequests).toHaveLength(1);
  const records = await fleet.all('record');
  expect(records.flatMap(({ logs }) => logs)).toEqual([]);
});
