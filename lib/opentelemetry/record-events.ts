import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  context,
  metrics,
  type Meter,
  type ObservableResult,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  ValueType,
} from '@opentelemetry/api';
import type { AnyPair } from '../catalogue/catalogue.js';
import { TOKEN_REQUEST_METHOD } from '../catalogue/wire.js';
import type { ProviderAuthEvents, TokenRequestEvent } from '../events/provider-auth-events.js';
import { PACKAGE } from '../module/package.js';
import type { AskedPair, ProviderStatus } from '../module/client.js';

/** The status of a pair, and the provider that the pair belongs to. */
type StatusOfProvider = ProviderStatus<string, string> & {
  readonly provider: string;
  readonly isInUse: boolean;
};

/** The bounds that OpenTelemetry recommends for the duration of HTTP requests, in seconds. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Starts to record. The returned function stops it. Each collection of the metrics reads the pairs. */
export function recordEvents(pairs: () => readonly AskedPair[]): () => void {
  const meter = metrics.getMeter(PACKAGE.name, PACKAGE.version);
  const tracer = trace.getTracer(PACKAGE.name, PACKAGE.version);
  // Units in braces: https://opentelemetry.io/docs/specs/semconv/general/metrics/#instrument-units
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { description, unit, valueType: ValueType.INT });
  const tokenRequests = counter(
    'provider_auth.token.requests',
    '{request}',
    'Requests to the token endpoints, by the reason for the request and by its outcome.',
  );
  const tokenRequestDuration = meter.createHistogram('provider_auth.token.request.duration', {
    description: 'Duration of requests to the token endpoints, up to the last byte of the response.',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATION_BOUNDS },
  });
  const tokenCache = counter(
    'provider_auth.token.cache',
    '{lookup}',
    'How often a token was needed, by where it came from.',
  );
  const httpUnauthorized = counter(
    'provider_auth.http.unauthorized',
    '{request}',
    'Requests whose token an API refused, by their outcome.',
  );
  const ends = [
    on('provider-auth:token-request', (event) => {
      const { reason, outcome } = event;
      const attributes = { ...pairIn(event), reason, outcome };
      tokenRequests.add(1, attributes);
      tokenRequestDuration.record(event.durationMs / 1000, attributes);
      recordSpan(tracer, event);
    }),
    on('provider-auth:token-cache', (event) => {
      tokenCache.add(1, { ...pairIn(event), result: event.result });
    }),
    on('provider-auth:http-unauthorized', (event) => {
      httpUnauthorized.add(1, { ...pairIn(event), outcome: event.outcome });
    }),
    ...observeStates(meter, pairs),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The attributes of a pair. Never with its account: metrics and spans would have one series for each. */
function pairIn({ provider, interface: name, environment }: Required<Omit<AnyPair, 'account'>>) {
  return { provider, interface: name, environment };
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
 * Reports at each collection the state of each pair at that moment. A metric describes the whole process: a pair fails if it
 * fails in one of its applications.
 */
function observeStates(meter: Meter, pairs: () => readonly AskedPair[]): (() => void)[] {
  const statuses = (): StatusOfProvider[] =>
    pairs().map((pair) => ({ ...pair.status(), provider: pair.provider, isInUse: pair.isInUse() }));

  const observe = (
    name: string,
    description: string,
    report: (result: ObservableResult) => void,
    // With the unit `1`, exporters for Prometheus would add `_ratio` to the name.
    unit = '',
  ): (() => void) => {
    const options = { description, unit, valueType: ValueType.INT };
    const gauge = meter.createObservableGauge(`provider_auth.${name}`, options);
    gauge.addCallback(report);
    return () => gauge.removeCallback(report);
  };

  /** @param valueOf the value of a pair, from its status in each application. Undefined if there is none. */
  const ofPairs =
    (valueOf: (statuses: readonly StatusOfProvider[]) => number | undefined) =>
    (result: ObservableResult): void => {
      const pairs = new Map<string, [StatusOfProvider, ...StatusOfProvider[]]>();
      for (const status of statuses()) {
        const pair = [status.provider, status.interface, status.environment].join(' ');
        pairs.set(pair, [status, ...(pairs.get(pair) ?? [])]);
      }
      for (const ofPair of pairs.values()) {
        const value = valueOf(ofPair);
        if (value !== undefined) result.observe(value, pairIn(ofPair[0]));
      }
    };
  // The module no longer finds out whether a pair works that is not in use: an alert about it would never end.
  const failing = (isFailing: (status: StatusOfProvider) => boolean) =>
    ofPairs((ofPair) => Number(ofPair.some((one) => one.isInUse && isFailing(one))));
  return [
    observe(
      'provider.failing',
      'Whether callers get an error instead of a token: 1 if they do, else 0.',
      failing(({ state }) => state === 'failing'),
    ),
    observe(
      'api.failing',
      'Whether the API cannot be reached, refuses every token, or answers with errors only: 1 if so, else 0.',
      failing(({ apiError }) => apiError !== undefined),
    ),
    observe(
      'store.failing',
      'Whether the shared token store fails for this process: 1 if it does, else 0.',
      (result) => {
        const stores = statuses().flatMap(({ store }) => store ?? []);
        if (stores.length > 0) result.observe(Number(stores.includes('failing')));
      },
    ),
    observe(
      'certificate.remaining',
      'Time until the client certificate ends. Negative after its end.',
      ofPairs((ofPair) => {
        const ends = ofPair.flatMap(({ certificateEndsAt }) => certificateEndsAt?.getTime() ?? []);
        return ends.length === 0 ? undefined : Math.round((Math.min(...ends) - Date.now()) / 1000);
      }),
      's',
    ),
  ];
}

/** Records a token request as a span. The event comes when the request has ended, so the span starts in the past. */
function recordSpan(tracer: Tracer, event: TokenRequestEvent): void {
  const { reason, outcome, attempt, status, oauthError } = event;
  const failed = outcome !== 'ok';
  const span = tracer.startSpan(
    'provider_auth.token.request',
    {
      kind: SpanKind.CLIENT,
      startTime: event.startedAt,
      // No caller waits for a renewal ahead of time. The active context is that in which the module was made.
      root: reason === 'ahead',
      attributes: {
        ...pairIn(event),
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
