import { expect, it, onTestFinished } from 'vitest';
import { ProviderSimulator } from '../../lib/testing/index.js';
import { Fleet } from '../support/fleet/fleet.js';
import { RedisServer } from '../support/fleet/redis-server.js';

const SIZE = 64;

it(`B29: ${SIZE} processes that boot at once with token.atBoot ask for one token`, async () => {
  const provider = await ProviderSimulator.start({ lifetimeSeconds: 3600, latencyMs: 100 });
  onTestFinished(() => provider.close());
  const redis = await RedisServer.start();
  onTestFinished(() => redis.close());
  const fleet = await Fleet.start({ size: SIZE, provider, redisPort: redis.port });
  onTestFinished(() => fleet.close());
  await fleet.all('boot');
  expect(provider.tokenRequests).toHaveLength(1);
  const tokens = await fleet.all('get');
  expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(provider.tokenRequests).toHaveLength(1);
});
