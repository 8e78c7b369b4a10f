import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  defineProvider,
  EasyHttpService,
  providerAuthConfig,
  ProviderAuthConfigError,
  ProviderAuthModule,
  ProviderAuthService,
} from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';
import {
  MemoryTokenStore,
  ProviderAuthTestingModule,
  ProviderSimulator,
} from '../../../lib/testing/index.js';
import { setVariables } from '../../support/application/variables.js';
import { consultCommand } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';
import { TestTelemetry } from '../../support/application/telemetry.js';
import { archive, warehouse } from '../../support/application/warehouse.js';
import { ROOT } from '../../support/package/packed-package.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type Imports = NonNullable<Parameters<typeof Module>[0]['imports']>;

const BUILT_LIBRARY = pathToFileURL(join(ROOT, 'dist/esm/index.js')).href;

async function appWith(imports: Imports, logger?: CapturedLogs) {
  @Module({ imports: [TerminusModule, ...imports], providers: [ProviderAuthHealthIndicator] })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, {
    logger: logger ?? false,
    abortOnError: false,
  });
  onTestFinished(() => app.close());
  return app;
}

async function simulators() {
  const all = {
    builtIn: await startSimulator(),
    stores: await ProviderSimulator.start({ provider: warehouse }),
    papers: await ProviderSimulator.start({ provider: archive }),
  };
  onTestFinished(async () => {
    await all.stores.close();
    await all.papers.close();
  });
  return all;
}

const getStock = (app: { get: (token: string) => unknown }, token: string): Promise<unknown> =>
  firstValueFrom((app.get(token) as HttpService).get('/'));

describe('B24: what operators see of each definition', () => {
  it('B24: health names the interfaces of other providers by provider, and one failing provider is down', async () => {
    const { builtIn, stores, papers } = await simulators();
    const app = await appWith([
      ProviderAuthModule.forRoot(builtIn.options()),
      warehouse.Module.forRoot(stores.options()),
      archive.Module.forRoot(papers.options()),
    ]);
    const health = () => app.get(ProviderAuthHealthIndicator).isHealthy('auth');
    const { auth } = await health();
    expect(Object.keys(auth).toSorted()).toEqual([
      'archive.stock',
      'easy',
      'originations',
      'status',
      'warehouse.bankOrders',
      'warehouse.returns',
      'warehouse.stock',
    ]);
    papers.token.refuse('invalid_client');
    await errorOf(getStock(app, archive.httpToken('stock')));
    expect(await health()).toMatchObject({
      auth: {
        status: 'down',
        'archive.stock': { state: 'failing', code: 'TOKEN_REJECTED' },
        'warehouse.stock': { state: 'empty' },
      },
    });
  });

  it('B24: health works in an application without the built-in provider', async () => {
    const { papers } = await simulators();
    const app = await appWith([archive.Module.forRoot(papers.options())]);
    expect(await app.get(ProviderAuthHealthIndicator).isHealthy('auth')).toEqual({
      auth: { status: 'up', 'archive.stock': { environment: 'test', state: 'empty' } },
    });
  });

  it('B24: events and metrics have the name of the provider', async () => {
    const telemetry = TestTelemetry.register();
    const events: unknown[] = [];
    const listen = (event: unknown): void => void events.push(event);
    subscribe('provider-auth:token-request', listen);
    onTestFinished(() => void unsubscribe('provider-auth:token-request', listen));
    const { builtIn, stores, papers } = await simulators();
    const app = await appWith([
      ProviderAuthTelemetryModule.forRoot(),
      ProviderAuthModule.forRoot(builtIn.options()),
      warehouse.Module.forRoot(stores.options()),
      archive.Module.forRoot(papers.options()),
    ]);
    for (const { httpToken } of [warehouse, archive]) await getStock(app, httpToken('stock'));
    const pair = { interface: 'stock', environment: 'test' };
    expect(events).toMatchObject([
      { provider: 'warehouse', ...pair },
      { provider: 'archive', ...pair },
    ]);
    const metrics = await telemetry.metrics();
    const attributesOf = (metric: string) =>
      metrics
        .find(({ descriptor }) => descriptor.name === metric)
        ?.dataPoints.map(({ attributes }) => attributes);
    expect(attributesOf('provider_auth.token.requests')).toMatchObject([
      { provider: 'warehouse', ...pair },
      { provider: 'archive', ...pair },
    ]);
    expect(attributesOf('provider_auth.provider.failing')).toContainEqual({ provider: 'archive', ...pair });
    expect(attributesOf('provider_auth.provider.failing')).toContainEqual({
      provider: 'provider',
      interface: 'easy',
      environment: 'sandbox',
    });
  });

  it('B24: log lines have the name of the provider', async () => {
    const logs = new CapturedLogs();
    const { papers } = await simulators();
    await appWith([archive.Module.forRoot(papers.options())], logs);
    expect(JSON.stringify(logs.lines)).toMatch(/archive stock test is active/);
  });
});

