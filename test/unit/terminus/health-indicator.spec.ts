import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type HealthIndicatorResult, TerminusModule } from '@nestjs/terminus';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProviderStatus } from '../../../lib/index.js';
import { BUILT_IN } from '../../../lib/module/built-in.js';
import { injectionToken } from '../../../lib/module/parts.js';
import { registrationOf } from '../../../lib/module/registration.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';

@Module({ imports: [TerminusModule], providers: [ProviderAuthHealthIndicator] })
class HealthModule {}

@Module({})
class OneModule {}

@Module({})
class OtherModule {}

const NOW = Date.parse('2030-01-01T00:10:00.000Z');

const VALID: ProviderStatus = {
  interface: 'easy',
  environment: 'sandbox',
  active: true,
  state: 'valid',
  expiresAt: new Date('2030-01-01T01:00:00.000Z'),
};

const FAILING: ProviderStatus = {
  interface: 'easy',
  environment: 'sandbox',
  active: true,
  state: 'failing',
  lastError: { code: 'TOKEN_UNAVAILABLE', message: 'HTTP 503', at: new Date(NOW) },
  retryAt: new Date('2030-01-01T00:11:00.000Z'),
};

const UNUSED: ProviderStatus = { ...FAILING, active: false, environment: 'production' };

function unreachableSince(at: number, code = 'API_UNREACHABLE'): ProviderStatus {
  return { ...VALID, apiError: { code, at: new Date(at) } } as ProviderStatus;
}

/** The registration of a provider whose pairs in use have these statuses. */
function registered(
  module: new () => object,
  statuses: readonly ProviderStatus[],
  name = 'provider',
): DynamicModule {
  const askedPairs = [...statuses, UNUSED].map((status) => ({
    provider: name,
    status: () => status,
    isInUse: () => status !== UNUSED,
  }));
  const parts = { ...BUILT_IN, catalogue: { ...BUILT_IN.catalogue, name } };
  const service = { askedPairs };
  return {
    module,
    providers: [registrationOf(parts), { provide: injectionToken(name, 'SERVICE'), useValue: service }],
  };
}

async function health(...imports: DynamicModule[]): Promise<HealthIndicatorResult<'provider'>['provider']> {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const app = await NestFactory.createApplicationContext(
    { module: HealthModule, imports },
    { logger: false },
  );
  onTestFinished(() => app.close());
  const { provider } = await app.get(ProviderAuthHealthIndicator).isHealthy('provider');
  return provider;
}

describe('ProviderAuthHealthIndicator', () => {
  it('is down without the module, and says so', async () => {
    expect(await health()).toEqual({
      status: 'down',
      message: 'ProviderAuthModule is not in this application.',
    });
  });

  it('S8: names a pair by its interface, and one that is not active by its environment too', async () => {
    const used = registered(OneModule, [VALID]);
    expect(await health(used)).toEqual({
      status: 'up',
      easy: { environment: 'sandbox', state: 'valid', expiresAt: '2030-01-01T01:00:00.000Z' },
    });
    const own = [VALID, { ...VALID, active: false, environment: 'production' as const }];
    expect(Object.keys(await health(registered(OneModule, own, 'warehouse')))).toEqual([
      'warehouse.easy',
      'warehouse.easy.production',
      'status',
    ]);
  });

  it.each([
    ['failing one first', [FAILING], [VALID]],
    ['healthy one first', [VALID], [FAILING]],
  ])('shows the failing one of two pairs of one name, the %s', async (_, one, other) => {
    expect(await health(registered(OneModule, one), registered(OtherModule, other))).toMatchObject({
      status: 'down',
      easy: { state: 'failing', code: 'TOKEN_UNAVAILABLE' },
    });
  });

  it('B35: a failing store is in the report, and no reason for down; a working store is not in it', async () => {
    expect(await health(registered(OneModule, [{ ...VALID, store: 'failing' }]))).toMatchObject({
      status: 'up',
      easy: { store: 'failing' },
    });
    const { easy } = (await health(registered(OneModule, [{ ...VALID, store: 'ok' }]))) as Record<
      string,
      object
    >;
    expect(easy).not.toHaveProperty('store');
  });

  it('B35: an API failure counts for less than 60 s after the last call', async () => {
    expect(await health(registered(OneModule, [unreachableSince(NOW - 59_999)]))).toMatchObject({
      status: 'down',
      easy: { api: 'API_UNREACHABLE' },
    });
    expect(await health(registered(OneModule, [unreachableSince(NOW - 60_000)]))).toMatchObject({
      status: 'up',
      easy: { api: 'API_UNREACHABLE' },
    });
  });

  it('B35: an API that answers with errors only is no reason for down', async () => {
    expect(await health(registered(OneModule, [unreachableSince(NOW, 'API_FAILING')]))).toMatchObject({
      status: 'up',
      easy: { api: 'API_FAILING' },
    });
  });
});
