import type { Agent } from 'node:https';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { CheckoutService } from './checkout.service.js';

@Module({ providers: [CheckoutService] })
export class AppModule {
  /**
   * If your provider has a publicly trusted certificate, import
   * `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())`. You need nothing else. The simulator has its own
   * certificate authority, so this module adds an agent to the options from the environment.
   */
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