describe('B24: processes share tokens', () => {
  it('B24: of each definition and each interface, and none gets a token of another', async () => {
    const { stores, papers } = await simulators();
    const store = new MemoryTokenStore();
    const start = () =>
      appWith([
        warehouse.Module.forRoot(stores.options({ store })),
        archive.Module.forRoot(papers.options({ store })),
      ]);
    const apps = [await start(), await start()];
    for (const app of apps)
      for (const token of [
        warehouse.httpToken('stock'),
        warehouse.httpToken('returns'),
        archive.httpToken('stock'),
      ])
        await getStock(app, token);
    expect(stores.tokenRequests.map(({ interface: name }) => name)).toEqual(['stock', 'returns']);
    expect(papers.tokenRequests).toHaveLength(1);
    expect([...stores.apiRequests, ...papers.apiRequests].map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => 200),
    );
  });

  it('B24: but not two definitions with the same client at the same token URL', async () => {
    const one = defineProvider({ name: 'one', environments: ['test'], interfaces: { api: {} } });
    const two = defineProvider({ name: 'two', environments: ['test'], interfaces: { api: {} } });
    const simulated = await ProviderSimulator.start({ provider: one });
    onTestFinished(() => simulated.close());
    const store = new MemoryTokenStore();
    const app = await appWith([
      one.Module.forRoot(simulated.options({ store })),
      two.Module.forRoot(simulated.options({ store })),
    ]);
    for (const { httpToken } of [one, two]) await getStock(app, httpToken('api'));
    expect(simulated.tokenRequests).toHaveLength(2);
  });
});

const DOCTOR_FILES = {
  'source.ts': '@Module() class AppModule {}',
  'providers.mjs': `
    import { defineProvider } from '${BUILT_LIBRARY}';
    export const archive = defineProvider({ name: 'archive', environments: ['test', 'live'], interfaces: { stock: { clientAuth: 'basic' } } });
    export const warehouse = defineProvider({
      name: 'warehouse',
      environments: ['test', 'live'],
      interfaces: {
        stock: { scope: 'stock.read stock.write' },
        bankOrders: { tokenUrlPer: 'interface', tokenPath: /\\/oauth2\\/token$/, audience: 'https://orders.example', clientAuth: 'basic' },
        returns: { clientAuth: 'private_key_jwt', resource: 'https://returns.example/v1' },
      },
    });
  `,
  'nothing.mjs': 'export const a = 1;',
  'broken.mjs': `import { defineProvider } from '${BUILT_LIBRARY}'; defineProvider({ name: 'provider', environments: ['a'], interfaces: { b: {} } });`,
};

/** A definition with one environment. */
const define = (name: string, interfaces: Record<string, object> = { stock: {} }) =>
  defineProvider({ name, environments: ['test'], interfaces });

/** The options with an agent that trusts a simulator. */
const withAgent = (agent: object, options: object) => ({ ...options, http: { httpsAgent: agent } }) as never;

/** Two definitions whose variables differ in one letter. The variables of both are set. */
async function twoBanks() {
  const [bank1, bank2] = [define('bankAlpha'), define('bankAlphb')];
  const ofBank1 = await ProviderSimulator.start({ provider: bank1 });
  onTestFinished(() => ofBank1.close());
  const ofBank2 = await ProviderSimulator.start({ provider: bank2 });
  onTestFinished(() => ofBank2.close());
  setVariables({ ...ofBank1.env(), ...ofBank2.env() });
  return { bank1, bank2, ofBank1, ofBank2 };
}

