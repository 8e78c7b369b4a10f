import { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  EasyHttpService,
  InjectProviderHttp,
  InjectTokenProvider,
  ProviderAuthModule,
  ProviderAuthService,
  providerAuthConfig,
  TokenProvider,
} from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

// THE BLOCK

@Module({
  imports: [ConfigModule.forRoot(), ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [DrillService],
})
class AppModule {}

const app = await start(AppModule);
const service = app.get(DrillService);
const active = await firstValueFrom(service['easy'].get('/payments/1'));
const drill = await firstValueFrom(service['drill'].get('/applications/1'));
const { interface: name, environment } = service['tokens'];
report({
  active: `${active.data.interface} ${active.data.environment}`,
  drill: `${drill.data.interface} ${drill.data.environment}`,
  tokens: `${name} ${environment}`,
  all: service['auth'].status().length,
});
await app.close();
