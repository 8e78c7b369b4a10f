import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { TerminusModule } from '@nestjs/terminus';
import { ProviderAuthModule, type ProviderAuthOptions, providerAuthConfig } from 'nestjs-provider-auth';
import { ProviderAuthTelemetryModule } from 'nestjs-provider-auth/opentelemetry';
import { ProviderAuthHealthIndicator } from 'nestjs-provider-auth/terminus';
import { CheckoutService } from './checkout.service.js';
import { PaymentsController } from './payments.controller.js';

@Module({})
export class AppModule {
  /** Configured by the environment, and by code where a trial differs. */
  static with(trial: Partial<ProviderAuthOptions> = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true }),
        ProviderAuthModule.forRootAsync({
          imports: [ConfigModule.forFeature(providerAuthConfig)],
          inject: [providerAuthConfig.KEY],
          useFactory: (options: ProviderAuthOptions) => ({ ...options, ...trial }),
        }),
        ProviderAuthTelemetryModule.forRoot(),
        TerminusModule,
      ],
      controllers: [PaymentsController],
      providers: [CheckoutService, ProviderAuthHealthIndicator],
    };
  }
}