async function problemOf(...definitions: ReturnType<typeof define>[]): Promise<string> {
  const modules = definitions.map((one) =>
    one.Module.forRootAsync({
      useFactory: async () => {
        const simulated = await ProviderSimulator.start({ provider: one });
        onTestFinished(() => simulated.close());
        return simulated.options();
      },
    }),
  );
  const error = await errorOf(appWith(modules));
  expect(error).toBeInstanceOf(ProviderAuthConfigError);
  return String(error);
}

const failingEasy = () => [
  { interface: 'easy', environment: 'sandbox', active: true, configured: true, state: 'failing' },
];

describe('B29: health', () => {
  it('B29: is down if no provider is in the application', async () => {
    const app = await appWith([]);
    const { auth } = await app.get(ProviderAuthHealthIndicator).isHealthy('auth');
    expect(auth).toEqual({ status: 'down', message: 'ProviderAuthModule is not in this application.' });
  });

  it('B29: reads a service that a test has put in place of ours', async () => {
    const module = await Test.createTestingModule({
      imports: [TerminusModule, ProviderAuthModule.forRoot((await startSimulator()).options())],
      providers: [ProviderAuthHealthIndicator],
    })
      .overrideProvider(ProviderAuthService)
      .useValue({ status: failingEasy, providers: () => [] })
      .compile();
    onTestFinished(() => module.close());
    const { auth } = await module.get(ProviderAuthHealthIndicator).isHealthy('auth');
    expect(auth).toMatchObject({ status: 'down', easy: { state: 'failing' } });
    expect(module.get(EasyHttpService).baseUrl).toMatch(/^https:/);
  });
});

