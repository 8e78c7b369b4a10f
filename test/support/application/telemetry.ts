import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** An OpenTelemetry SDK as an application registers it before it starts; everything ends with the test. */
export class TestTelemetry {
  readonly prometheus = new PrometheusExporter({ preventServerStart: true });
  readonly #metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #spanExporter = new InMemorySpanExporter();
  readonly #meters = new MeterProvider({
    readers: [
      new PeriodicExportingMetricReader({ exporter: this.#metricExporter, exportIntervalMillis: 1_000_000 }),
      this.prometheus,
    ],
  });
  readonly #tracers = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#spanExporter)],
  });

  static register(): TestTelemetry {
    const telemetry = new TestTelemetry();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    metrics.setGlobalMeterProvider(telemetry.#meters);
    trace.setGlobalTracerProvider(telemetry.#tracers);
    onTestFinished(async () => {
      context.disable();
      metrics.disable();
      trace.disable();
      await telemetry.#meters.shutdown();
      await telemetry.#tracers.shutdown();
    });
    return telemetry;
  }

  get spans(): ReadableSpan[] {
    return this.#spanExporter.getFinishedSpans();
  }

  /** All metrics as they stand. */
  async metrics(): Promise<MetricData[]> {
    this.#metricExporter.reset();
    await this.#meters.forceFlush();
    const latest = this.#metricExporter.getMetrics().at(-1);
    return latest?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  }

  /** A metric as `{ 'reason=cold outcome=ok': 1 }`: sums and gauges as they are, of a histogram how many it counted. */
  async numbers(name: string, ...attributes: readonly string[]): Promise<Record<string, number>> {
    const metric = (await this.metrics()).find(({ descriptor }) => descriptor.name === name);
    const numbers: Record<string, number> = {};
    for (const { attributes: labels, value } of pointsOf(metric)) {
      const key = attributes.map((attribute) => `${attribute}=${String(labels[attribute])}`).join(' ');
      numbers[key] = (numbers[key] ?? 0) + value;
    }
    return numbers;
  }
}

function pointsOf(metric: MetricData | undefined) {
  if (metric?.dataPointType === DataPointType.SUM || metric?.dataPointType === DataPointType.GAUGE)
    return metric.dataPoints;
  if (metric?.dataPointType === DataPointType.HISTOGRAM)
    return metric.dataPoints.map(({ attributes, value }) => ({ attributes, value: value.count }));
  return [];
}
