import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../support/application/simulator.js';
import { shownOn } from '../../support/package/code-blocks.js';
import { manifest, optionalPeers, pack, temporaryDirectory } from '../../support/package/packed-package.js';
import { freePort, listenOnLoopback } from '../../support/run/free-port.js';
import { runCommand, strangersEnvironment } from '../../support/run/run-command.js';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
const shown = await shownOn('docs/operations.md');

/** An app as the page describes it. It prints what Prometheus would scrape. */
const APP = `
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { ProviderAuthTelemetryModule } from 'nestjs-provider-auth/opentelemetry';
import { sdk } from './tracing.mjs';

class AppModule {
  onApplicationShutdown() {
    return sdk.shutdown();
  }
}
Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()), ProviderAuthTelemetryModule.forRoot()],
})(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
await app.get(EasyHttpService).axiosRef.get('/payments/1');
const scraped = await fetch('http://localhost:' + process.env.OTEL_EXPORTER_PROMETHEUS_PORT + '/metrics');
console.log(await scraped.text());
await app.close();
`;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const { tarball } = await pack(directory.path);
  await writeFile(join(directory.path, 'package.json'), '{"type":"module"}');
  const nest = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];
  const peers = ['@nestjs/axios', '@nestjs/config', 'axios', 'class-validator'];
  const commands = [
    `npm install ${tarball} ${[...nest, ...peers].join(' ')}`,
    shown('install-terminus'),
    ...shown('install-opentelemetry').split('\n'),
  ];
  for (const command of commands) {
    const { code, output } = await runCommand('sh', ['-c', `${command} --no-audit --no-fund`], {
      cwd: directory.path,
      timeoutMs: 240_000,
    });
    if (code !== 0) throw new Error(output);
  }
}, 600_000);

afterAll(() => directory.remove());

/** A collector. It keeps what arrives, by path. */
async function startCollector(): Promise<{ origin: string; received: Map<string, string> }> {
  const received = new Map<string, string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '' } = request;
    received.set(url, `${received.get(url) ?? ''}${(await buffer(request)).toString('latin1')}`);
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  onTestFinished(() => void server.close());
  const port = await listenOnLoopback(server);
  return { origin: `http://127.0.0.1:${port}`, received };
}

describe('the recipe for OpenTelemetry in docs/operations.md', () => {
  it('B37: names packages that npm installs, and among them the optional peers of both entries', () => {
    const commands = [shown('install-terminus'), shown('install-opentelemetry')].join('\n');
    const peers = optionalPeers.filter((peer) => /terminus|opentelemetry/.test(peer));
    expect(peers).toHaveLength(2);
    for (const peer of peers) {
      expect(commands).toContain(peer);
      expect(manifest.peerDependencies).toHaveProperty([peer]);
    }
  });

  it('B37: exports metrics to Prometheus and spans to a collector, as the page says', async () => {
    const provider = await startSimulator();
    const collector = await startCollector();
    const file = (name: string): string => join(directory.path, name);
    const lines = Object.entries(provider.env()).map(([name, value]) => `${name}='${value}'`);
    const own = shown('tracing-variables').replace(/http:\S+/, collector.origin);
    await writeFile(file('.env'), [...lines, own].join('\n'));
    await writeFile(file('ca.pem'), provider.ca);
    await writeFile(file('tracing.mjs'), shown('tracing'));
    await writeFile(file('main.js'), APP);
    const command = shown('start-with-tracing').replace('dist/main.js', 'main.js');
    const { code, output } = await runCommand('sh', ['-c', command], {
      cwd: directory.path,
      env: {
        ...strangersEnvironment(),
        NODE_EXTRA_CA_CERTS: file('ca.pem'),
        OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()),
      },
      timeoutMs: 60_000,
    });
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(output).toMatch(/^provider_auth_token_requests_total\{.*outcome="ok".*\} 1/m);
    expect(output).toContain('service_name="checkout"');
    const spans = collector.received.get('/v1/traces') ?? '';
    expect(spans).toContain('provider_auth.token.request');
    expect(spans).toContain('/payments/1');
    expect(spans).not.toContain(provider.tokenRequests[0]?.token ?? 'no token');
  });
});
