import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Controller, Get, Inject, Module, Req, Res, ServiceUnavailableException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { catchError, map, type Observable } from 'rxjs';
import { onTestFinished } from 'vitest';
import {
  EasyHttpService,
  ProviderAuthModule,
  type ProviderAuthOptions,
  TokenRequestError,
} from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { PinoLogger } from '../../../sample/04-operations/src/pino-logger.js';
import { startSimulator } from './simulator.js';
import { TestTelemetry } from './telemetry.js';

@Controller()
class OperatedController {
  constructor(
    @Inject(EasyHttpService) private readonly easy: EasyHttpService,
    @Inject(HealthCheckService) private readonly checks: HealthCheckService,
    @Inject(ProviderAuthHealthIndicator) private readonly indicator: ProviderAuthHealthIndicator,
    @Inject(PrometheusExporter) private readonly exporter: PrometheusExporter,
  ) {}

  @Get('payments')
  payments(): Observable<unknown> {
    return this.easy.get<unknown>('/payments').pipe(
      map(({ data }) => data),
      catchError((error: unknown) => {
        throw error instanceof TokenRequestError ? new ServiceUnavailableException() : error;
      }),
    );
  }

  @Get('health')
  health(): Promise<HealthCheckResult> {
    return this.checks.check([() => this.indicator.isHealthy('provider')]);
  }

  @Get('metrics')
  metrics(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    this.exporter.getMetricsRequestHandler(request, response);
  }
}

/** One line of pino. Without a formatter these are its members. */
export interface PinoLine {
  readonly level: number;
  readonly time: number;
  readonly context: string;
  readonly msg: string;
}

/** One sample of `/metrics`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * A real application with everything that an operator uses: `/health` by terminus, `/metrics` by OpenTelemetry's exporter for
 * Prometheus, and the log of pino. Customers call `/payments`, which calls easy sandbox of a simulator.
 */
export class OperatedApp {
  private constructor(
    readonly origin: string,
    readonly provider: ProviderSimulator,
    /** All lines of the log, as pino writes them. */
    readonly log: readonly string[],
  ) {}

  static async start(options: Partial<ProviderAuthOptions> = {}): Promise<OperatedApp> {
    const { prometheus } = TestTelemetry.register();
    const provider = await startSimulator();
    const log: string[] = [];

    @Module({
      imports: [
        ProviderAuthModule.forRoot(provider.options(options)),
        ProviderAuthTelemetryModule.forRoot(),
        // Terminus would log each failed check.
        TerminusModule.forRoot({ logger: false }),
      ],
      controllers: [OperatedController],
      providers: [ProviderAuthHealthIndicator, { provide: PrometheusExporter, useValue: prometheus }],
    })
    class AppModule {}

    const app = await NestFactory.create(AppModule, {
      logger: new PinoLogger((line) => void log.push(line)),
    });
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    return new OperatedApp(await app.getUrl(), provider, log);
  }

  /** A customer's call. Returns its status. */
  async payment(): Promise<number> {
    const response = await fetch(`${this.origin}/payments`);
    await response.text();
    return response.status;
  }

  /** Customers call all the time, until the test ends. */
  serveCustomers(everyMs: number): void {
    const ending = new AbortController();
    const serving = (async () => {
      while (!ending.signal.aborted) {
        await this.payment();
        await wait(everyMs);
      }
    })();
    onTestFinished(async () => {
      ending.abort();
      await serving;
    });
  }

  /** The status of `/health`, and its report about the provider. */
  async health(): Promise<{ status: number; provider: Record<string, unknown> }> {
    const response = await fetch(`${this.origin}/health`);
    const { details } = (await response.json()) as HealthCheckResult;
    return { status: response.status, provider: { ...details['provider'] } };
  }

  /** What Prometheus reads. */
  async metrics(): Promise<string> {
    return (await fetch(`${this.origin}/metrics`)).text();
  }

  async samples(): Promise<readonly Sample[]> {
    return [...(await this.metrics()).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name = '', labels = '', value]) => ({
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]),
        ),
        value: Number(value),
      }),
    );
  }

  /** The lines of the log that come from the library, without the lines of the boot. */
  lines(): readonly PinoLine[] {
    return this.log
      .map((line) => JSON.parse(line) as PinoLine)
      .filter(({ context, msg }) => context === 'ProviderAuth' && !msg.includes(' is active ('));
  }
}
