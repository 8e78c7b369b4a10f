import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import {
  EasyHttpService,
  OriginationsHttpService,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { report } from '../case.js';

// THE BLOCK

@Module({ imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()), HealthModule] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
await app.listen(0, '127.0.0.1');
const health = async () => {
  const answer = await fetch(`${await app.getUrl()}/health`);
  return { status: answer.status, body: (await answer.json()) as { details: object } };
};
const before = await health();
await app.get(OriginationsHttpService).axiosRef.get('/applications/1');
await app
  .get(EasyHttpService)
  .axiosRef.get('/payments/1')
  .catch(() => undefined);
const after = await health();
report({ before: before.status, after: after.status, details: after.body.details });
await app.close();
