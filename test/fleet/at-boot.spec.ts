import { expect, it } from 'vitest';
import { startFleet } from '../support/fleet/fleet.js';

const SIZE = 64;

it(`B29: ${SIZE} processes that boot at once with token.atBoot ask for one token`, async () => {
  const { provider, fleet } = await startFleet({ size: SIZE }, { lifetimeSeconds: 3600, latencyMs: 100 });
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
