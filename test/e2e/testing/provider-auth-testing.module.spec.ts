import dns from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { HttpService } from '@nestjs/axios';
import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import axiosRetry from 'axios-retry';
import MockAdapter from 'axios-mock-adapter';
import nock from 'nock';
import { firstValueFrom, of } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  EasyHttpService,
  getProviderHttpToken,
  getTokenProviderToken,
  InjectProviderHttp,
  InjectTokenProvider,
  OriginationsHttpService,
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
  providerAuthConfig,
  TokenProvider,
} from '../../../lib/index.js';
import { ProviderAuthTestingModule, type ProviderSimulator } from '../../../lib/testing/index.js';
import { ALL_PAIRS, startSimulator } from '../../support/application/simulator.js';

@Injectable()
class CheckoutService {
  constructor(
    readonly easy: EasyHttpService,
    readonly originations: OriginationsHttpService,
    readonly auth: ProviderAuthService,
    @InjectProviderHttp('easy', 'production') readonly easyProduction: HttpService,
    @InjectTokenProvider('easy') readonly tokens: TokenProvider,
  ) {}

  async payment(): Promise<unknown> {
    return (await firstValueFrom(this.easy.get<unknown>('/payments/1'))).data;
  }
}

@Module({ providers: [CheckoutService] })
class CheckoutModule {}

async function compiled(builder: TestingModuleBuilder) {
  const app = await builder.compile();
  await app.init();
  onTestFinished(() => app.close());
  return { app, checkout: app.get(CheckoutService) };
}

/** The service under test, and the testing module. */
function start(options?: Parameters<typeof ProviderAuthTestingModule.forRoot>[0]) {
  return compiled(
    Test.createTestingModule({
      imports: [ProviderAuthTestingModule.forRoot(options)],
      providers: [CheckoutService],
    }),
  );
}

/** Answers every request with its Authorization header. */
function echo(service: HttpService): void {
  service.axiosRef.defaults.adapter = (config) =>
    Promise.resolve({
      data: config.headers.get('Authorization'),
      status: 200,
      statusText: 'OK',
      headers: {},
      config,
    });
}

/** With nock, until the test ends. */
function mockTheNetwork(): void {
  if (!nock.isActive()) nock.activate();
  onTestFinished(() => {
    nock.cleanAll();
    nock.restore();
  });
}

describe('every injection', () => {
  it('C1: works for all interfaces and environments, and each pair has its own fake token', async () => {
    const { app } = await start();
    for (const [name, environment] of ALL_PAIRS) {
      const tokens = app.get<TokenProvider>(getTokenProviderToken(name, environment));
      const http = app.get<HttpService>(getProviderHttpToken(name, environment));
      expect(tokens).toBeInstanceOf(TokenProvider);
      expect((await tokens.getToken()).reveal()).toBe(`fake-${name}-${environment}-1`);
      expect(String(await tokens.getToken())).toBe('[redacted]');
      echo(http);
      expect((await firstValueFrom(http.get('/'))).data).toBe(`Bearer fake-${name}-${environment}-1`);
      expect(http.axiosRef.defaults.baseURL).toBe(ProviderAuthTestingModule.baseUrl(name, environment));
    }
    const { auth } = app.get(CheckoutService);
    expect(auth.providers()).toHaveLength(4);
    expect(auth.status().map(({ state, active }) => [state, active])).toEqual([
      ['valid', true],
      ['valid', false],
      ['valid', true],
      ['valid', false],
    ]);
  });

  it('C1: gives the same client of a pair for each injection token', async () => {
    const { app, checkout } = await start();
    expect(checkout.easy).toBe(app.get(getProviderHttpToken('easy', 'sandbox')));
    expect(checkout.easy).toBe(app.get(getProviderHttpToken('easy')));
    expect(checkout.tokens).toBe(app.get(getTokenProviderToken('easy', 'sandbox')));
  });

  it('C5: follows the environment that the test chooses, for one interface or for all', async () => {
    const all = await start({ environment: 'production' });
    expect(all.checkout.easy).toBe(all.checkout.easyProduction);
    const one = await start({ environment: { easy: 'production' } });
    expect(one.checkout.easy).toBe(one.checkout.easyProduction);
    expect(one.checkout.originations.axiosRef.defaults.baseURL).toBe('https://originations.sandbox.invalid');
  });

  it.each([
    [{ enviroment: 'production' }, 'enviroment'],
    [{ environment: { esay: 'production' } }, 'environment.esay'],
    [{ environment: null }, 'environment'],
    [{ http: { timeout: 5 } }, 'http.timeout'],
    [{ http: null }, 'http'],
    [{ http: 5 }, 'http'],
  ])('C4: wrong options are reported as the module reports them: %j', async (options, path) => {
    const error: unknown = await start(options as object).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect((error as ProviderAuthConfigError).problems.map((problem) => problem.path)).toEqual([path]);
  });
});

