import { hasSubscribers } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import { type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Inject, Injectable, type INestApplicationContext, Module } from '@nestjs/common';
import { context, trace } from '@opentelemetry/api';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import { validateOptions } from '../../support/application/built-in.js';
import { EasyHttpService, ProviderAuthModule, type ProviderAuthOptions } from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { PACKAGE } from '../../../lib/module/package.js';
import { type ProviderClient, connect } from '../../../lib/module/client.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { fingerprintOf } from '../../../lib/secrets/access-token.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { startSimulator } from '../../support/application/simulator.js';
import { TestTelemetry } from '../../support/application/telemetry.js';
import { MINUTE, Watched } from '../../support/token/token-fixtures.js';

const PAIR = { provider: 'provider', interface: 'easy', environment: 'sandbox' };
/** Longer than every back-off, and shorter than every deadline. */
const LONGEST_BACKOFF_MS = 500;

@Module({ imports: [ProviderAuthTelemetryModule.forRoot()] })
class Watching {}

async function watching(): Promise<INestApplicationContext> {
  return (await bootWith([Watching])).app;
}

async function callingApp(provider: ProviderSimulator, overrides?: Partial<ProviderAuthOptions>) {
  const { app } = await bootWith([Watching, ProviderAuthModule.forRoot(provider.options(overrides))]);
  return { app, easy: app.get(EasyHttpService) };
}

/** A client for easy sandbox with a clock that only the test moves. Tokens live for ten minutes. */
class Hour {
  readonly #client: ProviderClient;

  private constructor(
    readonly provider: ProviderSimulator,
    readonly clock: FakeClock,
    client: ProviderClient,
  ) {
    this.#client = client;
    onTestFinished(() => client.close());
  }

  static async begin(): Promise<Hour> {
    const clock = new FakeClock();
    const provider = await startSimulator({ lifetimeSeconds: 600, now: () => clock.wall() });
    const settings = await validateOptions(provider.options({ token: { renewAheadMs: MINUTE } }));
    const profile = settings.profiles.find(
      ({ interface: name, environment }) => name === 'easy' && environment === 'sandbox',
    );
    if (profile === undefined) throw new Error('easy sandbox is not configured');
    return new Hour(provider, clock, connect(profile, settings, clock));
  }

  /** Sends one call, without waiting for back-offs. Returns the status, or the code of the error. */
  async call(body?: Readable): Promise<unknown> {
    const { http } = this.#client;
    const answer = body ? http.post('/payments', body) : http.get('/payments');
    return this.#hurry(
      firstValueFrom(answer).then(
        ({ status }) => status,
        (error: { code: string; response?: { status: number } }) => error.response?.status ?? error.code,
      ),
    );
  }

  /** Waits until the token of the renewal in the background is in use. */
  async background(requests: number): Promise<void> {
    const isInUse = (): boolean => {
      const token = this.provider.tokenRequests[requests - 1]?.token;
      return token !== undefined && this.#client.tokens.status().fingerprint === fingerprintOf(token);
    };
    while (!isInUse()) await new Promise(setImmediate);
  }

  async #hurry(result: Promise<unknown>): Promise<unknown> {
    const watched = new Watched(result);
    while (watched.state === 'waiting') {
      const [backoff] = this.clock.pending().filter(({ ms }) => ms <= LONGEST_BACKOFF_MS);
      if (backoff) await this.clock.advance(backoff.ms);
      else await new Promise(setImmediate);
    }
    return watched.result;
  }
}

