import { SerializedGraph } from '@nestjs/core';
import axios, { type AxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  EasyHttpService,
  getProviderHttpToken,
  getTokenProviderToken,
  ProviderAuthModule,
  ProviderAuthService,
} from '../../../lib/index.js';
import { CanaryScanner, type Leak } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';
import { optionsFor } from './clients.js';
import type { Prepared } from './scenarios/scenario.js';
import { TestEnvironment } from './scenarios/test-environment.js';
import { bootWith } from '../../support/application/boot.js';
import { eventsOf } from '../../support/token/events.js';
import { trust } from '../../support/http/trusted-authority.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const testEnvironment = await TestEnvironment.start();
beforeEach(() => testEnvironment.reset());
afterAll(() => testEnvironment.close());

async function startApp(prepared: Prepared = {}) {
  const module = ProviderAuthModule.forRoot(optionsFor(testEnvironment, prepared));
  // As for Nest's Devtools, which show the graph.
  const { app, logs } = await bootWith([module], [], { snapshot: true });
  return { app, module, logs, easy: app.get(EasyHttpService), status: app.get(ProviderAuthService) };
}

function leaksOf(value: unknown, name: string): Leak[] {
  return new CanaryScanner(Object.fromEntries(testEnvironment.canaries()), loggerRenderings).scan(
    value,
    name,
  );
}

/** The error of another call of the application. */
function unrelatedError(config: AxiosRequestConfig = {}): Promise<unknown> {
  return errorOf(axios.get('https://127.0.0.1:1/unrelated', config));
}

it('S10 R28: the error of an unrelated call on the global agent shows nothing of createOurClient, during and after it', async () => {
  onTestFinished(trust(testEnvironment.provider.ca));
  const { easy } = await startApp({ http: { httpsAgent: undefined } });
  const held = testEnvironment.api.next().hold();
  const call = lastValueFrom(easy.get('/payments'));
  await held.arrived;
  expect(leaksOf(await unrelatedError(), 'during')).toEqual([]);
  held.release();
  await call;
  expect(leaksOf(await unrelatedError(), 'after')).toEqual([]);
  expect(testEnvironment.provider.apiRequests).toHaveLength(1);
});

const CHANNELS = ['token-request', 'token-cache', 'http-unauthorized', 'provider-state', 'store-state'];

it('S10: what the library reports about itself shows no credential: diagnostics, log, status', async () => {
  const published = CHANNELS.map((name) => ({ name, events: eventsOf(name) }));
  const { easy, status, logs } = await startApp();
  await lastValueFrom(easy.get('/payments'));
  testEnvironment.api.next().unauthorized();
  await lastValueFrom(easy.get('/payments'));
  const valid = status.status();
  testEnvironment.provider.token.handler((_, response, { body }) => {
    response.writeHead(400).end(JSON.stringify({ error: 'invalid_client', error_description: String(body) }));
  });
  testEnvironment.provider.token.for('easy', 'sandbox').revokeAll();
  testEnvironment.api.status(500);
  await errorOf(lastValueFrom(easy.get('/payments')));
  expect(published.flatMap(({ events }) => events).length).toBeGreaterThan(4);
  expect(leaksOf(published, 'diagnostics')).toEqual([]);
  expect(logs.lines).not.toEqual([]);
  expect(leaksOf(logs.lines, 'log')).toEqual([]);
  expect(leaksOf([valid, status.status()], 'status')).toEqual([]);
});

it('S10: an inspected application shows no credential in its module, container and providers, after a call and a failure', async () => {
  const { app, module, easy, status } = await startApp();
  await lastValueFrom(easy.get('/payments'));
  testEnvironment.api.status(500);
  await errorOf(easy.axiosRef.get('/payments'));
  for (const [name, value] of Object.entries({
    module,
    status,
    connection: status.client('easy'),
    easy,
    tokens: app.get<unknown>(getTokenProviderToken('easy')),
    unconfigured: app.get<unknown>(getProviderHttpToken('originations', 'production')),
    providers: status.providers(),
  })) {
    expect(leaksOf(value, name)).toEqual([]);
  }
  const graph = app.get(SerializedGraph).toString();
  expect(graph).toContain('EasyHttpService');
  expect(leaksOf(graph, 'graph')).toEqual([]);
  // Only what a function leads to, because the loggers of NestJS call a function that they print.
  const scanner = new CanaryScanner(Object.fromEntries(testEnvironment.canaries()));
  expect(scanner.scanReach(easy.axiosRef, 'axiosRef')).toEqual([]);
  expect(scanner.scanReach(app, 'application')).toEqual([]);
});
