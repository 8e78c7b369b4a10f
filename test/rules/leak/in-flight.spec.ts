import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { toFormData, type AxiosRequestConfig } from 'axios';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CanaryScanner, type Leak } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';
import { createOurClient, NODE_HTTPS, type Transport, UNDICI } from './clients.js';
import type { Prepared } from './scenarios/scenario.js';
import { TestEnvironment } from './scenarios/test-environment.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

/** More than any buffer on the way holds, so an upload stays under way until the server reads it. */
const LARGE = 8 * 1024 * 1024;

const testEnvironment = await TestEnvironment.start();
const folder = await mkdtemp(join(tmpdir(), 'upload-'));
await writeFile(join(folder, 'large'), Buffer.alloc(LARGE));
beforeEach(() => testEnvironment.reset());
afterAll(async () => {
  await testEnvironment.close();
  await rm(folder, { recursive: true });
});

/** The leaks in everything that a caller could print at this moment. */
function printed(values: Readonly<Record<string, unknown>>): Leak[] {
  const scanner = new CanaryScanner(Object.fromEntries(testEnvironment.canaries()), loggerRenderings);
  return Object.entries(values).flatMap(([name, value]) => scanner.scan(value, name));
}

/** The leaks in everything that code could reach at this moment. */
function reached(values: Readonly<Record<string, unknown>>): Leak[] {
  const scanner = new CanaryScanner(Object.fromEntries(testEnvironment.canaries()));
  return Object.entries(values).flatMap(([name, value]) => scanner.scanReach(value, name));
}

/** Resolves when the next authorized request has arrived at a server of this process. */
function arrival(): Promise<void> {
  return new Promise((resolve) => {
    const note = (message: unknown): void => {
      const { request } = message as { request: { headers: object } };
      if (!('authorization' in request.headers)) return;
      unsubscribe('http.server.request.start', note);
      resolve();
    };
    subscribe('http.server.request.start', note);
  });
}

/** The error of a call, and the leaks that could be printed in the same tick in which the error arrived. */
function ending(call: Promise<unknown>, others: Readonly<Record<string, unknown>> = {}) {
  return call.then(
    () => Promise.reject(new Error('This call was meant to fail.')),
    (error: unknown) => ({ error, leaks: printed({ error, ...others }) }),
  );
}

type Body = () => unknown;

async function* slowly(): AsyncGenerator<Buffer> {
  for (;;) {
    yield Buffer.alloc(1024);
    await pause(5);
  }
}

/** Bodies that do not end during the test. */
const BODIES: Record<string, Body> = {
  'a stream that the caller writes': () => {
    const stream = new PassThrough();
    stream.write(Buffer.alloc(100_000));
    return stream;
  },
  'a file': () => createReadStream(join(folder, 'large'), { highWaterMark: 1024 }),
  'a generator': () => Readable.from(slowly()),
  'the form-data package': () => {
    const form = toFormData({ a: 1 });
    form.append('file', Readable.from(slowly()));
    return form;
  },
};

/** A request that this application receives and passes on. */
async function receivedRequest(): Promise<unknown> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  const sender = httpRequest({ port, host: '127.0.0.1', method: 'POST' }).on('error', () => undefined);
  onTestFinished(() => {
    sender.destroy();
    server.close();
  });
  sender.write(Buffer.alloc(100_000));
  const [received] = (await once(server, 'request')) as unknown[];
  return received;
}

async function start(transport: Transport, prepared: Prepared = {}) {
  const client = await createOurClient(testEnvironment, prepared, { transport, warm: true });
  onTestFinished(() => client.close());
  return client.service.axiosRef;
}

describe.each([
  ['node:https', NODE_HTTPS],
  ['undici', UNDICI],
] as const)('on %s, while calls are under way', (_, transport) => {
  const bodies = [
    ...Object.entries(BODIES),
    ['a request that is passed on', receivedRequest] as const,
    ['a web stream', () => Readable.toWeb(Readable.from(slowly()))] as const,
  ];

  it.each(bodies)('B12: an aborted upload prints no token: %s', async (__, make) => {
    const axios = await start(transport);
    const body = await make();
    const abort = new AbortController();
    const configs: unknown[] = [];
    axios.interceptors.request.use((config) => (configs.push(config), config));
    const arrived = arrival();
    const request: AxiosRequestConfig = { signal: abort.signal };
    const call = ending(axios.post('/payments', body, request), { body });
    await arrived;
    expect(reached({ body, request, configs, signal: abort.signal })).toEqual([]);
    await pause(30);
    expect(printed({ body })).toEqual([]);
    // In a separate tick, so that no stream is unpiped yet.
    await Promise.resolve();
    abort.abort();
    expect(printed({ body })).toEqual([]);
    const { error, leaks } = await call;
    expect(error).toMatchObject({ code: 'ERR_CANCELED' });
    expect(leaks).toEqual([]);
    await pause(30);
    expect(printed({ error, body })).toEqual([]);
  });

  it('B12: an upload that is too large prints no token', async () => {
    const axios = await start(transport);
    const body = BODIES['a file']?.();
    const { error, leaks } = await ending(axios.post('/payments', body, { maxBodyLength: 200_000 }), {
      body,
    });
    expect(error).toMatchObject({ message: 'Request body larger than maxBodyLength limit' });
    expect(leaks).toEqual([]);
    expect(printed({ error, body })).toEqual([]);
  });
});

it.each<[string, (agent: Agent) => { prepared?: Prepared; request?: object; defaults?: object }]>([
  ['passed with the request', (httpsAgent) => ({ request: { httpsAgent } })],
  ['set on the defaults', (httpsAgent) => ({ defaults: { httpsAgent } })],
  ['from the configuration', (httpsAgent) => ({ prepared: { http: { httpsAgent } } })],
])('B12: a 404 over an agent %s prints no token of another call', async (_, give) => {
  const agent = testEnvironment.provider.agent();
  onTestFinished(() => agent.destroy());
  const { prepared, request = {}, defaults = {} } = give(agent);
  const axios = await start(NODE_HTTPS, prepared);
  Object.assign(axios.defaults, defaults);
  const held = testEnvironment.api.path('/held').hold();
  const other = axios.get('/held', request);
  await held.arrived;
  testEnvironment.api.path('/missing').status(404);
  const { error, leaks } = await ending(axios.get('/missing', request));
  expect(error).toMatchObject({ response: { status: 404 } });
  expect(leaks).toEqual([]);
  expect(reached({ agent })).toEqual([]);
  const response = await axios.get('/payments', request);
  expect(printed({ response })).toEqual([]);
  held.release();
  await other;
  expect(reached({ agent })).toEqual([]);
});
