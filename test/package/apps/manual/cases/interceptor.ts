import { randomUUID } from 'node:crypto';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

// THE BLOCK

@Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [RequestIds],
})
class AppModule {}

const app = await start(AppModule);
const easy = app.get(EasyHttpService);
const first = await firstValueFrom(easy.get('/payments/1'));
easy.axiosRef.interceptors.request.clear();
const second = await firstValueFrom(easy.get('/payments/2'));
report([first.status, second.status]);
await app.close();
