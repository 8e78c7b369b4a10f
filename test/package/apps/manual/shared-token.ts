import { setTimeout as wait } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { EasyHttpService } from 'nestjs-provider-auth';
import { report, step } from './case.js';

interface RedisKeys {
  ping(): Promise<unknown>;
  keys(pattern: string): Promise<string[]>;
}

/** Sends requests until the token is in Redis. Reports the statuses and the number of keys. Without Redis, reports one status. */
export async function reportSharedToken(app: INestApplicationContext, redis: RedisKeys): Promise<void> {
  const { axiosRef } = app.get(EasyHttpService);
  if (process.env['EXPECT_REDIS'] === 'no')
    return report({ status: (await axiosRef.get('/payments/1')).status });
  await redis.ping();
  const keys = async () => (await redis.keys('*')).filter((key) => key.startsWith('provider-auth:'));
  const statuses = [(await axiosRef.get('/payments/1')).status];
  // On a busy machine the first round trip may take longer than a process waits for Redis. The process then works without Redis for a while.
  while ((await keys()).length === 0) {
    await step('revoke');
    await wait(200);
    statuses.push((await axiosRef.get('/payments/1')).status);
  }
  report({ statuses: [...new Set(statuses)], keys: (await keys()).length });
}
