import { Injectable, Module } from '@nestjs/common';
import {
  type AccessToken,
  InjectTokenProvider,
  ProviderAuthModule,
  providerAuthConfig,
  TokenProvider,
} from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

process.env['FILES_URL'] = `${process.env['PROVIDER_EASY_SANDBOX_BASE_URL']}/exports`;

// THE BLOCK

@Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [ExportService],
})
class AppModule {}

const app = await start(AppModule);
const exports = app.get(ExportService);
const first = await exports.download('1');
await step('revoke');
const second = await exports.download('1');
report([first.status, second.status]);
await app.close();
