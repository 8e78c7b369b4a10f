import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { afterAll, beforeEach } from 'vitest';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { CapturedLogs } from '../secrets/captured-logs.js';
import { FleetNode, type NodeSettings, settingsFor } from './fleet-node.js';
import { RedisServer } from './redis-server.js';
import { storedKeys } from './stored-keys.js';

interface NodePlan extends Partial<NodeSettings> {
  /** @default one of the kind of this run */
  readonly client?: ConstructorParameters<typeof RedisTokenStore>[0];
  /** How long it waits for Redis. */
  readonly patienceMs?: number;
}

/**
 * Starts one provider and one Redis for all tests of a file, and closes them at its end. Each test begins with an empty
 * Redis, a provider without scripts and records, and an empty log, also if the test before has failed while Redis was down.
 * A test that changes the settings of Redis restores them with `onTestFinished`.
 */
export async function startRedisFleet() {
  const logs = new CapturedLogs();
  const provider = await ProviderSimulator.start();
  const redis = await RedisServer.start();
  /** A client for the test's own commands. */
  const admin: Redis = await redis.connected();
  beforeEach(async () => {
    await redis.launch();
    await redis.closeStoreClients();
    provider.reset();
    Logger.overrideLogger(logs);
    await admin.flushall();
    // Last, because closing a client may end a command of the test before, and its process then logs that.
    logs.lines.length = 0;
  });
  afterAll(async () => {
    await redis.close();
    await provider.close();
  });
  return {
    provider,
    redis,
    admin,
    logs,
    /** A process with its own client. */
    node: async ({ client, patienceMs = 2_000, ...settings }: NodePlan = {}): Promise<FleetNode> => {
      const given = client ?? (await redis.storeClient());
      const store = new RedisTokenStore(given, { timeoutMs: patienceMs });
      return new FleetNode(store, { ...settingsFor(provider), ...settings });
    },
    /** What the library has logged in this test. */
    said: (): string[] => logs.of('ProviderAuth'),
    entryKeys: (): Promise<string[]> => storedKeys(admin, 'entry'),
  };
}
