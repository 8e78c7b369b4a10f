import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent } from 'node:https';
import { SerializedGraph } from '@nestjs/core';
import axios, { type AxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
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

let testEnvironment: TestEnvironment;
beforeAll(async () => {
  testEnvironment = await TestEnvironment.start();
});
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

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('This call was meant to fail.');
}

/** The error of another call of the application. */
function unrelatedError(config: AxiosRequestConfig = {}): Promise<unknown> {
  return failureOf(axios.get('https://127.0.0.1:1/unrelated', config));
}

describe('S10 R28: the error of an unrelated call', () => {
  it('on the global agent shows nothing of createOurClient, during and after it', async () => {
    trustEverywhere(testEnvironment.provider.ca);
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
});

describe('S10: what the library reports about itself', () => {
  const CHANNELS = ['token-request', 'token-cache', 'http-unauthorized', 'provider-state', 'store-state'];

  it('shows no credential: diagnostics, log, status', async () => {
    const published: unknown[] = [];
    const listen = (message: unknown, name: unknown): void => void published.push({ name, message });
    for (const name of CHANNELS) subscribe(`provider-auth:${name}`, listen);
    onTestFinished(() => {
      for (const name of CHANNELS) unsubscribe(`provider-auth:${name}`, listen);
    });
    const { easy, status, logs } = await startApp();
    await lastValueFrom(easy.get('/payments'));
    testEnvironment.api.next().unauthorized();
    await lastValueFrom(easy.get('/payments'));
    const valid = status.status();
    testEnvironment.provider.token.handler((_, response, { body }) => {
      response
        .writeHead(400)
        .end(JSON.stringify({ error: 'invalid_client', error_description: String(body) }));
    });
    testEnvironment.provider.token.for('easy', 'sandbox').revokeAll();
    testEnvironment.api.status(500);
    await failureOf(lastValueFrom(easy.get('/payments')));
    expect(published.length).toBeGreaterThan(4);
    expect(leaksOf(published, 'diagnostics')).toEqual([]);
    expect(logs.lines).not.toEqual([]);
    expect(leaksOf(logs.lines, 'log')).toEqual([]);
    expect(leaksOf([valid, status.status()], 'status')).toEqual([]);
  });
});

describe('S10: an inspected application', () => {
  it('shows no credential in its module, container and providers, after a call and a failure', async () => {
    const { app, module, easy, status } = await startApp();
    await lastValueFrom(easy.get('/payments'));
    testEnvironment.api.status(500);
    await failureOf(easy.axiosRef.get('/payments'));
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
});

/** Has the effect of `NODE_EXTRA_CA_CERTS`. Node reads that variable only when it starts. */
function trustEverywhere(ca: string): void {
  const prototype = Agent.prototype as unknown as { createConnection: Connect };
  const { createConnection } = prototype;
  prototype.createConnection = function (this: Agent, options, ...rest) {
    return createConnection.call(this, { ...options, ca }, ...rest);
  };
  onTestFinished(() => {
    prototype.createConnection = createConnection;
  });
}

type Connect = (this: Agent, options: object, ...rest: unknown[]) => unknown;