/** An application, with the testing module in place of its registration. */
function compiledWithFake(
  AppModule: Type,
  registration: Parameters<TestingModuleBuilder['overrideModule']>[0] = ProviderAuthModule,
) {
  const builder = Test.createTestingModule({ imports: [AppModule] });
  return compiled(builder.overrideModule(registration).useModule(fake()));
}

function fake(): DynamicModule {
  return ProviderAuthTestingModule.forRoot();
}

it('works with variables with which the module itself would not boot', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  expect((await (await start()).checkout.tokens.getToken()).reveal()).toBe('fake-easy-sandbox-1');
});

it('B33: gives any account tokens that show its name', async () => {
  const { checkout } = await start();
  const forMerchant = checkout.tokens.for({ account: 'merchant-42' });
  expect((await forMerchant.getToken()).reveal()).toBe('fake-easy-sandbox-merchant-42-1');
  echo(checkout.easy);
  const answer = await firstValueFrom(
    checkout.easy.for({ account: 'merchant 7' }).get<unknown>('/payments/1'),
  );
  expect(answer.data).toBe('Bearer fake-easy-sandbox-merchant-7-1');
  expect(await checkout.payment()).toBe('Bearer fake-easy-sandbox-1');
});

function another(provider: ProviderSimulator): DynamicModule {
  return ProviderAuthModule.forRoot(provider.options());
}

