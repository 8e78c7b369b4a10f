import { afterAll, expect, it } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { cluster } from '../../support/application/warehouse.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { runSource } from '../../support/run/run-source.js';
import { startSimulatorOf } from '../../support/application/simulator.js';

/** What some code writes with a plain `Buffer.from`. Without it in the output, the search could find nothing. */
const CONTROL = 'canary-of-a-plain-buffer';

/**
 * An application in its own process, so that no code of a test or a simulator writes there. Node cuts small buffers out of one
 * block. Here the block is empty at first and too large to be replaced. At the end the process prints the block.
 */
const APPLICATION = `
  import { Agent } from 'node:https';
  import { ConfigModule } from '@nestjs/config';
  import { NestFactory } from '@nestjs/core';
  import { EasyHttpService, OriginationsHttpService, providerAuthConfig, ProviderAuthModule } from './lib/index.ts';
  import { MemoryTokenStore } from './lib/testing/index.ts';
  import { undiciTransport } from './lib/undici/index.ts';

  Buffer.poolSize = 512 * 1024;
  while (Buffer.allocUnsafe(1024).buffer.byteLength < Buffer.poolSize);
  const block = new Uint8Array(Buffer.allocUnsafe(8).buffer).fill(0);

  const ca = process.env.TRIAL_CA;
  const store = new MemoryTokenStore();
  const trusting = (options) => {
    for (const { sandbox } of Object.values(options.interfaces)) if (sandbox) sandbox.tls = { ca };
    return options;
  };
  const withAgent = { httpsAgent: new Agent({ ca, keepAlive: true }) };
  for (const http of [withAgent, { transport: undiciTransport() }]) {
    const module = ProviderAuthModule.forRootAsync({
      imports: [ConfigModule.forFeature(providerAuthConfig)],
      inject: [providerAuthConfig.KEY],
      useFactory: (options) => ({ ...(http.transport ? trusting(options) : options), http, store, token: { maxAttempts: 1 } }),
    });
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    const easy = app.get(EasyHttpService);
    for (const responseType of ['json', 'arraybuffer'])
      console.log(await easy.axiosRef.get('/echo', { responseType }).catch(({ response }) => String(response.data)));
    console.log((await easy.fetch('/echo')).status);
    const refused = await app.get(OriginationsHttpService).axiosRef.get('/').catch((error) => error);
    console.log(refused.code);
    await app.close();
  }
  Buffer.from('${CONTROL}');
  console.log('BLOCK ' + Buffer.alloc(block.length, block).toString('base64'));
`;

const provider = await ProviderSimulator.start();
afterAll(() => provider.close());

// From Node 22 on, the TLS session of a connection is in this block. So code that finds a kept connection can reach it.
it('S10 B12: no credential is in the memory that small buffers share', async () => {
  provider.api.path('/echo').handler(({ headers }, response) => {
    response.writeHead(400, { 'x-echo': headers.authorization });
    response.write(String(headers.authorization).slice(0, 20));
    setTimeout(() => response.end(String(headers.authorization).slice(20)), 20);
  });
  provider.token.for('originations', 'sandbox').handler((_, response, { body }) => {
    response.writeHead(400).end(JSON.stringify({ error: 'invalid_client', error_description: String(body) }));
  });
  const { stdout, stderr } = await runSource(APPLICATION, { ...provider.env(), TRIAL_CA: provider.ca });
  const [printed = '', block = ''] = stdout.split('BLOCK ');
  if (block === '') throw new Error(`The application failed:\n${stderr}`);
  expect(printed.trim().split('\n')).toEqual(
    Array.from({ length: 2 }, () => [
      'Bearer [redacted]',
      'Bearer [redacted]',
      '400',
      'TOKEN_REJECTED',
    ]).flat(),
  );
  const memory = Buffer.from(block, 'base64').toString('latin1');
  expect(memory).toContain(CONTROL);
  const [{ token } = { token: undefined }] = provider.tokenRequests;
  expect(provider.tokenRequests.filter((request) => request.token !== undefined)).toHaveLength(1);
  const [easy, originations] = (['easy', 'originations'] as const).map((name) =>
    provider.credentials(name, 'sandbox'),
  );
  const canaries = {
    'id of easy': easy?.clientId ?? '',
    'secret of easy': easy?.clientSecret ?? '',
    'id of originations': originations?.clientId ?? '',
    'secret of originations': originations?.clientSecret ?? '',
    token: token ?? '',
  };
  expect(new CanaryScanner(canaries).scanText(memory)).toEqual([]);
});

/** The same for clients without a secret: their credentials are in files. */
const WITHOUT_SECRET = `
  import { NestFactory } from '@nestjs/core';
  import { MemoryTokenStore } from './lib/testing/index.ts';
  import { cluster } from './test/support/application/warehouse.ts';

  Buffer.poolSize = 512 * 1024;
  while (Buffer.allocUnsafe(1024).buffer.byteLength < Buffer.poolSize);
  const block = new Uint8Array(Buffer.allocUnsafe(8).buffer).fill(0);
  const options = { ...cluster.config(), store: new MemoryTokenStore() };
  const app = await NestFactory.createApplicationContext(cluster.Module.forRoot(options), { logger: false, abortOnError: false });
  for (const name of ['orders', 'stock']) {
    const tokens = app.get(cluster.tokenProviderToken(name));
    await tokens.renew(await tokens.getToken());
  }
  Buffer.from('${CONTROL}');
  console.log('BLOCK ' + Buffer.alloc(block.length, block).toString('base64'));
  await app.close();
`;

it('B32 S10: neither an assertion nor the key of a certificate is in the memory that small buffers share', async () => {
  const simulated = await startSimulatorOf(cluster);
  const { ca } = filesOf({ ca: simulated.ca });
  const trusted = { CLUSTER_ORDERS_TEST_CA_FILE: ca, CLUSTER_STOCK_TEST_CA_FILE: ca };
  const { stdout, stderr } = await runSource(WITHOUT_SECRET, { ...simulated.env(), ...trusted });
  const [, block = ''] = stdout.split('BLOCK ');
  if (block === '') throw new Error(`The application failed:\n${stderr}`);
  const memory = Buffer.from(block, 'base64').toString('latin1');
  expect(memory).toContain(CONTROL);
  expect(simulated.tokenRequests.length).toBeGreaterThan(2);
  const [, line = ''] = (simulated.credentials('stock', 'test').clientKey ?? '').split('\n');
  const scanner = new CanaryScanner({ key: line.slice(48) });
  for (const { fields } of simulated.tokenRequests) {
    const [, payload = '', signature = ''] = (fields['client_assertion'] ?? '').split('.');
    if (payload === '') continue;
    scanner.add('payload', payload);
    scanner.add('signature', signature);
  }
  expect(scanner.scanText(memory)).toEqual([]);
});
