import { Injectable, Module } from '@nestjs/common';
import {
  InjectProviderFetch,
  ProviderAuthModule,
  providerAuthConfig,
  type ProviderFetch,
} from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

// THE BLOCK

@Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [PaymentsService],
})
class AppModule {}

const app = await start(AppModule);
const payments = app.get(PaymentsService);
const first = await payments.pay(1);
await step('revoke');
const second = await payments.pay(2);
report([first.status, second.status]);
await app.close();