describe('B24: an application refuses at boot', () => {
  it('B24: two definitions with one name', async () => {
    expect(await problemOf(define('bank'), define('bank'))).toContain(
      'has the same name as another definition in this application (bank)',
    );
  });

  it('B24: two definitions that use one variable', async () => {
    const problem = await problemOf(define('bank', { ordersStock: {} }), define('bankOrders'));
    expect(problem).toContain('BANK_ORDERS_STOCK_ENVIRONMENT, which bank uses too');
  });

  it('B24: wrong options, and names the definition', async () => {
    const error = await errorOf(
      appWith([
        archive.Module.forRoot({ environment: 'test', interfaces: { stock: { test: {} as never } } }),
      ]),
    );
    expect(String(error)).toContain('The configuration of archive (nestjs-provider-auth) has 4 problems');
  });

  it('B24: misspelt variables of a definition, but no variable of another definition', async () => {
    const { bank1, bank2, ofBank1, ofBank2 } = await twoBanks();
    setVariables({ BANK_ALPHA_STOCK_TEST_BASE_ULR: 'x' });
    const modules = () => [
      bank1.Module.forRootAsync({ useFactory: () => withAgent(ofBank1.agent(), bank1.config()) }),
      bank2.Module.forRootAsync({ useFactory: () => withAgent(ofBank2.agent(), bank2.config()) }),
    ];
    expect(String(await errorOf(appWith(modules())))).toMatch(
      /BANK_ALPHA_STOCK_TEST_BASE_ULR +is not a variable of this module\. Did you mean BANK_ALPHA_STOCK_TEST_BASE_URL\?/,
    );
    delete process.env['BANK_ALPHA_STOCK_TEST_BASE_ULR'];
    await getStock(await appWith(modules()), bank2.httpToken('stock'));
  });

  it.each(['first', 'last'])(
    'B24: no variable of a definition whose module is registered %s, after the variables were read',
    async (place) => {
      const { bank1, bank2, ofBank1, ofBank2 } = await twoBanks();
      const options = {
        ofBank1: withAgent(ofBank1.agent(), bank1.config()),
        ofBank2: withAgent(ofBank2.agent(), bank2.config()),
      };
      const modules = [bank1.Module.forRoot(options.ofBank1), bank2.Module.forRoot(options.ofBank2)];
      const app = await appWith(place === 'first' ? modules.toReversed() : modules);
      for (const { httpToken } of [bank1, bank2]) await getStock(app, httpToken('stock'));
      expect([ofBank1.apiRequests, ofBank2.apiRequests]).toMatchObject([
        [{ status: 200 }],
        [{ status: 200 }],
      ]);
    },
  );

  it('B24: no variable of a definition that another copy of this package has made', async () => {
    const { bank1, ofBank1, ofBank2 } = await twoBanks();
    const copy = (await import(BUILT_LIBRARY)) as { defineProvider: typeof defineProvider };
    expect(copy.defineProvider).not.toBe(defineProvider);
    const bank2 = copy.defineProvider({
      name: 'bankAlphb',
      environments: ['test'],
      interfaces: { stock: {} },
    });
    const app = await appWith([
      bank1.Module.forRootAsync({ useFactory: () => withAgent(ofBank1.agent(), bank1.config()) }),
      bank2.Module.forRootAsync({ useFactory: () => withAgent(ofBank2.agent(), bank2.config()) }),
    ]);
    for (const { httpToken } of [bank1, bank2]) await getStock(app, httpToken('stock'));
  });

  it('B24: a misspelt variable that begins as those of a definition that no module has registered', async () => {
    const { bank1, bank2, ofBank1 } = await twoBanks();
    const modules = () => [
      bank1.Module.forRootAsync({ useFactory: () => withAgent(ofBank1.agent(), bank1.config()) }),
    ];
    expect(bank2.name).toBe('bankAlphb');
    setVariables({ BANK_ALPHB_STOCK_TEST_BASE_UR: 'x' });
    expect(String(await errorOf(appWith(modules())))).toMatch(
      /BANK_ALPHB_STOCK_TEST_BASE_UR +is not a variable of this module\. Did you mean BANK_ALPHA_STOCK_TEST_BASE_URL\?/,
    );
    // The variables of the other definition are right: another service that shares the definitions may use them.
    delete process.env['BANK_ALPHB_STOCK_TEST_BASE_UR'];
    await getStock(await appWith(modules()), bank1.httpToken('stock'));
  });

  it('B24: a misspelt variable that only begins as those of another definition', async () => {
    const providers = define('providers');
    const { builtIn } = await simulators();
    const simulated = await ProviderSimulator.start({ provider: providers });
    onTestFinished(() => simulated.close());
    setVariables({ ...builtIn.env(), ...simulated.env(), PROVIDERS_EASY_SANDBOX_BASE_URL: 'x' });
    const modules = () => [
      ProviderAuthModule.forRootAsync({ useFactory: () => withAgent(builtIn.agent(), providerAuthConfig()) }),
      providers.Module.forRootAsync({ useFactory: () => withAgent(simulated.agent(), providers.config()) }),
    ];
    expect(String(await errorOf(appWith(modules())))).toMatch(
      /PROVIDERS_EASY_SANDBOX_BASE_URL +is not a variable of this module\. Did you mean PROVIDER_EASY_SANDBOX_BASE_URL\?/,
    );
    delete process.env['PROVIDERS_EASY_SANDBOX_BASE_URL'];
    // Two letters differ from PROVIDER_ENVIRONMENT, but only one from the variable that was meant.
    setVariables({ PROVIDERS_ENVIRONMEN: 'x' });
    expect(String(await errorOf(appWith(modules())))).toMatch(
      /PROVIDERS_ENVIRONMEN +is not a variable of this module\. Did you mean PROVIDERS_ENVIRONMENT\?/,
    );
    delete process.env['PROVIDERS_ENVIRONMEN'];
    await getStock(await appWith(modules()), providers.httpToken('stock'));
  });

  it('B24: placeholders, without words of the document of the built-in provider', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'provider-auth-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'secret'), 'changeme');
    const simulated = await ProviderSimulator.start({ provider: archive });
    onTestFinished(() => simulated.close());
    setVariables(simulated.env());
    delete process.env['ARCHIVE_STOCK_TEST_CLIENT_SECRET'];
    setVariables({
      ARCHIVE_STOCK_TEST_CLIENT_ID: 'changeme',
      ARCHIVE_STOCK_TEST_CLIENT_SECRET_FILE: join(folder, 'secret'),
      ARCHIVE_STOCK_LIVE_CLIENT_SECRET: 'changeme',
    });
    const error = await errorOf(appWith([archive.Module.forRootAsync(archive.config.asProvider())]));
    expect((error as ProviderAuthConfigError).problems.map(({ message }) => message)).toEqual([
      'is still a placeholder. Replace it with the value that the provider gave you.',
      'names a file whose content is still a placeholder. Replace it with the value that the provider gave you.',
      'is still a placeholder. Replace it with the value that the provider gave you.',
    ]);
  });

  it('B24: no definition that is registered twice, but warns', async () => {
    const logs = new CapturedLogs();
    const { papers } = await simulators();
    await appWith([archive.Module.forRoot(papers.options()), archive.Module.forRoot(papers.options())], logs);
    expect(JSON.stringify(logs.lines)).toContain('archive.Module is registered 2 times');
  });
});

