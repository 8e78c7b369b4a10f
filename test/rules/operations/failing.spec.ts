import { type INestApplicationContext, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import {
  EasyHttpService,
  getTokenProviderToken,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
  type StoreAnswer,
  type StoreClaim,
  type TokenProvider,
} from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { MemoryTokenStore, type ProviderSimulator } from '../../../lib/testing/index.js';
import { PROVIDER_PAIRS } from '../../support/application/built-in.js';
import { startSimulator } from '../../support/application/simulator.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';
import { TestTelemetry } from '../../support/application/telemetry.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const PROVIDER_FAILING = 'provider_auth.provider.failing';
const STORE_FAILING = 'provider_auth.store.failing';

/** A store that a test can break and repair. */
class BrittleStore extends MemoryTokenStore {
  broken = false;

  override claim(claim: StoreClaim): Promise<StoreAnswer> {
    return this.broken ? Promise.reject(new Error('ECONNREFUSED')) : super.claim(claim);
  }
}

@Module({ imports: [ProviderAuthTelemetryModule.forRoot()] })
class Watching {}

interface Started {
  readonly app: INestApplicationContext;
  readonly status: ProviderAuthService;
  readonly tokens: TokenProvider;
}

async function start(
  provider: ProviderSimulator,
  overrides: Partial<ProviderAuthOptions> = {},
  isGlobal = true,
): Promise<Started> {
  const imported = ProviderAuthModule.forRoot({ ...provider.options(overrides), isGlobal });
  const { app } = await bootWith([Watching, imported]);
  return {
    app,
    status: app.get(ProviderAuthService, { strict: false }),
    tokens: app.get<TokenProvider>(getTokenProviderToken('easy'), { strict: false }),
  };
}

/** The container of an application whose boot failed. */
async function failedBoot(provider: ProviderSimulator): Promise<WeakRef<object>> {
  @Module({ imports: [Watching, ProviderAuthModule.forRoot(provider.options())] })
  class Failing {
    onApplicationBootstrap(): void {
      throw new Error('the boot fails');
    }
  }
  const app = await NestFactory.create(Failing, { logger: false });
  // An assertion about the promise would keep the application.
  expect(String(await errorOf(app.init()))).toBe('Error: the boot fails');
  return new WeakRef(app.get(ModulesContainer));
}

/** Keeps only a client, as a worker does that drops its application. */
async function worker(provider: ProviderSimulator): Promise<TokenProvider> {
  const imports = [ProviderAuthModule.forRoot(provider.options())];
  const app = await NestFactory.createApplicationContext({ module: Watching, imports }, { logger: false });
  const container = new WeakRef(app.get(ModulesContainer));
  onTestFinished(async () => {
    const instances = [...(container.deref()?.values() ?? [])].flatMap(({ providers }) => [
      ...providers.values(),
    ]);
    for (const { instance } of instances)
      await (instance as Partial<OnApplicationShutdown> | undefined)?.onApplicationShutdown?.();
  });
  return app.get(getTokenProviderToken('easy'));
}

async function ask(tokens: TokenProvider): Promise<unknown> {
  return tokens.getToken().catch((error: unknown) => error);
}

function failingOf(telemetry: TestTelemetry): Promise<Record<string, number>> {
  return telemetry.numbers(PROVIDER_FAILING, 'interface', 'environment');
}

const HEALTHY = Object.fromEntries(
  PROVIDER_PAIRS.map((pair) => [`interface=${pair.interface} environment=${pair.environment}`, 0]),
);

it('B29: the gauge of a failing provider is 0 for each configured pair, 1 while its callers get an error, and 0 once it works again', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const { tokens } = await start(provider, { token: { maxAttempts: 1 } });
  expect(await failingOf(telemetry)).toEqual(HEALTHY);
  provider.token.for('easy', 'sandbox').next().status(503);
  await ask(tokens);
  expect(await failingOf(telemetry)).toEqual({ ...HEALTHY, 'interface=easy environment=sandbox': 1 });
  await vi.waitFor(async () => expect(await ask(tokens)).toHaveProperty('expiresAt'), { timeout: 20_000 });
  expect(await failingOf(telemetry)).toEqual(HEALTHY);
});

it('B35: the gauge of a failing provider is 0 for an inactive pair ten minutes after its last use, and 1 for an active pair as long as it fails', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const { app, tokens } = await start(provider);
  provider.token.refuse('invalid_client');
  await ask(tokens);
  await ask(app.get(getTokenProviderToken('easy', 'production'), { strict: false }));
  const usedAt = performance.now();
  const active = { ...HEALTHY, 'interface=easy environment=sandbox': 1 };
  const both = { ...active, 'interface=easy environment=production': 1 };
  expect(await failingOf(telemetry)).toEqual(both);
  const now = vi.spyOn(performance, 'now').mockReturnValue(usedAt + 9 * 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await failingOf(telemetry)).toEqual(both);
  now.mockReturnValue(usedAt + 10 * 60_000);
  expect(await failingOf(telemetry)).toEqual(active);
});

