import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  context,
  type Counter,
  type Histogram,
  type Meter,
  metrics,
  type ObservableGauge,
  type ObservableResult,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  ValueType,
} from '@opentelemetry/api';
import { TOKEN_REQUEST_METHOD } from '../catalogue/wire.js';
import type { ProviderAuthEvents, TokenRequestEvent } from '../events/provider-auth-events.js';
import { PACKAGE } from '../provider-auth.constants.js';
import type { ProviderAuthService } from '../provider-auth.service.js';
import type { TokenStatus } from '../token/token-provider.js';

/** What tells the state of tokens without asking anybody. */
export type StatusSource = Pick<ProviderAuthService, 'status'>;

/** Starts to record; the function returned ends it. The services are read whenever the metrics are collected. */
export function recordEvents(services: ReadonlySet<StatusSource>): () => void {
  const { tokenRequests, tokenRequestDuration, tokenCache, httpUnauthorized, ...gauges } = createInstruments(
    metrics.getMeter(PACKAGE.name, PACKAGE.version),
  );
  const tracer = trace.getTracer(PACKAGE.name, PACKAGE.version);
  const ends = [
    on('provider-auth:token-request', (event) => {
      const attributes = {
        interface: event.interface,
        environment: event.environment,
        reason: event.reason,
        outcome: event.outcome,
      };
      tokenRequests.add(1, attributes);
      tokenRequestDuration.record(event.durationMs / 1000, attributes);
      recordSpan(tracer, event);
    }),
    on('provider-auth:token-cache', ({ interface: name, environment, result }) => {
      tokenCache.add(1, { interface: name, environment, result });
    }),
    on('provider-auth:http-unauthorized', ({ interface: name, environment, outcome }) => {
      httpUnauthorized.add(1, { interface: name, environment, outcome });
    }),
    observeFailures(gauges, services),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function on<Name extends keyof ProviderAuthEvents>(
  name: Name,
  record: (event: ProviderAuthEvents[Name]) => void,
): () => void {
  const listener = (message: unknown): void => record(message as ProviderAuthEvents[Name]);
  subscribe(name, listener);
  return () => unsubscribe(name, listener);
}

/**
 * Reports what fails at the moment of each collection. Several applications of one process are one process to a metric:
 * a pair fails where it fails for one of them.
 */
function observeFailures(
  { providerFailing, storeFailing }: Pick<Instruments, 'providerFailing' | 'storeFailing'>,
  services: ReadonlySet<StatusSource>,
): () => void {
  const statuses = (): TokenStatus[] => [...services].flatMap((service) => service.status());

  const observePairs = (result: ObservableResult): void => {
    const pairs = new Map<string, TokenStatus[]>();
    for (const status of statuses()) {
      const pair = `${status.interface} ${status.environment}`;
      pairs.set(pair, [...(pairs.get(pair) ?? []), status]);
    }
    for (const [status, ...others] of pairs.values()) {
      if (status === undefined) continue;
      const fails = [status, ...others].some(({ state }) => state === 'failing');
      result.observe(Number(fails), { interface: status.interface, environment: status.environment });
    }
  };
  const observeStore = (result: ObservableResult): void => {
    const stores = statuses().flatMap(({ store }) => store ?? []);
    if (stores.length > 0) result.observe(Number(stores.includes('failing')));
  };

  providerFailing.addCallback(observePairs);
  storeFailing.addCallback(observeStore);
  return () => {
    providerFailing.removeCallback(observePairs);
    storeFailing.removeCallback(observeStore);
  };
}

/** A token request as a span. It is told when it has ended, so its span begins and ends in the past. */
function recordSpan(tracer: Tracer, event: TokenRequestEvent): void {
  const { interface: name, environment, reason, outcome, attempt, status, oauthError } = event;
  const failed = outcome !== 'ok';
  const span = tracer.startSpan(
    'provider_auth.token.request',
    {
      kind: SpanKind.CLIENT,
      startTime: event.startedAt,
      // Nobody waits for a renewal ahead of time: the active context is that of the request which brought the token
      // before, and has ended long ago.
      root: reason === 'ahead',
      attributes: {
        interface: name,
        environment,
        reason,
        outcome,
        attempt,
        'http.request.method': TOKEN_REQUEST_METHOD,
        ...(status !== undefined && { 'http.response.status_code': status }),
        ...(failed && { 'error.type': oauthError ?? status?.toString() ?? outcome }),
      },
    },
    context.active(),
  );
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(event.startedAt + event.durationMs);
}

/** Bounds that OpenTelemetry recommends for the duration of HTTP requests, in seconds. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

interface Instruments {
  readonly tokenRequests: Counter;
  readonly tokenRequestDuration: Histogram;
  readonly tokenCache: Counter;
  readonly httpUnauthorized: Counter;
  readonly providerFailing: ObservableGauge;
  readonly storeFailing: ObservableGauge;
}

/** @see https://opentelemetry.io/docs/specs/semconv/general/metrics/#instrument-units for units in braces */
function createInstruments(meter: Meter): Instruments {
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
