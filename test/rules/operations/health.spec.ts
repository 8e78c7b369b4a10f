import { type INestApplicationContext, Module } from '@nestjs/common';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  TerminusModule,
} from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import { letTimePass } from '../../support/http/mounted-secret.js';
import {
  EasyHttpService,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
} from '../../../lib/index.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';
import { ProviderAuthTestingModule, type ProviderSimulator } from '../../../lib/testing/index.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { startSimulator } from '../../support/application/simulator.js';

@Module({ imports: [TerminusModule], providers: [ProviderAuthHealthIndicator] })
class HealthModule {}

interface Ward {
  readonly provider: ProviderSimulator;
  readonly app: INestApplicationContext;
  readonly call: () => Promise<unknown>;
  readonly health: () => Promise<HealthIndicatorResult<'provider'>>;
}

async function ward(overrides: Partial<ProviderAuthOptions> = {}, lifetimeSeconds = 3600): Promise<Ward> {
  const provider = await startSimulator({ lifetimeSeconds });
  const { app } = await bootWith([HealthModule, ProviderAuthModule.forRoot(provider.options(overrides))]);
  return {
    provider,
    app,
    call: () => firstValueFrom(app.get(EasyHttpService).get('/payments')).catch((error: unknown) => error),
    health: () => app.get(ProviderAuthHealthIndicator).isHealthy('provider'),
  };
}

/** Moves the wall clock. Timers are not affected. */
function itIsNow(moment: number): void {
  vi.useFakeTimers({ now: moment, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Each interface before its first call. */
const EMPTY = Object.fromEntries(
  PROVIDER_INTERFACES.map((name) => [name, { environment: 'sandbox', state: 'empty' }]),
);

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

const failing = { interface: 'easy', environment: 'sandbox', active: true, state: 'failing' };
const unused = { ...failing, environment: 'production', active: false };
it.each([
  [
    'reports its status',
    { status: () => [failing, unused] },
    { status: 'down', easy: { environment: 'sandbox', state: 'failing' } },
  ],
  ['reports the real one, if it has none', { providers: () => [] }, { status: 'up', ...EMPTY }],
])('B29: health of a service that a test puts in place of the real one: %s', async (_, service, report) => {
  const imports = [HealthModule, ProviderAuthTestingModule.forRoot()];
  const app = await Test.createTestingModule({ imports })
    .overrideProvider(ProviderAuthService)
    .useValue(service)
    .compile();
  onTestFinished(() => app.close());
  expect(await app.get(ProviderAuthHealthIndicator).isHealthy('provider')).toEqual({ provider: report });
});

it('S8: health reports the active environment of each interface and sends no request, however often it runs', async () => {
  const { provider, health } = await ward();
  for (let asked = 0; asked < 100; asked += 1) {
    expect(await health()).toEqual({
      provider: { status: 'up', ...EMPTY },
    });
  }
  expect(provider.tokenRequests).toEqual([]);
});

it('health is down with code and retryAt while an active environment fails, and up again when it works', async () => {
  const { provider, call, health } = await ward();
  provider.token.for('easy').refuse('invalid_client');
  await call();
  expect(await health()).toEqual({
    provider: {
      status: 'down',
      ...EMPTY,
      easy: { environment: 'sandbox', state: 'failing', code: 'TOKEN_REJECTED', retryAt: ISO },
    },
  });
  provider.reset();
  const { retryAt } = (await health()).provider['easy'];
  itIsNow(Date.parse(retryAt) + 1);
  await call();
  vi.useRealTimers();
  expect(await health()).toMatchObject({ provider: { status: 'up', easy: { state: 'valid' } } });
});

it('health stays up while a token is valid, even if its renewal ahead of time fails', async () => {
  const { provider, call, health } = await ward({ token: { renewAheadMs: 60_000, maxAttempts: 1 } }, 60);
  await call();
  await call();
  provider.token.status(503);
  letTimePass(45_000);
  await vi.waitFor(async () => {
    await call();
    expect(await health()).toMatchObject({ provider: { easy: { code: 'TOKEN_UNAVAILABLE' } } });
  }, 20_000);
  expect(await health()).toMatchObject({ provider: { status: 'up', easy: { state: 'valid' } } });
});

it('B35: health stays down without calls as long as no token request succeeds', async () => {
  const { provider, call, health } = await ward();
  provider.token.for('easy').status(503);
  await call();
  itIsNow(Date.now() + 3_600_000);
  expect(await health()).toMatchObject({ provider: { status: 'down', easy: { state: 'failing' } } });
});

it('B35: health comes back without a call, because the module tries again while health is asked', async () => {
  const { provider, call, health } = await ward({ token: { maxAttempts: 1 } });
  provider.token.for('easy').next(3).status(503);
  await call();
  expect(await health()).toMatchObject({ provider: { status: 'down' } });
  await vi.waitFor(
    async () =>
      expect(await health()).toMatchObject({ provider: { status: 'up', easy: { state: 'valid' } } }),
    { timeout: 20_000, interval: 100 },
  );
  expect(provider.tokenRequests).toHaveLength(4);
});

it('S10: health makes terminus answer with 503 and a report that holds no credential', async () => {
  const { provider, app, call } = await ward();
  provider.token.for('easy').refuse(provider.credentials('easy', 'sandbox').clientId);
  await call();
  const indicator = app.get(ProviderAuthHealthIndicator);
  const error = await app
    .get(HealthCheckService, { strict: false })
    .check([() => indicator.isHealthy('provider')])
    .then(
      () => undefined,
      (reason: { getStatus(): number; getResponse(): HealthCheckResult }) => reason,
    );
  expect(error?.getStatus()).toBe(503);
  expect(error?.getResponse()).toMatchObject({ status: 'error', error: { provider: { status: 'down' } } });
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  expect(
    findCanaries(error?.getResponse(), {
      id: clientId.slice('easy-sandbox-'.length),
      secret: clientSecret,
    }),
  ).toEqual([]);
});