it('counts each event of a scripted hour: first token, expiry, renewal ahead, 401, outage and recovery', async () => {
  const telemetry = TestTelemetry.register();
  await watching();
  const hour = await Hour.begin();
  const { provider, clock } = hour;
  const easy = provider.token.for('easy', 'sandbox');

  // 0:00 first token. No other call uses the token, so it is not renewed ahead.
  expect(await hour.call()).toBe(200);
  await clock.advance(11 * MINUTE);

  // 0:11 expired. A call in the last minute of the new token renews it ahead.
  expect(await hour.call()).toBe(200);
  expect(await hour.call()).toBe(200);
  await clock.advance(9 * MINUTE);
  expect(await hour.call()).toBe(200);
  await hour.background(3);

  // 0:21 the token that was renewed ahead, from memory.
  await clock.advance(MINUTE);
  expect(await hour.call()).toBe(200);

  // 0:22 revoked: recovered by one renewal and one resend.
  await clock.advance(MINUTE);
  easy.revokeAll();
  expect(await hour.call()).toBe(200);
  expect(await hour.call()).toBe(200);

  // 0:23 revoked, with a body that cannot be sent twice.
  await clock.advance(MINUTE);
  easy.revokeAll();
  expect(await hour.call(Readable.from(['once']))).toBe(401);
  await hour.background(5);
  expect(await hour.call()).toBe(200);

  // 0:24 the API refuses every token.
  await clock.advance(MINUTE);
  provider.api.next(2).unauthorized();
  expect(await hour.call()).toBe(401);
  expect(await hour.call()).toBe(200);

  // 0:33 renewed ahead again. No call uses the new token.
  await clock.advance(9 * MINUTE);
  expect(await hour.call()).toBe(200);
  await hour.background(7);

  // 0:44 expired, and the endpoint is down: one renewal of three attempts, then the cool-down answers.
  easy.status(503);
  await clock.advance(11 * MINUTE);
  expect(await hour.call()).toBe('TOKEN_UNAVAILABLE');
  expect(await hour.call()).toBe('TOKEN_UNAVAILABLE');

  // 0:45 the endpoint is up again, but refuses the credentials, and then sends an invalid response.
  provider.reset();
  easy.next().refuse('invalid_client');
  await clock.advance(MINUTE);
  expect(await hour.call()).toBe('TOKEN_REJECTED');
  easy.next().body('nonsense');
  await clock.advance(MINUTE);
  expect(await hour.call()).toBe('TOKEN_RESPONSE_INVALID');

  // 0:47 recovered.
  await clock.advance(MINUTE);
  expect(await hour.call()).toBe(200);
  expect(await hour.call()).toBe(200);

  const requests = {
    'reason=cold outcome=ok': 1,
    'reason=expired outcome=ok': 2,
    'reason=ahead outcome=ok': 2,
    'reason=unauthorized outcome=ok': 3,
    'reason=expired outcome=unavailable': 3,
    'reason=expired outcome=rejected': 1,
    'reason=expired outcome=invalid': 1,
  };
  expect(await telemetry.numbers('provider_auth.token.requests', 'reason', 'outcome')).toEqual(requests);
  expect(await telemetry.numbers('provider_auth.token.request.duration', 'reason', 'outcome')).toEqual(
    requests,
  );
  // One miss for each call that waits for a token: 2 expired, 2 after a 401, 4 failed, 1 recovered. The call whose body cannot be
  // sent twice waits for none.
  expect(await telemetry.numbers('provider_auth.token.cache', 'result')).toEqual({
    'result=memory': 11,
    'result=miss': 9,
  });
  expect(await telemetry.numbers('provider_auth.http.unauthorized', 'outcome')).toEqual({
    'outcome=recovered': 1,
    'outcome=not_replayable': 1,
    'outcome=refused': 1,
  });
});

it('uses the documented names of metrics, units, attributes and scope', async () => {
  const telemetry = TestTelemetry.register();
  await watching();
  const hour = await Hour.begin();
  await hour.call();
  hour.provider.token.revokeAll();
  await hour.call();

  const metrics = await telemetry.metrics();
  expect(
    metrics
      .map(
        ({ descriptor: { name, unit }, dataPointType }) => `${name} ${unit} ${DataPointType[dataPointType]}`,
      )
      .toSorted(),
  ).toEqual([
    'provider_auth.http.unauthorized {request} SUM',
    'provider_auth.token.cache {lookup} SUM',
    'provider_auth.token.request.duration s HISTOGRAM',
    'provider_auth.token.requests {request} SUM',
  ]);
  for (const { descriptor } of metrics) expect(descriptor.description).toMatch(/\.$/);
  const attributes = metrics.map(({ descriptor, dataPoints }) => [
    descriptor.name,
    dataPoints[0]?.attributes,
  ]);
  expect(Object.fromEntries(attributes)).toEqual({
    'provider_auth.token.requests': { ...PAIR, reason: 'cold', outcome: 'ok' },
    'provider_auth.token.request.duration': { ...PAIR, reason: 'cold', outcome: 'ok' },
    'provider_auth.token.cache': { ...PAIR, result: 'miss' },
    'provider_auth.http.unauthorized': { ...PAIR, outcome: 'recovered' },
  });
  expect(telemetry.spans[0]?.instrumentationScope).toMatchObject(PACKAGE);
});