it('B35: the gauge of a failing provider says nothing of an application whose boot failed', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const token = { atBoot: 'require', maxAttempts: 1 } as const;
  provider.token.status(503);
  const imports = [ProviderAuthModule.forRoot(provider.options({ token }))];
  const failed = await NestFactory.create({ module: Watching, imports }, { logger: false });
  onTestFinished(() => failed.close());
  await expect(failed.init()).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(await failingOf(telemetry)).toEqual({});
  provider.reset();
  await start(provider, { token });
  expect(await failingOf(telemetry)).toEqual(HEALTHY);
});

it('B29: the gauge of a failing provider goes on for an application of which the code keeps only a client', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  provider.token.for('easy', 'sandbox').refuse('invalid_client');
  const tokens = await worker(provider);
  await ask(tokens);
  collectGarbage();
  expect(await failingOf(telemetry)).toEqual({ ...HEALTHY, 'interface=easy environment=sandbox': 1 });
  expect(tokens.status().state).toBe('failing');
});

it('B28: the gauge of a failing provider keeps no application in memory that was never closed because its boot failed', async () => {
  const telemetry = TestTelemetry.register();
  const container = await failedBoot(await startSimulator());
  const isGone = (): boolean => {
    collectGarbage();
    return container.deref() === undefined;
  };
  await expect.poll(isGone).toBe(true);
  expect(await failingOf(telemetry)).toEqual({});
});

it('B29: the gauge of a failing provider makes no request, leaves out a pair that is not configured, and knows a module that is not global', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const { interfaces } = provider.options();
  await start(provider, { interfaces: { easy: { sandbox: interfaces.easy!.sandbox! } } }, false);
  for (let read = 0; read < 20; read += 1)
    expect(await failingOf(telemetry)).toEqual({ 'interface=easy environment=sandbox': 0 });
  expect(provider.tokenRequests).toEqual([]);
});

it('B29: the gauge of a failing provider is 1 if one of several applications fails, until that one has closed', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const [failing, other] = [await start(provider), await start(provider)];
  provider.token.for('easy', 'sandbox').next().refuse('invalid_client');
  await ask(failing.tokens);
  expect(await failingOf(telemetry)).toEqual({ ...HEALTHY, 'interface=easy environment=sandbox': 1 });
  await failing.app.close();
  expect(await failingOf(telemetry)).toEqual(HEALTHY);
  // There is no store.
  expect(await telemetry.numbers(STORE_FAILING)).toEqual({});
  for (const one of other.status.status()) expect(one).not.toHaveProperty('store');
});

it('B29: the gauge of a failing API is 0 for each configured pair, 1 while the API cannot be reached, and 0 after a response', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const { interfaces } = provider.options();
  const sandbox = { ...interfaces.easy!.sandbox!, baseUrl: 'https://127.0.0.1:1/easy/v1' };
  const broken = await start(provider, { interfaces: { easy: { sandbox } } });
  const healthy = await start(provider);
  const failing = (): Promise<Record<string, number>> =>
    telemetry.numbers('provider_auth.api.failing', 'interface', 'environment');
  expect(await failing()).toEqual(HEALTHY);
  await firstValueFrom(broken.app.get(EasyHttpService).get('/payments')).catch(() => undefined);
  await firstValueFrom(healthy.app.get(EasyHttpService).get('/payments'));
  expect(await failing()).toEqual({ ...HEALTHY, 'interface=easy environment=sandbox': 1 });
  // The token endpoint works.
  expect(await failingOf(telemetry)).toEqual(HEALTHY);
  await broken.app.close();
  expect(await failing()).toEqual(HEALTHY);
});

it('B29: the gauge of a failing store and the status report that the store fails, while callers still get tokens', async () => {
  const telemetry = TestTelemetry.register();
  const provider = await startSimulator();
  const store = new BrittleStore();
  const { app, status, tokens } = await start(provider, { store });
  const stores = (): unknown[] => status.status().map((one) => one.store);
  expect(stores()).toEqual(PROVIDER_PAIRS.map(() => 'ok'));
  expect(await telemetry.numbers(STORE_FAILING)).toEqual({ '': 0 });

  store.broken = true;
  expect(await ask(tokens)).toHaveProperty('expiresAt');
  // All pairs share one store, so the store fails for all pairs.
  expect(stores()).toEqual(PROVIDER_PAIRS.map(() => 'failing'));
  expect(await telemetry.numbers(STORE_FAILING)).toEqual({ '': 1 });
  expect(await failingOf(telemetry)).toEqual(HEALTHY);

  store.broken = false;
  await vi.waitFor(
    async () => {
      provider.token.revokeAll();
      await firstValueFrom(app.get(EasyHttpService).get('/payments'));
      expect(stores()).toEqual(PROVIDER_PAIRS.map(() => 'ok'));
    },
    { timeout: 20_000, interval: 200 },
  );
  expect(await telemetry.numbers(STORE_FAILING)).toEqual({ '': 0 });
});
