import type { HttpService } from '@nestjs/axios';
import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  EasyHttpService,
  getProviderHttpToken,
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
  type TokenProvider,
} from '../../../../lib/index.js';
import { ProviderAuthTestingModule } from '../../../../lib/testing/index.js';
import { ALL_PAIRS } from '../../../support/application/simulator.js';
import { archive, warehouse } from '../../../support/application/warehouse.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

@Injectable()
class CheckoutService {
  constructor(readonly easy: EasyHttpService) {}
}

/** Not global, and imports nothing. */
@Module({ providers: [CheckoutService] })
class CheckoutModule {}

async function compiled(builder: TestingModuleBuilder) {
  const app = await builder.compile();
  await app.init();
  onTestFinished(() => app.close());
  return app;
}

const start = (...imports: (DynamicModule | typeof CheckoutModule)[]) =>
  compiled(Test.createTestingModule({ imports }));

/** Options of a definition with these interfaces, as an application has them. */
const optionsOf = (environments: string[], ...interfaces: string[]): object => ({
  environment: environments[0],
  interfaces: Object.fromEntries(
    interfaces.map((name) => [
      name,
      Object.fromEntries(
        environments.map((environment) => [
          environment,
          {
            tokenUrl: `https://login.example/${environment}/auth/v0/connect/token`,
            baseUrl: `https://${name.toLowerCase()}.${environment}.example/v1`,
            clientId: `id-${name}-${environment}`,
            clientSecret: `canary-secret-${name}-${environment}`,
          },
        ]),
      ),
    ]),
  ),
});

/** A registration with which no application boots. */
const registration = () => ProviderAuthModule.forRoot({} as ProviderAuthOptions);

const REAL = optionsOf(['sandbox', 'production'], 'easy') as ProviderAuthOptions;

describe('ProviderAuthTestingModule.forRoot()', () => {
  it('C1: gives each pair its client and its fake token', async () => {
    const app = await start(ProviderAuthTestingModule.forRoot());
    const found = [];
    for (const [name, environment] of ALL_PAIRS) {
      const { tokens, http } = app.get(ProviderAuthService).client(name, environment);
      expect(app.get<HttpService>(getProviderHttpToken(name, environment))).toBe(http);
      found.push([(await tokens.getToken()).reveal(), http.axiosRef.defaults.baseURL]);
    }
    expect(found).toEqual(
      ALL_PAIRS.map(([name, environment]) => [
        `fake-${name}-${environment}-1`,
        `https://${name}.${environment}.invalid`,
      ]),
    );
    expect(app.get(EasyHttpService)).toBe(app.get(getProviderHttpToken('easy', 'sandbox')));
  });

  it('C5: has the options of the test', async () => {
    const app = await start(ProviderAuthTestingModule.forRoot({ environment: 'production' }));
    expect(app.get(EasyHttpService)).toBe(app.get(getProviderHttpToken('easy', 'production')));
    const wrong = ProviderAuthTestingModule.forRoot({ enviroment: 'production' } as object);
    const error = await errorOf(start(wrong));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(error).toMatchObject({ problems: [{ path: 'enviroment' }] });
  });

  it('C1: is global, and reads no variable of the process', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const app = await start(ProviderAuthTestingModule.forRoot(), CheckoutModule);
    expect(app.get(CheckoutService, { strict: false }).easy).toBe(app.get(EasyHttpService));
  });

  it('C1: can be the class itself', async () => {
    const app = await start(ProviderAuthTestingModule, CheckoutModule);
    const { tokens } = app.get(ProviderAuthService).client('easy');
    expect((await tokens.getToken()).reveal()).toBe('fake-easy-sandbox-1');
    expect(app.get(CheckoutService, { strict: false }).easy).toBe(app.get(EasyHttpService));
  });

  it('C2 B21 B29: sends nothing, whatever adapter a request chooses, and one mock answers fetch, too', async () => {
    const app = await start(ProviderAuthTestingModule.forRoot());
    const easy = app.get(EasyHttpService);
    for (const adapter of ['http', 'fetch', undefined])
      expect(await errorOf(easy.axiosRef.get('/a', adapter === undefined ? {} : { adapter }))).toMatchObject({
        code: 'ERR_NO_MOCK',
      });
    for (const adapter of [easy.axiosRef.defaults.adapter, 'http', 'fetch']) {
      easy.axiosRef.defaults.adapter = adapter as never;
      expect(await errorOf(easy.fetch('/a'))).toMatchObject({
        name: 'TypeError',
        cause: { code: 'ERR_NO_MOCK' },
      });
    }
    easy.axiosRef.defaults.adapter = (config: InternalAxiosRequestConfig) =>
      Promise.resolve({ status: 200, statusText: '', headers: {}, data: 'mocked', config });
    expect((await easy.axiosRef.get('/a')).data).toBe('mocked');
    expect(await (await easy.fetch('/a')).text()).toBe('mocked');
  });

  it('C1: gives each application its own clients, and all registrations of one application the same', async () => {
    const module = ProviderAuthTestingModule.forRoot();
    const apps = [];
    for (let count = 0; count < 2; count += 1) apps.push(await start(module, registration(), CheckoutModule));
    const [one, other] = apps.map((app) => app.get(CheckoutService, { strict: false }).easy);
    expect(one).not.toBe(other);
    expect(apps.map((app) => app.get(EasyHttpService))).toEqual([one, other]);
  });

  it('C1: replaces a registration whose options cannot boot', async () => {
    @Module({ imports: [registration(), CheckoutModule] })
    class AppModule {}
    const app = await compiled(
      Test.createTestingModule({ imports: [AppModule] })
        .overrideModule(ProviderAuthModule)
        .useModule(ProviderAuthTestingModule.forRoot()),
    );
    const { easy } = app.get(CheckoutService, { strict: false });
    expect(easy.axiosRef.defaults.baseURL).toBe('https://easy.sandbox.invalid');
  });

  it('B24: works for a definition while another one is registered', async () => {
    const modules = [
      ProviderAuthTestingModule.forRoot({ provider: warehouse, environment: 'live' }),
      ProviderAuthTestingModule.forRoot({ provider: archive }),
    ];
    const app = await start(...modules);
    const [stock, archived] = [warehouse.httpToken('stock'), archive.httpToken('stock')].map((token) =>
      app.get<HttpService>(token),
    );
    expect([stock?.axiosRef.defaults.baseURL, archived?.axiosRef.defaults.baseURL]).toEqual([
      'https://stock.live.warehouse.invalid',
      'https://stock.test.archive.invalid',
    ]);
    expect(modules[0]?.module).not.toBe(modules[1]?.module);
    expect(ProviderAuthTestingModule.forRoot({ provider: warehouse }).module).toBe(modules[0]?.module);
  });

  it('B24: is global for a definition, too', async () => {
    const token = warehouse.httpToken('stock');
    @Module({ providers: [{ provide: 'A_SERVICE', useFactory: (http: unknown) => http, inject: [token] }] })
    class StockModule {}
    const app = await start(ProviderAuthTestingModule.forRoot({ provider: warehouse }), StockModule);
    expect(app.get('A_SERVICE', { strict: false })).toBe(app.get(token));
  });

  it('C1 B33: gives another scope a token with another text', async () => {
    const app = await start(ProviderAuthTestingModule.forRoot({ provider: warehouse }));
    const tokens = app.get<TokenProvider>(warehouse.tokenProviderToken('stock', 'test'));
    const texts = [tokens, tokens.for({ scope: 'stock.write' })].map(async (one) =>
      (await one.getToken()).reveal(),
    );
    expect(await Promise.all(texts)).toEqual(['fake-warehouse-stock-test-1', 'fake-warehouse-stock-test-2']);
  });

  it('B24: refuses what is no definition', () => {
    expect(() => ProviderAuthTestingModule.forRoot({ provider: { ...warehouse } })).toThrow(
      '`provider` must be what defineProvider() returned.',
    );
  });
});

