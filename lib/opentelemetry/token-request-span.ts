import { context, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { TOKEN_REQUEST_METHOD } from '../catalogue/wire.js';
import type { TokenRequestEvent } from '../events/provider-auth-events.js';

/** A token request as a span. It is told when it has ended, so its span begins and ends in the past. */
export function recordSpan(tracer: Tracer, event: TokenRequestEvent): void {
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