describe('in place of ProviderAuthModule', () => {
  /** Every way to register the module, with a configuration that cannot boot. */
  const broken = {} as ProviderAuthOptions;
  const read = vi.fn<() => ProviderAuthOptions>(() => broken);
  class Factory {
    createProviderAuthOptions = read;
  }
  const registrations = {
    'forRoot(options)': () => ProviderAuthModule.forRoot(broken),
    'forRootAsync({ useFactory })': () => ProviderAuthModule.forRootAsync({ useFactory: read }),
    'forRootAsync({ useClass })': () => ProviderAuthModule.forRootAsync({ useClass: Factory }),
    'forRootAsync({ imports, inject })': () =>
      ProviderAuthModule.forRootAsync({
        imports: [ConfigModule.forFeature(providerAuthConfig)],
        inject: [providerAuthConfig.KEY],
        useFactory: (config: ProviderAuthOptions) => config,
      }),
    'forRootAsync(providerAuthConfig.asProvider())': () =>
      ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
  };

  it.each(Object.entries(registrations))(
    'overrideModule(ProviderAuthModule) replaces %s, whose options are not read',
    async (_, register) => {
      @Module({ imports: [register(), CheckoutModule] })
      class AppModule {}
      const { app, checkout } = await compiledWithFake(AppModule);
      // A test gets the same instance by `app.get` as the service by injection.
      expect(app.get(EasyHttpService)).toBe(checkout.easy);
      expect(app.get(ProviderAuthService)).toBe(checkout.auth);
      expect(app.get(getTokenProviderToken('easy'))).toBe(checkout.tokens);
      echo(app.get(EasyHttpService));
      expect(await checkout.payment()).toBe('Bearer fake-easy-sandbox-1');
      expect(read).not.toHaveBeenCalled();
    },
  );

  it('replaces each of several registrations that are not global', async () => {
    @Injectable()
    class Left {
      constructor(readonly easy: EasyHttpService) {}
    }
    const own = () => ProviderAuthModule.forRootAsync({ isGlobal: false, useFactory: read });
    @Module({ imports: [own()], providers: [Left] })
    class LeftModule {}
    @Module({ imports: [LeftModule, own()], providers: [CheckoutService] })
    class AppModule {}
    const { app, checkout } = await compiledWithFake(AppModule);
    expect(app.get(Left).easy).toBe(checkout.easy);
    expect(read).not.toHaveBeenCalled();
  });

  it('can be a class, too', async () => {
    @Module({ imports: [registrations['forRoot(options)'](), CheckoutModule] })
    class AppModule {}
    const { checkout } = await compiled(
      Test.createTestingModule({ imports: [AppModule] })
        .overrideModule(ProviderAuthModule)
        .useModule(ProviderAuthTestingModule),
    );
    expect((await checkout.tokens.getToken()).reveal()).toBe('fake-easy-sandbox-1');
  });

  it('can replace exactly the registration of the application', async () => {
    const registration = registrations['forRoot(options)']();
    @Module({ imports: [registration, CheckoutModule] })
    class AppModule {}
    const { checkout } = await compiledWithFake(AppModule, registration);
    expect((await checkout.tokens.getToken()).reveal()).toBe('fake-easy-sandbox-1');
  });

  it('wins over a registration that is imported at the same time', async () => {
    @Module({ imports: [registrations['forRoot(options)'](), CheckoutModule] })
    class AppModule {}
    const { app, checkout } = await compiled(Test.createTestingModule({ imports: [AppModule, fake()] }));
    expect((await checkout.tokens.getToken()).reveal()).toBe('fake-easy-sandbox-1');
    expect(app.get(EasyHttpService)).toBe(checkout.easy);
  });

  it('can connect a whole application to a simulator', async () => {
    const provider = await startSimulator();
    @Module({ imports: [registrations['forRoot(options)'](), CheckoutModule] })
    class AppModule {}
    const { app, checkout } = await compiled(
      Test.createTestingModule({ imports: [AppModule] })
        .overrideModule(ProviderAuthModule)
        .useModule(ProviderAuthTestingModule.withOptions(provider.options())),
    );
    expect(app.get(EasyHttpService)).toBe(checkout.easy);
    expect(await checkout.payment()).toMatchObject({ interface: 'easy', environment: 'sandbox' });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  @Module({})
  class OwnModule {}

  it.each([
    ['another registration', another, true],
    ['another registration, where the first is not global,', another, false],
    ['a module of the user', () => OwnModule, true],
    ['a module of the user, where the registration is not global,', () => OwnModule, false],
  ])('%s is refused, and the error says what to use', async (_, replacement, isGlobal) => {
    const provider = await startSimulator();
    @Module({ imports: [ProviderAuthModule.forRoot({ ...provider.options(), isGlobal })] })
    class AppModule {}
    const builder = Test.createTestingModule({ imports: [AppModule] })
      .overrideModule(ProviderAuthModule)
      .useModule(replacement(provider));
    await expect(builder.compile()).rejects.toThrow(/Use ProviderAuthTestingModule\.forRoot\(\), or/);
  });

  it('keeps tests separate: each test has its own clients and tokens', async () => {
    const module = fake();
    const [one, other] = await Promise.all(
      [1, 2].map(() =>
        compiled(Test.createTestingModule({ imports: [module], providers: [CheckoutService] })),
      ),
    );
    expect(one?.checkout.easy).not.toBe(other?.checkout.easy);
    echo(one!.checkout.easy);
    await expect(other?.checkout.payment()).rejects.toMatchObject({ code: 'ERR_NO_MOCK' });
  });

  it('a mock that useMocker creates is not used as a replacement', async () => {
    const provider = await startSimulator();
    const { checkout } = await compiled(
      Test.createTestingModule({
        imports: [ProviderAuthModule.forRoot(provider.options()), CheckoutModule],
      }).useMocker(() => ({ settings: 'a mock', service: 'a mock' })),
    );
    await checkout.payment();
    expect(provider.tokenRequests).toHaveLength(1);
  });
});

describe("the caller's own mocks", () => {
  it('C2: axios-mock-adapter answers and sees the fake token, and the answer does not show the token', async () => {
    const { checkout } = await start();
    // The package has only the CommonJS types of axios.
    const mock = new MockAdapter(checkout.easy.axiosRef as never);
    mock.onGet('/payments/1').reply(200, { id: 1 });
    const answer = await firstValueFrom(checkout.easy.get('/payments/1'));
    expect(answer.data).toEqual({ id: 1 });
    expect(mock.history['get']?.[0]?.headers?.['Authorization']).toBe('Bearer fake-easy-sandbox-1');
    expect(JSON.stringify(answer.config)).not.toContain('fake-easy');
  });

  it('C3: after a mocked 401 the token is renewed and the request is resent once', async () => {
    const { checkout } = await start();
    const mock = new MockAdapter(checkout.easy.axiosRef as never);
    mock.onGet('/payments/1').replyOnce(401).onGet('/payments/1').reply(200, 'paid');
    expect(await checkout.payment()).toBe('paid');
    expect(mock.history['get']?.map(({ headers }): unknown => headers?.['Authorization'])).toEqual([
      'Bearer fake-easy-sandbox-1',
      'Bearer fake-easy-sandbox-2',
    ]);
  });

  it('C3: retryUnauthorized: false returns a mocked 401', async () => {
    const { checkout } = await start({ http: { retryUnauthorized: false } });
    const mock = new MockAdapter(checkout.easy.axiosRef as never);
    mock.onGet('/payments/1').replyOnce(401).onGet('/payments/1').reply(200, 'paid');
    await expect(checkout.payment()).rejects.toMatchObject({ status: 401 });
  });

  it('S6: a request outside the base URL is refused, also with a mock', async () => {
    const { checkout } = await start();
    echo(checkout.easy);
    const call = firstValueFrom(checkout.easy.get('https://elsewhere.example/payments'));
    await expect(call).rejects.toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  });

  it('nock answers at the address of baseUrl()', async () => {
    mockTheNetwork();
    const { checkout } = await start();
    nock(ProviderAuthTestingModule.baseUrl('easy', 'sandbox'), {
      reqheaders: { authorization: 'Bearer fake-easy-sandbox-1' },
    })
      .get('/payments/1')
      .reply(200, { nocked: true });
    expect(await checkout.payment()).toEqual({ nocked: true });
  });

  it('a spy on the client answers', async () => {
    const { checkout } = await start();
    vi.spyOn(checkout.easy, 'get').mockReturnValue(of<never>({ data: 'spied' } as never));
    expect(await checkout.payment()).toBe('spied');
  });

  it('overrideProvider replaces a client', async () => {
    const { checkout } = await compiled(
      Test.createTestingModule({
        imports: [ProviderAuthTestingModule.forRoot()],
        providers: [CheckoutService],
      })
        .overrideProvider(EasyHttpService)
        .useValue({ get: () => of({ data: 'stubbed' }) }),
    );
    expect(await checkout.payment()).toBe('stubbed');
  });

  it('S8: with fake timers a token expires, and the next token is used', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { checkout } = await start();
    echo(checkout.easy);
    expect(await checkout.payment()).toBe('Bearer fake-easy-sandbox-1');
    await vi.advanceTimersByTimeAsync(3_599_999);
    expect(await checkout.payment()).toBe('Bearer fake-easy-sandbox-1');
    await vi.advanceTimersByTimeAsync(1);
    expect(await checkout.payment()).toBe('Bearer fake-easy-sandbox-2');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a request without a mock', () => {
  it('fails at once and says what to do, also with fake timers', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { checkout } = await start();
    await expect(checkout.payment()).rejects.toMatchObject({
      code: 'ERR_NO_MOCK',
      message: expect.stringMatching(
        /^No mock answers GET https:\/\/easy\.sandbox\.invalid\/payments\/1, .*axios-mock-adapter/,
      ),
    });
    await expect(firstValueFrom(checkout.easy.post('/payments?x=1', { id: 1 }))).rejects.toThrow(
      'POST https://easy.sandbox.invalid/payments?x=1',
    );
  });

  it('resolves no name and calls no proxy', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connection', () => asked.push('a proxy'));
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'])
      vi.stubEnv(name, `http://127.0.0.1:${port}`);
    vi.spyOn(dns, 'lookup').mockImplementation(() => void asked.push('a resolver'));
    const { checkout } = await start();
    await expect(checkout.payment()).rejects.toMatchObject({ code: 'ERR_NO_MOCK' });
    const proxied = { proxy: { protocol: 'http', host: '127.0.0.1', port } };
    await expect(firstValueFrom(checkout.easy.get('/', proxied))).rejects.toMatchObject({
      code: 'ERR_NO_MOCK',
    });
    await expect(checkout.easy.axiosRef.get('/', { httpVersion: 2 })).rejects.toMatchObject({
      code: 'ERR_NO_MOCK',
    });
    expect(asked).toEqual([]);
  });

  it('is named in the error after a mocked redirect', async () => {
    mockTheNetwork();
    const { checkout } = await start({ http: { maxRedirects: 2 } });
    nock(ProviderAuthTestingModule.baseUrl('easy', 'sandbox'))
      .get('/payments/1')
      .reply(302, '', { location: 'https://elsewhere.invalid/receipt?n=1' });
    await expect(checkout.payment()).rejects.toThrow(
      /^No mock answers GET https:\/\/elsewhere\.invalid\/receipt\?n=1, /,
    );
  });

  it.each<[string, RegExp, () => unknown]>([
    ['without mocks', /^No mock answers/, () => undefined],
    [
      'with a mock of nock for another path',
      /^Nock: No match/,
      () => nock(ProviderAuthTestingModule.baseUrl('easy')).get('/payments/2').reply(200),
    ],
  ])('is not repeated by axios-retry with its defaults: %s', async (_, message, mock) => {
    mockTheNetwork();
    mock();
    const { checkout } = await start();
    const { axiosRef } = checkout.easy;
    const sent: unknown[] = [];
    axiosRef.interceptors.request.use((config) => {
      sent.push(config.url);
      return config;
    });
    axiosRetry(axiosRef, { retryDelay: () => 0 });
    await expect(checkout.payment()).rejects.toThrow(message);
    expect(sent).toEqual(['/payments/1']);
  });

  it('S10: its error does not contain the token', async () => {
    const { checkout } = await start();
    const error: unknown = await checkout.payment().catch((reason: unknown) => reason);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('fake-easy-sandbox-1');
  });
});
