import { Module } from '@nestjs/common';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
metrics.setGlobalMeterProvider(meters);

// THE BLOCK

const app = await start(AppModule);
await app.get(EasyHttpService).axiosRef.get('/payments/1');
await meters.forceFlush();
const measured = exporter
  .getMetrics()
  .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
report(measured.map(({ descriptor }) => descriptor.name).toSorted());
await app.close();
await meters.shutdown();
