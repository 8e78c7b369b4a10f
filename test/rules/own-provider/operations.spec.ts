import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HttpService } from '@nestjs/axios';
import type { ModuleMetadata } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { firstValueFrom } from 'rxjs';
import { afterAll, afterEach, expect, it } from 'vitest';
import { type ProviderAuthConfigError, ProviderAuthModule } from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';
import { MemoryTokenStore, ProviderSimulator } from '../../../lib/testing/index.js';
import { setVariables } from '../../support/application/variables.js';
import { consult, consultCommand } from '../../support/application/doctor.js';
import { TestTelemetry } from '../../support/application/telemetry.js';
import { archive, warehouse } from '../../support/application/warehouse.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { ROOT } from '../../support/package/packed-package.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { bootWith } from '../../support/application/boot.js';
import { eventsOf } from '../../support/token/events.js';
import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';

type Imports = NonNullable<ModuleMetadata['imports']>;

const BUILT_LIBRARY = pathToFileURL(join(ROOT, 'dist/esm/index.js')).href;

const watch = (imports: Imports) => bootWith([TerminusModule, ...imports], [ProviderAuthHealthIndicator]);

const builtIn = await ProviderSimulator.start();
const stores = await ProviderSimulator.start({ provider: warehouse });
const papers = await ProviderSimulator.start({ provider: archive });
afterEach(() => [builtIn, stores, papers].forEach((one) => one.reset()));
afterAll(() => Promise.all([builtIn, stores, papers].map((one) => one.close())));

const getStock = (app: { get: (token: string) => unknown }, token: string): Promise<unknown> =>
  firstValueFrom((app.get(token) as HttpService).get('/'));

it('B24: health, events, metrics and log lines have the name of the provider, and one failing provider is down', async () => {
  const telemetry = TestTelemetry.register();
  const events = eventsOf('token-request');
  const { app, logs } = await watch([
    ProviderAuthTelemetryModule.forRoot(),
    ProviderAuthModule.forRoot(builtIn.options()),
    warehouse.Module.forRoot(stores.options()),
    archive.Module.forRoot(papers.options()),
  ]);
  expect(JSON.stringify(logs.lines)).toContain('archive stock test is active');
  const health = () => app.get(ProviderAuthHealthIndicator).isHealthy('auth');
  expect(Object.keys((await health())['auth'] ?? {}).toSorted()).toEqual(
    [
      ...PROVIDER_INTERFACES,
      'archive.stock',
      'status',
      'warehouse.bankOrders',
      'warehouse.returns',
      'warehouse.stock',
    ].toSorted(),
  );
  papers.token.refuse('invalid_client');
  await getStock(app, warehouse.httpToken('stock'));
  await errorOf(getStock(app, archive.httpToken('stock')));
  expect(await health()).toMatchObject({
    auth: {
      status: 'down',
      'archive.stock': { state: 'failing', code: 'TOKEN_REJECTED' },
      'warehouse.stock': { state: 'valid' },
      'warehouse.returns': { state: 'empty' },
    },
  });
  const pair = { interface: 'stock', environment: 'test' };
  const both = [
    { provider: 'warehouse', ...pair },
    { provider: 'archive', ...pair },
  ];
  expect(events).toMatchObject(both);
  const metrics = await telemetry.metrics();
  const attributesOf = (metric: string) =>
    metrics
      .find(({ descriptor }) => descriptor.name === metric)
      ?.dataPoints.map(({ attributes }) => attributes);
  expect(attributesOf('provider_auth.token.requests')).toMatchObject(both);
  for (const provider of [...both, { provider: 'provider', interface: 'easy', environment: 'sandbox' }])
    expect(attributesOf('provider_auth.provider.failing')).toContainEqual(provider);
});

it('B24: health works in an application without the built-in provider', async () => {
  const { app } = await watch([archive.Module.forRoot(papers.options())]);
  expect(await app.get(ProviderAuthHealthIndicator).isHealthy('auth')).toEqual({
    auth: { status: 'up', 'archive.stock': { environment: 'test', state: 'empty' } },
  });
});

it('B24: processes share tokens of each definition and each interface, and none gets a token of another', async () => {
  const store = new MemoryTokenStore();
  const process = () =>
    watch([
      warehouse.Module.forRoot(stores.options({ store })),
      archive.Module.forRoot(papers.options({ store })),
    ]);
  const apps = [await process(), await process()];
  for (const { app } of apps)
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

const DOCTOR_FILES = {
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
};

const DOCTOR_ARGS = ['--provider', './providers.mjs'];

/** The options with an agent that trusts a simulator. */
const withAgent = (agent: object, options: object) => ({ ...options, http: { httpsAgent: agent } }) as never;

it('B24: an application refuses placeholders at boot, in the words of a provider without a document', async () => {
  const secret = 'ARCHIVE_STOCK_TEST_CLIENT_SECRET';
  const { [secret]: _, ...variables } = papers.env();
  setVariables({ ...variables, [`${secret}_FILE`]: filesOf({ secret: 'changeme' }).secret });
  setVariables({ ARCHIVE_STOCK_TEST_CLIENT_ID: 'changeme' });
  const error = await errorOf(watch([archive.Module.forRootAsync(archive.config.asProvider())]));
  expect((error as ProviderAuthConfigError).message).toContain('The configuration of archive');
  expect((error as ProviderAuthConfigError).problems.map(({ message }) => message)).toEqual([
    'is still a placeholder. Replace it with the value that the provider gave you.',
    'names a file whose content is still a placeholder. Replace it with the value that the provider gave you.',
  ]);
});

it('B29: error, log, status and doctor name key, id and clock of a refused client assertion', async () => {
  const date = new Date(Date.now() - 600_000).toUTCString();
  stores.token.answer({
    status: 401,
    headers: { date, 'content-type': 'application/json' },
    body: JSON.stringify({ error: 'invalid_client' }),
  });
  setVariables(stores.env());
  const options = () => withAgent(stores.agent(), warehouse.config());
  const { app, logs } = await watch([warehouse.Module.forRootAsync({ useFactory: options })]);
  const error = await errorOf(getStock(app, warehouse.httpToken('returns')));
  const status = app.get(warehouse.Service).status();
  const { report } = await consult(stores, {
    files: DOCTOR_FILES,
    args: [...DOCTOR_ARGS, '--json', '--interface', 'returns', '--environment', 'test'],
  });
  const found = (name: string) => report.results[0]?.steps.find((step) => step.name === name);
  const reports = [
    String(error),
    logs.of('ProviderAuth').find((line) => line.startsWith('error ')),
    status.find(({ state }) => state === 'failing')?.lastError?.message,
    found('token-request')?.advice,
  ];
  for (const text of reports) {
    expect(text).toMatch(/The clock of this machine is \d{3} s ahead of the clock of the token endpoint/);
    expect(text).toContain('WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE');
    expect(text).toContain('the provider must know the public key of this key');
    expect(text).toContain('WAREHOUSE_RETURNS_TEST_KEY_ID must be this id');
  }
});

it('B24 B40: the doctor checks the definitions of each --provider, and with --built-in also the built-in provider', async () => {
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
  const [two, three, failing, unknown] = await Promise.all([
    consultCommand(all, { files, args }),
    consult(all, { files, args: [...args, '--built-in'] }),
    consult(all, { files, args, env: wrong }),
    consult(all, { files, args: [...DOCTOR_ARGS, '--interface', 'easy'] }),
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
  expect([unknown.code, unknown.output]).toEqual([
    2,
    expect.stringContaining('--interface takes one of stock, bankOrders'),
  ]);
});
