import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { metrics, trace } from '@opentelemetry/api';
import type { ProviderAuthEvents } from '../events/provider-auth-events.js';
import { PACKAGE } from '../provider-auth.constants.js';
import { createInstruments } from './instruments.js';
import { observeFailures, type StatusSource } from './observe-failures.js';
import { recordSpan } from './token-request-span.js';

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