describe('B29: a refused client assertion', { timeout: 60_000 }, () => {
  const KEY_FILE = 'WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE';
  const KEY_ID = 'WAREHOUSE_RETURNS_TEST_KEY_ID';

  it('B29: error, log, status and doctor name key, id and clock', async () => {
    const { stores } = await simulators();
    const date = new Date(Date.now() - 600_000).toUTCString();
    stores.token.answer({
      status: 401,
      headers: { date, 'content-type': 'application/json' },
      body: JSON.stringify({ error: 'invalid_client' }),
    });
    setVariables(stores.env());
    const logs = new CapturedLogs();
    const app = await appWith(
      [warehouse.Module.forRootAsync({ useFactory: () => withAgent(stores.agent(), warehouse.config()) })],
      logs,
    );
    const error = await errorOf(getStock(app, warehouse.httpToken('returns')));
    const failing = app
      .get(warehouse.Service)
      .status()
      .find(({ state }) => state === 'failing');
    const args = [
      '--provider',
      './providers.mjs',
      '--json',
      '--interface',
      'returns',
      '--environment',
      'test',
    ];
    const { report } = await consultCommand(stores, { files: DOCTOR_FILES, args });
    const steps = report.results[0]?.steps ?? [];
    const found = (name: string) => steps.find((step) => step.name === name);
    const reports = [
      String(error),
      logs.of('ProviderAuth').find((line) => line.startsWith('error ')),
      failing?.lastError?.message,
      found('token-request')?.advice,
    ];
    for (const text of reports) {
      expect(text).toMatch(/The clock of this machine is \d{3} s ahead of the clock of the token endpoint/);
      expect(text).toContain(KEY_FILE);
      expect(text).toContain('the provider must know the public key of this key');
      expect(text).toContain(`${KEY_ID} must be this id`);
    }
    expect(found('clock')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^\d{3} s ahead of the server's$/),
      advice: expect.stringContaining('The clock of this machine is'),
    });
  });
});

describe('B24: the testing module', () => {
  it('B24: replaces the module of one definition and no other', async () => {
    const { builtIn, stores, papers } = await simulators();
    @Module({
      imports: [
        ProviderAuthModule.forRoot(builtIn.options()),
        warehouse.Module.forRoot(stores.options()),
        archive.Module.forRoot(papers.options()),
      ],
    })
    class AppModule {}
    const app = await Test.createTestingModule({ imports: [AppModule] })
      .overrideModule(warehouse.Module)
      .useModule(ProviderAuthTestingModule.forRoot({ provider: warehouse, environment: 'live' }))
      .compile();
    onTestFinished(() => app.close());
    const stock = app.get<HttpService>(warehouse.httpToken('stock'));
    const baseUrl = ProviderAuthTestingModule.baseUrl('stock', 'live', { provider: warehouse });
    expect(stock.axiosRef.defaults.baseURL).toBe(baseUrl);
    expect(String(await errorOf(firstValueFrom(stock.get('/'))))).toContain('No mock answers GET');
    await getStock(app, archive.httpToken('stock'));
    expect(stores.tokenRequests).toEqual([]);
  });

  it('B29: options of a definition without the definition say what is missing', async () => {
    const { stores } = await simulators();
    const options = stores.options() as never;
    expect(() => ProviderAuthTestingModule.withOptions(options)).toThrow(
      'withOptions() got options for warehouse. Pass { provider } as the second argument',
    );
  });

  it('B24: works with a simulator, and beside the testing module of another definition', async () => {
    const { stores } = await simulators();
    const app = await Test.createTestingModule({
      imports: [
        ProviderAuthTestingModule.withOptions(stores.options(), { provider: warehouse }),
        ProviderAuthTestingModule.forRoot({ provider: archive }),
        ProviderAuthTestingModule.forRoot(),
      ],
    }).compile();
    onTestFinished(() => app.close());
    await getStock(app, warehouse.httpToken('returns'));
    expect(stores.apiRequests).toMatchObject([{ status: 200, interface: 'returns' }]);
    expect(app.get(archive.Service).status()).toHaveLength(2);
  });
});

