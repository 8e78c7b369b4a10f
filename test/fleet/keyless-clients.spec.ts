import type { DynamicModule } from '@nestjs/common';
import { expect, it } from 'vitest';
import type { TokenProvider } from '../../lib/index.js';
import { RedisTokenStore } from '../../lib/redis/index.js';
import { cluster } from '../support/application/warehouse.js';
import { startRedisFleet } from '../support/fleet/redis-fleet.js';
import { CanaryScanner } from '../support/secrets/canary-scanner.js';
import { startSimulatorOf } from '../support/application/simulator.js';
import { bootWith } from '../support/application/boot.js';

const POLL = { timeout: 10_000, interval: 20 };
const SEAL_KEY = 'canary-seal-key-of-thirty-two-bytes';

const { storeClient, admin, entryKeys } = await startRedisFleet();

async function appWith(module: DynamicModule) {
  const { app } = await bootWith([module]);
  const fingerprintOf = async (name: 'orders' | 'stock', environment: 'test' | 'live' = 'test') => {
    const tokens = app.get<TokenProvider<string, string>>(cluster.tokenProviderToken(name, environment));
    return (await tokens.getToken()).fingerprint;
  };
  return { fingerprintOf };
}

async function givenProcesses() {
  const simulated = await startSimulatorOf(cluster);
  const process = async (sealKey = SEAL_KEY) => {
    const store = new RedisTokenStore(await storeClient(), { timeoutMs: 2_000, sealKey });
    return appWith(cluster.Module.forRoot(simulated.options({ store })));
  };
  return { simulated, process };
}

it('B32: processes without a secret share a token through Redis, each client its own', async () => {
  const { simulated, process } = await givenProcesses();
  const [one, other] = [await process(), await process()];
  const fingerprints = new Set<string>();
  for (const name of ['orders', 'stock'] as const)
    for (const environment of ['test', 'live'] as const) {
      const fingerprint = await one.fingerprintOf(name, environment);
      await expect.poll(entryKeys, POLL).toHaveLength(fingerprints.size + 1);
      expect(await other.fingerprintOf(name, environment)).toBe(fingerprint);
      fingerprints.add(fingerprint);
    }
  expect(fingerprints.size).toBe(4);
  expect(simulated.tokenRequests).toHaveLength(4);
});

it('B32: Redis has nothing of an assertion, of a certificate or its key, of the seal key, or of a token', async () => {
  const { simulated, process } = await givenProcesses();
  const one = await process();
  await one.fingerprintOf('orders');
  await one.fingerprintOf('stock');
  await expect.poll(entryKeys, POLL).toHaveLength(2);
  const { clientId, clientKey = '' } = simulated.credentials('stock', 'test');
  const scanner = new CanaryScanner({
    'seal key': SEAL_KEY,
    'client id': clientId.slice(-12),
    key: clientKey.split('\n')[2] ?? '',
  });
  for (const { fields, token = '' } of simulated.tokenRequests) {
    scanner.add('token', token);
    const [, payload = '', signature = ''] = (fields['client_assertion'] ?? '').split('.');
    if (payload === '') continue;
    scanner.add('payload', payload);
    scanner.add('signature', signature);
  }
  const keys = await entryKeys();
  const stored = await Promise.all(keys.map(async (key) => [key, await admin.get(key)]));
  expect(scanner.scan(stored)).toEqual([]);
});