describe('ProviderAuthTestingModule.withOptions()', () => {
  it('C1: has these options instead of those of the application', async () => {
    @Module({ imports: [registration(), CheckoutModule] })
    class AppModule {}
    const app = await compiled(
      Test.createTestingModule({ imports: [AppModule] })
        .overrideModule(ProviderAuthModule)
        .useModule(ProviderAuthTestingModule.withOptions(REAL)),
    );
    const { easy } = app.get(CheckoutService, { strict: false });
    expect(easy.axiosRef.defaults.baseURL).toBe('https://easy.sandbox.example/v1');
    expect(app.get(EasyHttpService)).toBe(easy);
  });

  it('C4: checks them with the variables of the process', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const error = await errorOf(start(ProviderAuthTestingModule.withOptions(REAL)));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
  });

  it('B24: accepts options of a definition if you pass the definition', async () => {
    const options = optionsOf(['test', 'live'], 'stock');
    const app = await start(ProviderAuthTestingModule.withOptions(options as never, { provider: warehouse }));
    const { axiosRef } = app.get<HttpService>(warehouse.httpToken('stock'));
    expect(axiosRef.defaults.baseURL).toBe('https://stock.test.example/v1');
  });

  it.each([['returns'], ['bankOrders', 'returns']])(
    'B24: says what is missing for options of a definition: %s',
    (...names) => {
      const options = optionsOf(['test', 'live'], ...names) as ProviderAuthOptions;
      expect(() => ProviderAuthTestingModule.withOptions(options)).toThrow(
        new TypeError(
          'withOptions() got options for warehouse. Pass { provider } as the second argument, with what defineProvider() returned.',
        ),
      );
    },
  );

  it.each([
    ['of no definition', optionsOf(['test', 'live'], 'returns', 'nothing')],
    ['without interfaces', { interfaces: {} }],
    ['with wrong interfaces', { interfaces: null }],
    ['without anything', {}],
  ])('B24: leaves options to the check of the module: %s', async (_, options) => {
    const module = ProviderAuthTestingModule.withOptions(options as ProviderAuthOptions);
    expect(await errorOf(start(module))).toBeInstanceOf(ProviderAuthConfigError);
  });
});

it('C2: the base URL of a client is known to a mock', () => {
  expect([
    ProviderAuthTestingModule.baseUrl('easy'),
    ProviderAuthTestingModule.baseUrl('easy', 'production'),
    ProviderAuthTestingModule.baseUrl('bankOrders', 'live', { provider: warehouse }),
  ]).toEqual([
    'https://easy.sandbox.invalid',
    'https://easy.production.invalid',
    'https://bankorders.live.warehouse.invalid',
  ]);
});
