import {
  type Counter,
  type Histogram,
  type Meter,
  type ObservableGauge,
  ValueType,
} from '@opentelemetry/api';

/** Bounds that OpenTelemetry recommends for the duration of HTTP requests, in seconds. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export interface Instruments {
  readonly tokenRequests: Counter;
  readonly tokenRequestDuration: Histogram;
  readonly tokenCache: Counter;
  readonly httpUnauthorized: Counter;
  readonly providerFailing: ObservableGauge;
  readonly storeFailing: ObservableGauge;
}

/** @see https://opentelemetry.io/docs/specs/semconv/general/metrics/#instrument-units for units in braces */
export function createInstruments(meter: Meter): Instruments {
  return {
    tokenRequests: meter.createCounter('provider_auth.token.requests', {
      description: 'Requests to the token endpoints, by why a token was needed and how they ended.',
      unit: '{request}',
      valueType: ValueType.INT,
    }),
    tokenRequestDuration: meter.createHistogram('provider_auth.token.request.duration', {
      description: 'Duration of requests to the token endpoints, to the last byte of the answer.',
      unit: 's',
      advice: { explicitBucketBoundaries: DURATION_BOUNDS },
    }),
    tokenCache: meter.createCounter('provider_auth.token.cache', {
      description: 'Times that a token was needed, by where it came from.',
      unit: '{lookup}',
      valueType: ValueType.INT,
    }),
    httpUnauthorized: meter.createCounter('provider_auth.http.unauthorized', {
      description: 'Requests that an API answered with 401, by what became of them.',
      unit: '{request}',
      valueType: ValueType.INT,
    }),
    // Without a unit: exporters for Prometheus would make a ratio of `1`.
    providerFailing: meter.createObservableGauge('provider_auth.provider.failing', {
      description: 'Whether callers get an error in place of a token: 1 while they do, else 0.',
      valueType: ValueType.INT,
    }),
    storeFailing: meter.createObservableGauge('provider_auth.store.failing', {
      description: 'Whether the shared store of tokens fails for this process: 1 while it does, else 0.',
      valueType: ValueType.INT,
    }),
  };
}