describe('B24: provider-auth doctor --provider', { timeout: 120_000 }, () => {
  it('B24: checks every definition that the module exports', async () => {
    const [stores, papers] = [
      await ProviderSimulator.start({ provider: warehouse }),
      await ProviderSimulator.start({ provider: archive }),
    ];
    onTestFinished(() => stores.close());
    onTestFinished(() => papers.close());
    const both = { ca: `${stores.ca}\n${papers.ca}`, env: () => ({ ...stores.env(), ...papers.env() }) };
    const [all, one, wrong] = await Promise.all([
      consultCommand(both, { files: DOCTOR_FILES, args: ['--provider', './providers.mjs', '--json'] }),
      consultCommand(both, {
        files: DOCTOR_FILES,
        args: ['--provider', 'providers.mjs', '--interface', 'returns'],
      }),
      consultCommand(both, {
        files: DOCTOR_FILES,
        args: ['--provider', './providers.mjs', '--interface', 'easy'],
      }),
    ]);
    expect(all.report).toMatchObject({ ok: true });
    expect(all.report.results).toHaveLength(8);
    expect(all.report.results[0]).toMatchObject({ provider: 'archive', interface: 'stock' });
    expect(all.code).toBe(0);
    expect(one.stdout).toContain('warehouse returns test');
    expect(one.code).toBe(0);
    expect([wrong.code, wrong.output]).toEqual([
      2,
      expect.stringContaining('--interface takes one of stock, bankOrders'),
    ]);
  });

  it('B40: checks the definitions of each --provider, and with --built-in also the built-in provider', async () => {
    const [stores, papers, builtIn] = [
      await ProviderSimulator.start({ provider: warehouse }),
      await ProviderSimulator.start({ provider: archive }),
      await ProviderSimulator.start(),
    ];
    for (const one of [stores, papers, builtIn]) onTestFinished(() => one.close());
    const all = {
      ca: [stores, papers, builtIn].map(({ ca }) => ca).join('\n'),
      env: () => ({ ...stores.env(), ...papers.env(), ...builtIn.env() }),
    };
    const files = {
      ...DOCTOR_FILES,
      'archive.mjs': "export { archive } from './providers.mjs';",
      'warehouse.mjs': "export { archive, warehouse } from './providers.mjs';",
    };
    const args = ['--provider', './archive.mjs', '--provider=./warehouse.mjs', '--json'];
    const wrong = { ARCHIVE_STOCK_LIVE_CLIENT_SECRET: 'not the right secret' };
    const [two, three, failing] = await Promise.all([
      consultCommand(all, { files, args }),
      consultCommand(all, { files, args: [...args, '--built-in'] }),
      consultCommand(all, { files, args, env: wrong }),
    ]);
    const providersIn = ({ report }: typeof two) => [
      ...new Set(report.results.map(({ provider = 'built-in' }) => provider)),
    ];
    expect([two.code, two.report.results.length, providersIn(two)]).toEqual([0, 8, ['archive', 'warehouse']]);
    expect([three.code, providersIn(three)]).toEqual([0, ['archive', 'warehouse', 'built-in']]);
    expect(failing.code).toBe(1);
    expect(failing.report.results.filter(({ ok }) => !ok)).toMatchObject([
      { provider: 'archive', interface: 'stock', environment: 'live' },
    ]);
  });

  it('B24: cannot run without a definition, and says why', async () => {
    const none = { ca: '', env: () => ({}) };
    const [nothing, missing, broken, source] = await Promise.all([
      consultCommand(none, { files: DOCTOR_FILES, args: ['--provider', './nothing.mjs'] }),
      consultCommand(none, { files: DOCTOR_FILES, args: ['--provider', './missing.mjs'] }),
      consultCommand(none, { files: DOCTOR_FILES, args: ['--provider', './broken.mjs'] }),
      consultCommand(none, { files: DOCTOR_FILES, args: ['--provider', './source.ts'] }),
    ]);
    expect([nothing.code, missing.code, broken.code, source.code]).toEqual([2, 2, 2, 2]);
    expect(nothing.output).toContain(
      'exports no definition. Export what defineProvider() returned from this file',
    );
    expect(source.output).toContain('Name the compiled .js file instead');
    expect(missing.output).toContain('There is no file ./missing.mjs. Build the application first');
    expect(broken.output).toContain('is the name of the built-in provider');
  });
});
