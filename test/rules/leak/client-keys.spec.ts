import { generateKeyPairSync } from 'node:crypto';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { describe, expect, it } from 'vitest';
import { type ProviderAuthOptions, ProviderAuthService } from '../../../lib/index.js';
import { PROVIDER_AUTH_SETTINGS } from '../../support/application/built-in.js';
import { easyOptions, startTlsApp, WAYS } from '../../support/application/tls-app.js';
import { setVariables } from '../../support/application/variables.js';
import { cluster, warehouse } from '../../support/application/warehouse.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { runSource } from '../../support/run/run-source.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';
import { bodyOf } from '../../support/secrets/simulated-canaries.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { startSimulatorOf } from '../../support/application/simulator.js';
import { bootWith } from '../../support/application/boot.js';

const searchFor = (pem: string): CanaryScanner => new CanaryScanner({ key: bodyOf(pem) }, loggerRenderings);

/** A provider that insists on client certificates, the PEM files of a client, and a search for its private key. */
async function mutualTls() {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  const tls = { ca: provider.ca, ...(await clients.issue('checkout')) };
  return { provider, tls, scanner: searchFor(tls.key) };
}

it('S10: the search finds a private key in options', async () => {
  const { provider, tls, scanner } = await mutualTls();
  const options = easyOptions({ sandbox: [provider, { ...tls, key: Buffer.from(tls.key) }] });
  expect(scanner.scanReach(options).length).toBeGreaterThan(0);
  expect(scanner.scanText(`it said ${tls.key}`).length).toBeGreaterThan(0);
});

it.each([
  ['WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE', warehouse, 'returns', 'warehouseAuth'],
  ['CLUSTER_STOCK_TEST_KEY_FILE', cluster, 'stock', 'clusterAuth'],
] as const)(
  'S10: ConfigService shows neither the key nor the path in %s',
  async (variable, provider, of, key) => {
    const simulated = await startSimulatorOf(provider as typeof warehouse);
    const variables = simulated.env();
    setVariables(variables);
    const { clientKey = '' } = simulated.credentials(of, 'test');
    const scanner = searchFor(clientKey);
    scanner.add('path', variables[variable] ?? '');
    const module = ConfigModule.forRoot({
      load: [provider.config],
      ignoreEnvFile: true,
      ignoreEnvVars: true,
    });
    const { app } = await bootWith([module]);
    const kept = app.get(ConfigService).get<object>(key);
    expect(Object.keys(kept ?? {})).toContain('interfaces');
    expect(scanner.scan({ options: provider.config(), kept })).toEqual([]);
  },
);

it('B24 S10: the error of a wrong key shows nothing of it', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = short.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const address = { tokenUrl: 'https://a.example/token', baseUrl: 'https://b.example' };
  for (const clientKey of [pem, short.privateKey, short.publicKey, pem.slice(0, -40), `${pem}\u0000`]) {
    const test = { ...address, clientId: 'shop', clientKey };
    const module = warehouse.Module.forRoot({ environment: 'test', interfaces: { returns: { test } } });
    const error = await errorOf(bootWith([module]));
    expect(String(error)).toContain('interfaces.returns.test.clientKey');
    expect(searchFor(pem).scan(error)).toEqual([]);
  }
});

describe.each(WAYS)('S10: the private key of a client: by %s', (_, way) => {
  it('is in nothing that the application can reach, log or inspect', async () => {
    const { provider, tls, scanner } = await mutualTls();
    const { app, client, logs } = await startTlsApp(easyOptions({ sandbox: [provider, tls] }), way);
    const seen: unknown[] = [];
    client().interceptors.request.use((config) => {
      seen.push(config);
      return config;
    });
    const service = app.get(ProviderAuthService);
    const visible = {
      response: await client().get<unknown>('/things', way.request),
      refused: await errorOf(client().get('https://elsewhere.invalid/', way.request)),
      late: await errorOf(client().get('/silent', { ...way.request, timeout: 50 })),
      seen,
      logs: logs.lines,
      // Not the client itself: the search calls functions without arguments.
      defaults: client().defaults,
      interceptors: client().interceptors,
      service,
      status: service.status(),
      providers: service.providers(),
      settings: app.get<object>(PROVIDER_AUTH_SETTINGS),
    };
    for (const [name, value] of Object.entries(visible)) expect(scanner.scan(value, name)).toEqual([]);
  });
});

it('S10: the private key of a client is in no error of a server that refuses its certificate', async () => {
  const [{ tls, scanner }, other] = await Promise.all([mutualTls(), mutualTls()]);
  const options = easyOptions({ sandbox: [other.provider, { ...tls, ca: other.tls.ca }] });
  const { app, client, logs } = await startTlsApp(options);
  const error = await errorOf(client().get('/things'));
  expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(scanner.scan([error, logs.lines, app.get(ProviderAuthService).status()])).toEqual([]);
});

it("S10: Node's own debug output shows no private key", async () => {
  const { provider, tls, scanner } = await mutualTls();
  const proxy = await ConnectProxy.start();
  const options: ProviderAuthOptions = easyOptions({ sandbox: [provider, tls] });
  const text = `
    import { NestFactory } from '@nestjs/core';
    import { EasyHttpService, ProviderAuthModule } from './lib/index.ts';
    const module = ProviderAuthModule.forRoot(JSON.parse(process.env.TRIAL));
    const app = await NestFactory.createApplicationContext(module);
    const proxy = JSON.parse(process.env.PROXY);
    for (const request of [{}, { maxRedirects: 3 }, { proxy }])
      console.log((await app.get(EasyHttpService).axiosRef.get('/things', request)).status);
    await app.close();
  `;
  const { stdout, stderr, code } = await runSource(text, {
    DEBUG: '*',
    NODE_DEBUG: 'tls,https,http,net,http2',
    TRIAL: byName(JSON.stringify(options)),
    PROXY: JSON.stringify(proxy.setting),
  });
  expect([code, stdout.match(/^200$/gm)]).toEqual([0, ['200', '200', '200']]);
  expect(stderr.length).toBeGreaterThan(1_000);
  expect(scanner.scanText(stdout + stderr)).toEqual([]);
});
