import { setTimeout as wait } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  EasyHttpService,
  type ProviderAuthOptions,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

// THE BLOCK

await redis.ping();
const app = await start(AppModule);
const { axiosRef } = app.get(EasyHttpService);
const keys = async () => (await redis.keys('*')).filter((key) => key.startsWith('provider-auth:'));
const statuses = [(await axiosRef.get('/payments/1')).status];
// On a busy machine the first round trip may take longer than a process waits for Redis. The process then works without Redis for a while.
while ((await keys()).length === 0) {
  await step('revoke');
  await wait(200);
  statuses.push((await axiosRef.get('/payments/1')).status);
}
report({ statuses: [...new Set(statuses)], keys: (await keys()).length });
await app.close();
redis.disconnect();
