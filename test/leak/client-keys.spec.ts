import { readFileSync } from 'node:fs';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  readEnvironmentVariables,
  validateOptions,
  PROVIDER_AUTH_SETTINGS,
} from '../support/application/built-in.js';
import {
  EasyHttpService,
  type ProviderAuthOptions,
  ProviderAuthModule,
  ProviderAuthService,
  providerAuthConfig,
} from '../../lib/index.js';
import { easyOptions, startTlsApp, WAYS } from '../support/application/tls-app.js';
import { ClientAuthority, filesOf } from '../support/http/client-certificates.js';
import { byName, ConnectProxy } from '../support/http/connect-proxy.js';
import { MutualTlsProvider } from '../support/http/mutual-tls-provider.js';
import { runSource } from '../support/run/run-source.js';
import { CanaryScanner } from '../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../support/secrets/logger-renderings.js';
import { errorOf } from '../support/token/token-fixtures.js';

/** A provider that insists on client certificates, the PEM files of a client, and a search for its private key. */
async function mutualTls({ allowH2 = false } = {}) {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca, allowH2 });
  const tls = { ca: provider.ca, ...(await clients.issue('checkout')) };
  const [, ...lines] = tls.key.trim().split('\n');
  const key = lines.slice(0, -1).join('');
  // The first bytes of every key of this kind are the same.
  const scanner = new CanaryScanner({ 'private key': key.slice(48) }, loggerRenderings);
  return { provider, tls, scanner };
}

const variablesOf = (provider: MutualTlsProvider, files: { ca: string; cert: string; key: string }) => ({
  PROVIDER_ENVIRONMENT: 'sandbox',
  ...provider.variables('sandbox'),
  PROVIDER_EASY_SANDBOX_CA_FILE: files.ca,
  PROVIDER_EASY_SANDBOX_CERT_FILE: files.cert,
  PROVIDER_EASY_SANDBOX_KEY_FILE: files.key,
});

it('S10: the search finds a private key in options', async () => {
  const { provider, tls, scanner } = await mutualTls();
  const options = easyOptions({ sandbox: [provider, { ...tls, key: Buffer.from(tls.key) }] });
  expect(scanner.scanReach(options).length).toBeGreaterThan(0);
  expect(scanner.scanText(`it said ${tls.key}`).length).toBeGreaterThan(0);
});

it('S10: neither options from variables nor settings show a private key, or where its file is', async () => {
  const { provider, tls, scanner } = await mutualTls();
  const files = filesOf(tls);
  for (const path of Object.values(files)) scanner.add(`path ${path}`, path);
  const options = readEnvironmentVariables(variablesOf(provider, files));
  const settings = await validateOptions(options, {});
  const inCode = await validateOptions(easyOptions({ sandbox: [provider, tls] }), {});
  expect(settings.profiles[0]?.tls).toBeDefined();
  for (const value of [options, settings, inCode]) expect(scanner.scan(value)).toEqual([]);
});

it('S10: ConfigService shows no private key', async () => {
  const { provider, tls, scanner } = await mutualTls();
  const files = filesOf(tls);
  const before = { ...process.env };
  onTestFinished(() => void (process.env = before));
  Object.assign(process.env, variablesOf(provider, files));
  const app = await NestFactory.createApplicationContext(
    {
      module: class AppModule {},
      imports: [
        ConfigModule.forRoot({ load: [providerAuthConfig], ignoreEnvFile: true }),
        ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
      ],
    },
    { logger: false, abortOnError: false },
  );
  onTestFinished(() => app.close());
  const config = app.get(ConfigService);
  expect(config.get('providerAuth.interfaces.easy.sandbox.tls.key')).toBeDefined();
  expect(scanner.scan([config, config.get('providerAuth')])).toEqual([]);
  expect((await app.get(EasyHttpService).axiosRef.get('/things')).status).toBe(200);
});

describe.each(WAYS)('S10: the private key of a client: by %s', (_, way) => {
  it('is in nothing that the application can reach, log or inspect', async () => {
    const { provider, tls, scanner } = await mutualTls({ allowH2: way.allowH2 === true });
    const { app, client, logs } = await startTlsApp(easyOptions({ sandbox: [provider, tls] }), way);
    const seen: unknown[] = [];
    client().interceptors.request.use((config) => {
      seen.push(config);
      return config;
    });
    const response = await client().get<unknown>('/things', way.request);
    const missing = await errorOf(client().get('/things', { ...way.request, validateStatus: () => false }));
    const refused = await errorOf(client().get('https://elsewhere.invalid/', way.request));
    const late = await errorOf(client().get('/silent', { ...way.request, timeout: 50 }));
    const visible = {
      seen,
      response,
      missing,
      refused,
      late,
      logs: logs.lines,
      // Not the client itself: the search calls functions without arguments.
      defaults: client().defaults,
      interceptors: client().interceptors,
      service: app.get(ProviderAuthService),
      status: app.get(ProviderAuthService).status(),
      providers: app.get(ProviderAuthService).providers(),
      settings: app.get<object>(PROVIDER_AUTH_SETTINGS),
    };
    for (const [name, value] of Object.entries(visible)) expect(scanner.scan(value, name)).toEqual([]);
  });

  it('is in no error of a server that refuses the certificate', async () => {
    const { tls, scanner } = await mutualTls();
    const other = await mutualTls({ allowH2: way.allowH2 === true });
    const options = easyOptions({ sandbox: [other.provider, { ...tls, ca: other.tls.ca }] });
    const { app, client, logs } = await startTlsApp(options, way);
    const error = await errorOf(client().get('/things', way.request));
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(scanner.scan([error, logs.lines, app.get(ProviderAuthService).status()])).toEqual([]);
    expect(other.provider.seen).toEqual([]);
  });
});

it('S10: what a hook or a transport of the caller gets leads to no private key', async () => {
  const { provider, tls, scanner } = await mutualTls();
  const proxy = await ConnectProxy.start();
  const options = easyOptions(
    { sandbox: [provider, tls] },
    { http: { proxy: proxy.setting, maxRedirects: 2 } },
  );
  const { client } = await startTlsApp(JSON.parse(byName(JSON.stringify(options))) as ProviderAuthOptions);
  const { default: https } = await import('node:https');
  const given: unknown[] = [];
  const request: AxiosRequestConfig = {
    maxRedirects: 0,
    transport: {
      request: (...parameters: Parameters<typeof https.request>) => {
        given.push(parameters[0]);
        return https.request(...parameters);
      },
    },
  };
  const answers: AxiosResponse[] = [await client().get('/things', request), await client().get('/things')];
  expect(given).toHaveLength(1);
  expect(scanner.scanReach([given, answers])).toEqual([]);
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

it('S10: the key file is read once, and its content is kept nowhere', async () => {
  const { provider, tls } = await mutualTls();
  const files = filesOf(tls);
  const { client } = await startTlsApp(readEnvironmentVariables(variablesOf(provider, files)));
  expect(readFileSync(files.key, 'utf8')).toBe(tls.key);
  const { rmSync } = await import('node:fs');
  for (const path of Object.values(files)) rmSync(path);
  expect((await client().get('/things')).status).toBe(200);
});
