import { Test } from '@nestjs/testing';
import { Module } from '@nestjs/common';
import {
  getTokenProviderToken,
  ProviderAuthModule,
  providerAuthConfig,
  type TokenProvider,
} from 'nestjs-provider-auth';
import { ProviderAuthTestingModule } from 'nestjs-provider-auth/testing';
import { report } from '../case.js';
import { warehouse } from '../checkout.js';

@Module({
  imports: [
    ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
    warehouse.Module.forRootAsync(warehouse.config.asProvider()),
  ],
})
class AppModule {}

// THE BLOCK

const tokens = [getTokenProviderToken('easy'), warehouse.tokenProviderToken('stock')].map((token) =>
  app.get<TokenProvider>(token).getToken(),
);
report((await Promise.all(tokens)).map((token) => token.reveal()));
await app.close();