it('a span of a token request is within the span of the caller that started it', async () => {
  const telemetry = TestTelemetry.register();
  await watching();
  const hour = await Hour.begin();
  const parent = trace.getTracer('test').startSpan('checkout');
  await context.with(trace.setSpan(context.active(), parent), () => hour.call());
  parent.end();
  const [span] = telemetry.spans.filter(({ name }) => name !== 'checkout');
  expect(span?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
});

it('B27: records calls that are under way while the application closes', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const transport = undiciTransport();
  const { app, easy } = await callingApp(provider, { http: { transport } });
  const arrived = new Promise<ServerResponse>((resolve) => {
    provider.api.next().handler((_, response) => resolve(response));
  });
  const call = firstValueFrom(easy.get('/payments'));
  const response = await arrived;
  const closed = app.close();
  await turn();
  response.writeHead(401).end();
  expect((await call).status).toBe(200);
  await closed;
  expect(await telemetry.numbers('provider_auth.http.unauthorized', 'outcome')).toEqual({
    'outcome=recovered': 1,
  });
});

it('B9 B27: lets other modules call while the application closes', async () => {
  const provider = await startSimulator();
  const transport = undiciTransport();
  const statuses: number[] = [];
  @Injectable()
  class Deregistration {
    constructor(@Inject(EasyHttpService) private readonly easy: EasyHttpService) {}

    async onApplicationShutdown(): Promise<void> {
      statuses.push((await firstValueFrom(this.easy.get('/payments'))).status);
    }
  }
  @Module({ providers: [Deregistration] })
  class Feature {}
  const module = ProviderAuthModule.forRoot(provider.options({ http: { transport } }));
  const { app } = await bootWith([Feature, module, ProviderAuthTelemetryModule.forRoot()]);
  await app.close();
  expect(statuses).toEqual([200]);
});

it('counts each event once, even with several applications in the process, until the last application has closed', async () => {
  const telemetry = TestTelemetry.register();
  const [one, other] = [await watching(), await watching()];
  const hour = await Hour.begin();
  await hour.call();
  await one.close();
  await one.close();
  await hour.call();
  expect(await telemetry.numbers('provider_auth.token.cache', 'result')).toEqual({
    'result=miss': 1,
    'result=memory': 1,
  });
  await other.close();
  await hour.call();
  expect(await telemetry.numbers('provider_auth.token.cache', 'result')).toEqual({
    'result=miss': 1,
    'result=memory': 1,
  });
  expect(hasSubscribers('provider-auth:token-request')).toBe(false);
});

it('S10: metrics and spans contain no credential and no token', async () => {
  const telemetry = TestTelemetry.register();
  await watching();
  const hour = await Hour.begin();
  const { provider } = hour;
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  provider.token.next().refuse(clientId, { status: 400, description: clientSecret });
  await hour.call();
  await hour.clock.advance(MINUTE);
  await hour.call();
  const scanner = new CanaryScanner({
    'client id': clientId.slice('easy-sandbox-'.length),
    secret: clientSecret,
    token: provider.tokenRequests.at(-1)?.token ?? '',
  });
  expect(telemetry.spans).toHaveLength(2);
  const spans = telemetry.spans.map(({ name, attributes, status, events }) => ({
    name,
    attributes,
    status,
    events,
  }));
  expect(scanner.scan({ spans, metrics: await telemetry.metrics() })).toEqual([]);
});
