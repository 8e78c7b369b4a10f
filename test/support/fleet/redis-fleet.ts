import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { afterAll, beforeEach } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { CapturedLogs } from '../secrets/captured-logs.js';
import { RedisServer } from './redis-server.js';

export interface RedisFleet {
  readonly provider: ProviderSimulator;
  readonly redis: RedisServer;
  /** A client for the test's own commands. */
  readonly admin: Redis;
  /** What the library has logged in this test. */
  readonly logs: CapturedLogs;
}

/**
 * Starts one provider and one Redis for all tests of a file, and closes them at its end. Each test begins with an empty
 * Redis, a provider without scripts and records, and an empty log, also if the test before has failed while Redis was down.
 * A test that changes the settings of Redis restores them with `onTestFinished`.
 */
export async function startRedisFleet(): Promise<RedisFleet> {
  const logs = new CapturedLogs();
  const provider = await ProviderSimulator.start();
  const redis = await RedisServer.start();
  const admin = await redis.connected();
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
  return { provider, redis, admin, logs };
}
