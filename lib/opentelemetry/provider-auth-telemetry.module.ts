import { type DynamicModule, Module } from '@nestjs/common';
import { TelemetrySubscription } from './telemetry-subscription.js';

/**
 * Turns what happens to tokens into OpenTelemetry's metrics and spans, by way of whatever SDK the application has
 * registered before it starts.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()), ProviderAuthTelemetryModule.forRoot()]
 */
@Module({})
export class ProviderAuthTelemetryModule {
  /** Records from the start of the application until it has closed. */
  static forRoot(): DynamicModule {
    return { module: ProviderAuthTelemetryModule, providers: [TelemetrySubscription] };
  }
}
