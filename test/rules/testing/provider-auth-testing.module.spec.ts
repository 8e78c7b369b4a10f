import type { HttpService } from '@nestjs/axios';
import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { of } from 'rxjs';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  EasyHttpService,
  getProviderHttpToken,
  getTokenProviderToken,
  InjectProviderHttp,
  InjectTokenProvider,
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
  providerAuthConfig,
  TokenProvider,
} from '../../../lib/index.js';
import { ProviderAuthTestingModule, ProviderSimulator } from '../../../lib/testing/index.js';
import { ALL_PAIRS } from '../../support/application/simulator.js';
import { archive, warehouse } from '../../support/application/warehouse.js';
import { errorOf } from '../../support/token/token-fixtures.js';

@Injectable()
class CheckoutService {
  constructor(
    readonly easy: EasyHttpService,
    readonly auth: ProviderAuthService,
    @InjectProviderHttp('easy', 'production') readonly easyProduction: HttpService,
    @InjectTokenProvider('easy') readonly tokens: TokenProvider,
  ) {}
}

/** Not global, and imports nothing. */
@Module({ providers: [CheckoutService] })
class CheckoutModule {}

async function compiled(builder: TestingModuleBuilder) {
  const app = await builder.compile();
  await app.init();
  onTestFinished(() => app.close());
  return { app, checkout: app.get(CheckoutService, { strict: false }) };
}

const start = (...imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) =>
  compiled(Test.createTestingModule({ imports: [...imports, CheckoutModule] }));

const textOf = async (tokens: TokenProvider): Promise<string> => (await tokens.getToken()).reveal();

const provider = await ProviderSimulator.start();
afterAll(() => provider.close());

/** Options with which no application boots. */
const read = vi.fn<() => ProviderAuthOptions>(() => ({}) as ProviderAuthOptions);

