import { Injectable, Module } from '@nestjs/common';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { firstValueFrom, map } from 'rxjs';
import { report, start } from '../case.js';

interface Refund {
  readonly path: string;
}

// THE BLOCK

@Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [PaymentsService],
})
class AppModule {}

const app = await start(AppModule);
report((await firstValueFrom(app.get(PaymentsService).refund('1'))).path);
await app.close();
