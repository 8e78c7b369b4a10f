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
  const started = performance.now();
  await fleet.all('boot');
  // If a renewal takes longer than 2 s, as on a busy machine, one more process asks every 2 s (B10).
  const most = 1 + Math.floor((performance.now() - started) / 2_000);
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(most);
  const asked = provider.tokenRequests.length;
  const tokens = await fleet.all('get');
  expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(asked);
  expect(provider.tokenRequests).toHaveLength(asked);
});
