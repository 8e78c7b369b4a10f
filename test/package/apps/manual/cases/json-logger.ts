import { ConsoleLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report } from '../case.js';

@Module({ imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())] })
class AppModule {}

// THE BLOCK

await app
  .get(EasyHttpService)
  .axiosRef.get('/payments/1')
  .catch((error: { code?: string }) => report(error.code));
await app.close();
