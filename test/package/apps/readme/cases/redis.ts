import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  EasyHttpService,
  type ProviderAuthOptions,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { start, tell } from '../case.js';

// THE BLOCK

const app = await start(AppModule);
const { status } = await app.get(EasyHttpService).axiosRef.get('/payments/1');
tell({ status, keys: (await redis.keys('*')).filter((key) => key.startsWith('provider-auth:')).length });
await app.close();
redis.disconnect();
