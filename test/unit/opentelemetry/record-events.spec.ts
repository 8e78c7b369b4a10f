import { channel } from 'node:diagnostics_channel';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { MetricData } from '@opentelemetry/sdk-metrics';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProviderStatus, TokenRequestEvent } from '../../../lib/index.js';
import type { AskedPair } from '../../../lib/module/client.js';
import { recordEvents } from '../../../lib/opentelemetry/record-events.js';
import { TestTelemetry } from '../../support/application/telemetry.js';

const NOW = Date.parse('2030-01-01T00:00:00.000Z');

const STATUS: ProviderStatus = { interface: 'easy', environment: 'sandbox', active: true, state: 'valid' };

const REQUEST: TokenRequestEvent = {
  provider: 'provider',
  interface: 'easy',
  environment: 'sandbox',
  reason: 'cold',
  outcome: 'ok',
  attempt: 1,
  startedAt: NOW,
  durationMs: 20,
};

const pairOf = (status: ProviderStatus): AskedPair => ({
  provider: 'provider',
  status: () => status,
  isInUse: () => true,
});

function recording(...statuses: readonly ProviderStatus[]): TestTelemetry {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const telemetry = TestTelemetry.register();
  onTestFinished(recordEvents(() => statuses.map(pairOf)));
  return telemetry;
}

async function metric(telemetry: TestTelemetry, name: string): Promise<MetricData | undefined> {
  return (await telemetry.metrics()).find(({ descriptor }) => descriptor.name === `provider_auth.${name}`);
}

async function values(telemetry: TestTelemetry, name: string): Promise<unknown[]> {
  return (await metric(telemetry, name))?.dataPoints.map(({ value }) => value) ?? [];
}

describe('recordEvents', () => {
  it('S8: describes each gauge in a sentence', async () => {
    const certificateEndsAt = new Date(NOW + 1000);
    const telemetry = recording({ ...STATUS, store: 'ok', certificateEndsAt });
    const described = await telemetry.metrics();
    expect(described.map(({ descriptor: { name, description, unit } }) => [name, description, unit])).toEqual(
      [
        [
          'provider_auth.provider.failing',
          'Whether callers get an error instead of a token: 1 if they do, else 0.',
          '',
        ],
        [
          'provider_auth.api.failing',
          'Whether the API cannot be reached, refuses every token, or answers with errors only: 1 if so, else 0.',
          '',
        ],
        [
          'provider_auth.store.failing',
          'Whether the shared token store fails for this process: 1 if it does, else 0.',
          '',
        ],
        [
          'provider_auth.certificate.remaining',
          'Time until the client certificate ends. Negative after its end.',
          's',
        ],
      ],
    );
  });

  it('S8: the remaining time is that of the certificate which ends first, in seconds', async () => {
    const telemetry = recording(
      { ...STATUS, certificateEndsAt: new Date(NOW + 90_400) },
      { ...STATUS, interface: 'originations' },
      { ...STATUS, certificateEndsAt: new Date(NOW + 30_600) },
    );
    const remaining = await metric(telemetry, 'certificate.remaining');
    expect(remaining?.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ provider: 'provider', interface: 'easy', environment: 'sandbox' }, 31],
    ]);
  });

  it('S8: without a certificate or a store there is no such metric', async () => {
    const telemetry = recording(STATUS);
    expect(await values(telemetry, 'certificate.remaining')).toEqual([]);
    expect(await values(telemetry, 'store.failing')).toEqual([]);
    expect(await values(telemetry, 'provider.failing')).toEqual([0]);
  });

  it('B33: all accounts of a pair count as the pair', async () => {
    const telemetry = recording(STATUS);
    channel('provider-auth:token-request').publish({ ...REQUEST, account: 'merchant-0' });
    channel('provider-auth:token-request').publish({ ...REQUEST, account: 'merchant-1' });
    const requests = await metric(telemetry, 'token.requests');
    expect(requests?.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ provider: 'provider', interface: 'easy', environment: 'sandbox', reason: 'cold', outcome: 'ok' }, 2],
    ]);
  });

  it('sorts durations by the bounds that OpenTelemetry recommends for HTTP', async () => {
    const telemetry = recording(STATUS);
    channel('provider-auth:token-request').publish(REQUEST);
    const duration = await metric(telemetry, 'token.request.duration');
    expect(duration?.dataPoints[0]?.value).toMatchObject({
      count: 1,
      sum: 0.02,
      buckets: { boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
    });
  });

  it('a span is of a client, and has the attributes, the start and the end of the request', () => {
    const telemetry = recording(STATUS);
    channel('provider-auth:token-request').publish({ ...REQUEST, startedAt: NOW - 20 });
    const [span] = telemetry.spans;
    expect(span).toMatchObject({
      name: 'provider_auth.token.request',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
      startTime: [NOW / 1000 - 1, 980_000_000],
      endTime: [NOW / 1000, 0],
      attributes: {
        provider: 'provider',
        interface: 'easy',
        environment: 'sandbox',
        reason: 'cold',
        outcome: 'ok',
        attempt: 1,
        'http.request.method': 'POST',
      },
    });
    expect(span?.attributes).not.toHaveProperty('error.type');
  });

  it.each([
    [
      'the error of the endpoint',
      { outcome: 'rejected', status: 401, oauthError: 'invalid_client' },
      'invalid_client',
    ],
    ['the status without one', { outcome: 'unavailable', status: 503 }, '503'],
    ['the outcome without an answer', { outcome: 'unavailable' }, 'unavailable'],
  ] as const)('a span of a failed request names %s', (_, failure, type) => {
    const telemetry = recording(STATUS);
    channel('provider-auth:token-request').publish({ ...REQUEST, ...failure });
    const [span] = telemetry.spans;
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span?.attributes['error.type']).toBe(type);
    expect(Object.hasOwn(span?.attributes ?? {}, 'http.response.status_code')).toBe('status' in failure);
  });

  it.each([
    ['cold', true],
    ['ahead', false],
  ] as const)('a span of a %s request belongs to the caller: %s', (reason, belongs) => {
    const telemetry = recording(STATUS);
    const caller = trace.getTracer('test').startSpan('checkout');
    context.with(trace.setSpan(context.active(), caller), () =>
      channel('provider-auth:token-request').publish({ ...REQUEST, reason }),
    );
    const parent = telemetry.spans[0]?.parentSpanContext?.spanId;
    expect(parent).toBe(belongs ? caller.spanContext().spanId : undefined);
  });

  it('records nothing after it was stopped', async () => {
    const telemetry = TestTelemetry.register();
    recordEvents(() => [pairOf(STATUS)])();
    channel('provider-auth:token-request').publish(REQUEST);
    expect(telemetry.spans).toEqual([]);
    expect(await telemetry.metrics()).toEqual([]);
  });
});
