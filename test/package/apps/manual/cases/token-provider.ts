import { Injectable, Module } from '@nestjs/common';
import {
  type AccessToken,
  InjectTokenProvider,
  ProviderAuthModule,
  providerAuthConfig,
  TokenProvider,
} from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

// THE BLOCK

@Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [ExportService],
})
class AppModule {}

const app = await start(AppModule);
const exports = app.get(ExportService);
const url = `${process.env['PROVIDER_EASY_SANDBOX_BASE_URL']}/exports/1`;
const first = await exports.download(url);
await step('revoke');
const second = await exports.download(url);
report([first.status, second.status]);
await app.close();
