import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  EasyHttpService,
  type ProviderAuthOptions,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { report, start } from '../case.js';

// THE BLOCK

const app = await start(AppModule);
const { axiosRef } = app.get(EasyHttpService);
await axiosRef.get('/payments/1');
report({ timeout: axiosRef.defaults.timeout });
await app.close();