describe('every injection', () => {
  it('C1 C2: works, and each pair has its fake token and an address that cannot exist', async () => {
    // The variables of the process are not read: with this one the module itself would not boot.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { app, checkout } = await start(ProviderAuthTestingModule.forRoot());
    for (const [name, environment] of ALL_PAIRS) {
      const tokens = app.get<TokenProvider>(getTokenProviderToken(name, environment));
      const { axiosRef } = app.get<HttpService>(getProviderHttpToken(name, environment));
      expect([tokens instanceof TokenProvider, String(await tokens.getToken())]).toEqual([
        true,
        '[redacted]',
      ]);
      expect([await textOf(tokens), axiosRef.defaults.baseURL]).toEqual([
        `fake-${name}-${environment}-1`,
        `https://${name}.${environment}.invalid`,
      ]);
      expect(axiosRef.defaults.baseURL).toBe(ProviderAuthTestingModule.baseUrl(name, environment));
    }
    expect(checkout.easy).toBe(app.get(getProviderHttpToken('easy')));
    expect(checkout.tokens).toBe(app.get(getTokenProviderToken('easy', 'sandbox')));
    const states = checkout.auth.status().map(({ state, active }) => [state, active]);
    expect(states).toEqual(ALL_PAIRS.map(([, environment]) => ['valid', environment === 'sandbox']));
  });

  it('C1 B33: a token lives for an hour, and any account and scope has its own tokens', async () => {
    const { checkout } = await start(ProviderAuthTestingModule);
    const tokens = ['merchant-42', 'a b/c.d~e+f_g%h'].map((account) => checkout.tokens.for({ account }));
    expect(await Promise.all([checkout.tokens, ...tokens].map(textOf))).toEqual([
      'fake-easy-sandbox-1',
      'fake-easy-sandbox-merchant-42-1',
      'fake-easy-sandbox-a-b/c.d~e+f_g-h-1',
    ]);
    expect((await checkout.tokens.getToken()).lifetimeMs).toBe(3_600_000);
    const modules = [ProviderAuthTestingModule, ProviderAuthTestingModule.forRoot({ provider: warehouse })];
    const { app } = await start(...modules);
    const stock = app.get<TokenProvider>(warehouse.tokenProviderToken('stock', 'test'));
    expect(await Promise.all([stock, stock.for({ scope: 'stock.write' })].map(textOf))).toEqual([
      'fake-warehouse-stock-test-1',
      'fake-warehouse-stock-test-2',
    ]);
  });

  it('S8: with fake timers a token expires, and the next one is used', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { checkout } = await start(ProviderAuthTestingModule.forRoot());
    expect(await textOf(checkout.tokens)).toBe('fake-easy-sandbox-1');
    vi.advanceTimersByTime(3_600_000);
    expect(await textOf(checkout.tokens)).toBe('fake-easy-sandbox-2');
    expect(await errorOf(checkout.easy.axiosRef.get('/a'))).toMatchObject({ code: 'ERR_NO_MOCK' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [{ environment: 'production' }, 'production', 'production'],
    [{ environment: { easy: 'production' } }, 'production', 'sandbox'],
    [{ environment: { originations: 'production' } }, 'sandbox', 'production'],
  ] as const)(
    'C5: follows the environment that the test chooses: %j',
    async (options, easy, originations) => {
      const { app } = await start(ProviderAuthTestingModule.forRoot(options));
      expect(app.get(EasyHttpService).axiosRef.defaults.baseURL).toBe(`https://easy.${easy}.invalid`);
      const other = app.get<HttpService>(getProviderHttpToken('originations'));
      expect(other.axiosRef.defaults.baseURL).toBe(`https://originations.${originations}.invalid`);
    },
  );

  it.each([
    [{ enviroment: 'production' }, 'enviroment'],
    [{ environment: { esay: 'production' } }, 'environment.esay'],
    [{ http: { timeout: 5 } }, 'http.timeout'],
  ])('C4: wrong options are reported as the module reports them: %j', async (options, path) => {
    const error = await errorOf(start(ProviderAuthTestingModule.forRoot(options as object)));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(error).toMatchObject({ problems: [{ path }] });
  });

  it('C1: each application has its own clients, and overrideProvider replaces one', async () => {
    const module = ProviderAuthTestingModule.forRoot();
    const [one, other] = [await start(module), await start(module)];
    expect(one.checkout.easy).not.toBe(other.checkout.easy);
    const builder = Test.createTestingModule({ imports: [module, CheckoutModule] });
    const { checkout } = await compiled(
      builder.overrideProvider(EasyHttpService).useValue({ get: () => of('stubbed') }),
    );
    expect(checkout.easy).not.toBeInstanceOf(EasyHttpService);
  });
});

it('B24: a definition has its own module, while another one is registered', async () => {
  const stock = warehouse.httpToken('stock');
  @Module({ providers: [{ provide: 'A_SERVICE', useFactory: (http: unknown) => http, inject: [stock] }] })
  class StockModule {}
  const module = ProviderAuthTestingModule.forRoot({ provider: warehouse, environment: 'live' });
  const { app } = await start(
    module,
    ProviderAuthTestingModule.forRoot({ provider: archive }),
    ProviderAuthTestingModule.forRoot(),
    StockModule,
  );
  const urls = [stock, archive.httpToken('stock'), warehouse.httpToken('bankOrders')].map(
    (token) => app.get<HttpService>(token).axiosRef.defaults.baseURL,
  );
  expect(urls).toEqual([
    'https://stock.live.warehouse.invalid',
    'https://stock.test.archive.invalid',
    'https://bankorders.live.warehouse.invalid',
  ]);
  expect(ProviderAuthTestingModule.baseUrl('bankOrders', 'live', { provider: warehouse })).toBe(urls[2]);
  expect(app.get('A_SERVICE', { strict: false })).toBe(app.get(stock));
  expect(ProviderAuthTestingModule.forRoot({ provider: warehouse }).module).toBe(module.module);
});

describe('in place of ProviderAuthModule', () => {
  const registrations: readonly (readonly [string, () => DynamicModule])[] = [
    ['forRoot(options)', () => ProviderAuthModule.forRoot({} as ProviderAuthOptions)],
    ['forRootAsync({ useFactory })', () => ProviderAuthModule.forRootAsync({ useFactory: read })],
    [
      'providerAuthConfig.asProvider()',
      () => ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
    ],
  ];

  it.each(registrations)('C1: replaceIn() replaces %s, whose options are not read', async (_, register) => {
    @Module({ imports: [register(), CheckoutModule] })
    class AppModule {}
    const builder = Test.createTestingModule({ imports: [AppModule] });
    const { app, checkout } = await compiled(ProviderAuthTestingModule.replaceIn(builder));
    // A test gets the same instance by `app.get` as the service by injection.
    expect(app.get(EasyHttpService)).toBe(checkout.easy);
    expect(await textOf(checkout.tokens)).toBe('fake-easy-sandbox-1');
    expect(read).not.toHaveBeenCalled();
  });

  it('C1: it replaces each of several registrations, with one service for all of them', async () => {
    const own = () => ProviderAuthModule.forRootAsync({ isGlobal: false, useFactory: read });
    @Module({ imports: [own()], providers: [CheckoutService] })
    class LeftModule {}
    @Injectable()
    class Right {
      constructor(readonly easy: EasyHttpService) {}
    }
    @Module({ imports: [LeftModule, own()], providers: [Right] })
    class AppModule {}
    const builder = Test.createTestingModule({ imports: [AppModule] });
    const { app, checkout } = await compiled(
      ProviderAuthTestingModule.replaceIn(builder, { environment: 'production' }),
    );
    expect(app.get(Right).easy).toBe(checkout.easy);
    expect(await textOf(checkout.tokens)).toBe('fake-easy-production-1');
    expect(read).not.toHaveBeenCalled();
  });

  it('C1: with options it connects a whole application to a simulator, with the variables of the process', async () => {
    @Module({ imports: [ProviderAuthModule.forRootAsync({ useFactory: read }), CheckoutModule] })
    class AppModule {}
    const builder = () =>
      ProviderAuthTestingModule.replaceIn(Test.createTestingModule({ imports: [AppModule] }), {
        options: provider.options(),
      });
    const { app, checkout } = await compiled(builder());
    // Fetch uses no adapter here: a mock of the client does not touch it.
    checkout.easy.axiosRef.defaults.adapter = () => Promise.reject(new Error('An adapter of the test.'));
    expect(await (await checkout.easy.fetch('/x')).json()).toMatchObject({ interface: 'easy', path: '/x' });
    expect([provider.tokenRequests.length, app.get(EasyHttpService)]).toEqual([1, checkout.easy]);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await errorOf(builder().compile())).toBeInstanceOf(ProviderAuthConfigError);
  });

  it('B24: it replaces the module of a definition, and no other', async () => {
    const stores = { tokenUrl: 'https://login.example/token', baseUrl: 'https://stock.example/v1' };
    const test = { ...stores, clientId: 'canary-id', clientSecret: 'canary-secret' };
    const options = { environment: 'test', interfaces: { stock: { test } } } as const;
    @Module({ imports: [warehouse.Module.forRoot(options), archive.Module.forRoot(options)] })
    class AppModule {}
    const builder = Test.createTestingModule({ imports: [AppModule] });
    const app = await ProviderAuthTestingModule.replaceIn(builder, { provider: warehouse }).compile();
    onTestFinished(() => app.close());
    const urls = [warehouse, archive].map(
      (one) => app.get<HttpService>(one.httpToken('stock')).axiosRef.defaults.baseURL,
    );
    expect(urls).toEqual(['https://stock.test.warehouse.invalid', 'https://stock.example/v1']);
  });

  it('C5: forRootAsync takes providerAuthConfig as it is, too', async () => {
    @Module({ imports: [ProviderAuthModule.forRootAsync(providerAuthConfig), CheckoutModule] })
    class AppModule {}
    const error = await errorOf(Test.createTestingModule({ imports: [AppModule] }).compile());
    expect(error).toMatchObject({
      problems: expect.arrayContaining([
        { path: 'environment', env: 'PROVIDER_ENVIRONMENT', message: expect.any(String) },
      ]),
    });
  });

  it('C1: a mock that useMocker creates is no replacement', async () => {
    const { checkout } = await compiled(
      Test.createTestingModule({
        imports: [ProviderAuthModule.forRoot(provider.options()), CheckoutModule],
      }).useMocker(() => ({ settings: 'a mock', service: 'a mock' })),
    );
    expect((await checkout.easy.axiosRef.get('/payments')).status).toBe(200);
  });
});
