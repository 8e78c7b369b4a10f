import type { Agent } from 'node:https';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { CheckoutService } from './checkout.service.js';

@Module({ providers: [CheckoutService] })
export class AppModule {
  /**
   * An application whose provider has a publicly trusted certificate imports
   * `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())` and needs nothing else. The simulator has a
   * certificate authority of its own: its agent is added to what the environment says.
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
