import { Injectable, Module } from '@nestjs/common';
import {
  type AccountCredentials,
  EasyHttpService,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const ORDERS_ID = process.env.ACCOUNT_ID ?? '';
const ORDERS_SECRET = process.env.ACCOUNT_SECRET ?? '';

// THE BLOCK

const app = await start(AppModule);
const easy = app.get(EasyHttpService);
await easy.for({ account: 'merchant-42' }).axiosRef.get('/payments/1');
const lost = await easy
  .for({ account: 'merchant-43' })
  .fetch('/payments/1')
  .catch((error: { code: string }) => error.code);
report(lost);
await app.close();
