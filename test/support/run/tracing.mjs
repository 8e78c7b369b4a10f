import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { register } from 'node:module';

// Import this file before everything else, as applications do with tracing. With TRACING_HOOK=yes it also registers the hook
// for ES modules from the documentation of OpenTelemetry.
// OpenTelemetry documents this call, and Node 26 deprecates it (DEP0205). Other warnings stay visible.
process.noDeprecation = true;
if (process.env.TRACING_HOOK === 'yes') register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
process.noDeprecation = false;

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(tracerProvider);
propagation.setGlobalPropagator({
  inject(active, headers, setter) {
    const span = trace.getSpanContext(active);
    if (span) setter.set(headers, 'traceparent', `00-${span.traceId}-${span.spanId}-0${span.traceFlags}`);
  },
  extract: (active) => active,
  fields: () => ['traceparent'],
});
const instrumentations = [
  new HttpInstrumentation({ disableIncomingRequestInstrumentation: true }),
  new UndiciInstrumentation(),
];
for (const instrumentation of instrumentations) {
  instrumentation.setTracerProvider(tracerProvider);
  instrumentation.enable();
}

/** Does some work within a span, as the handler of an incoming request does. */
globalThis.traced = (name, work) =>
  trace.getTracer('application').startActiveSpan(name, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });

/** Prints the content of all spans. */
globalThis.printSpans = () => {
  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    by: span.instrumentationScope.name,
    id: span.spanContext().spanId,
    trace: span.spanContext().traceId,
    parent: span.parentSpanContext?.spanId,
    attributes: span.attributes,
    events: span.events,
    status: span.status,
  }));
  console.log(JSON.stringify(spans));
};
