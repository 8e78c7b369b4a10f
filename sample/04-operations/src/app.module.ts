import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { type ProviderAuthOptions, ProviderAuthModule } from 'nestjs-provider-auth';
import { ProviderAuthTelemetryModule } from 'nestjs-provider-auth/opentelemetry';
import { ProviderAuthHealthIndicator } from 'nestjs-provider-auth/terminus';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { PaymentsController } from './payments.controller.js';

@Module({
  // Terminus would log each failed health check. The library logs an outage once.
  imports: [TerminusModule.forRoot({ logger: false }), ProviderAuthTelemetryModule.forRoot()],
  controllers: [HealthController, MetricsController, PaymentsController],
  providers: [ProviderAuthHealthIndicator],
})
export class AppModule {
  /** Your application takes its options from the environment, as in 01-quick-start. */
  static with(options: ProviderAuthOptions, exporter: PrometheusExporter): DynamicModule {
    return {
      module: AppModule,
      imports: [ProviderAuthModule.forRoot(options)],
      providers: [{ provide: PrometheusExporter, useValue: exporter }],
    };
  }
}
