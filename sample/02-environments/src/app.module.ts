import type { Agent } from 'node:https';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { LendingService } from './lending.service.js';

@Module({ providers: [LendingService] })
export class AppModule {
  /** The agent trusts the certificate authority of the simulator. All other options come from the environment. */
  static trusting(httpsAgent: Agent): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ProviderAuthModule.forRootAsync({
          imports: [ConfigModule.forFeature(providerAuthConfig)],
          inject: [providerAuthConfig.KEY],
          useFactory: (fromEnvironment: ProviderAuthOptions) => ({
            ...fromEnvironment,
            http: { httpsAgent },
          }),
        }),
      ],
    };
  }
}
