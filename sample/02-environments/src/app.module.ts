import type { Agent } from 'node:https';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { LendingService } from './lending.service.js';

@Module({ providers: [LendingService] })
export class AppModule {
  /** The agent is for the simulator's own certificate authority; everything else comes from the environment. */
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
