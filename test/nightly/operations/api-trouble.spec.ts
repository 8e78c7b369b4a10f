import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { ModulesContainer } from '@nestjs/core';
import { HealthIndicatorService } from '@nestjs/terminus';
import { AxiosError, type AxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProviderAuthOptions, ProviderStatus } from '../../../lib/index.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const NOTHING_LISTENS = 'https://127.0.0.1:1/easy/v1';

function withBaseUrl(provider: ProviderSimulator, baseUrl: string): ProviderAuthOptions {
  const options = provider.options();
  const sandbox = { ...options.interfaces.easy!.sandbox!, baseUrl };
  return { ...options, interfaces: { easy: { sandbox } } };
}

type Lookup = (host: string, options: unknown, done: (error: Error, address: string) => void) => void;

const notFound = (): Error =>
  Object.assign(new Error('getaddrinfo ENOTFOUND files.example'), { code: 'ENOTFOUND' });
const lookup: Lookup = (_host, _options, done) => done(notFound(), '');

const failingStream = (): Readable =>
  new Readable({
    read() {
      this.destroy(notFound());
    },
  });
const failingWebStream = (): ReadableStream =>
  new ReadableStream({ pull: (controller) => controller.error(notFound()) });

async function* failingIterable(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(1);
  throw notFound();
}

/** A base URL with a name: the function `lookup` is not called for an IP address. */
function localhost(provider: ProviderSimulator, undici: boolean): ProviderAuthOptions {
  const { baseUrl } = provider.options().interfaces.easy!.sandbox!;
  const options = withBaseUrl(provider, baseUrl.replace('127.0.0.1', 'localhost'));
  const transport = undiciTransport();
  return undici ? { ...options, http: { ...options.http, transport } } : options;
}

/** A request whose connection fails, of a transport of the caller. */
function failingRequest(): ClientRequest {
  return request({ host: 'files.example', lookup });
}

function apiErrorOf({ status }: RunningApp): ProviderStatus['apiError'] {
  return status.status().find(({ interface: name, active }) => name === 'easy' && active)?.apiError;
}

function healthOf({ app }: RunningApp): Promise<unknown> {
  const indicators = new HealthIndicatorService();
  return new ProviderAuthHealthIndicator(indicators, app.get(ModulesContainer)).isHealthy('provider');
}

describe('B29: an API that cannot be reached', () => {
  it('B29: is down in health until one minute without a call has passed', async () => {
    const running = await given()
      .app((provider) => withBaseUrl(provider, NOTHING_LISTENS))
      .start();
    expect(await healthOf(running)).toMatchObject({ provider: { status: 'up' } });
    await errorOf(running.easy.axiosRef.get('/payments'));
    const down = { provider: { status: 'down', easy: { state: 'valid', api: 'API_UNREACHABLE' } } };
    expect(await healthOf(running)).toMatchObject(down);
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await healthOf(running)).toMatchObject({
      provider: { status: 'up', easy: { api: 'API_UNREACHABLE' } },
    });
  });

  it('B29: says nothing about the settings if the caller chose the connection', async () => {
    const running = await given().app().start();
    const proxy = { host: '127.0.0.1', port: 1 };
    const error = await errorOf(running.easy.axiosRef.get('/payments', { proxy }));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' });
    expect([running.logs.linesAboutTrouble(), apiErrorOf(running)]).toEqual([[], undefined]);
  });

  it.each<[string, () => AxiosRequestConfig, undici?: true]>([
    ['its adapter', () => ({ adapter: () => Promise.reject(AxiosError.from(notFound())) })],
    ['its fetch', () => ({ adapter: 'fetch', env: { fetch: () => Promise.reject(notFound()) } })],
    ['its lookup', () => ({ lookup })],
    ['its transport', () => ({ transport: { request: () => failingRequest() } })],
    ['its upload', () => ({ method: 'post', data: failingStream() })],
    ['its upload on undici', () => ({ method: 'post', data: failingStream() }), true],
    ['its web stream on undici', () => ({ method: 'post', data: failingWebStream() }), true],
  ])('B29: says nothing about the settings if a call fails by %s', async (_, config, undici) => {
    const running = await given()
      .app((provider) => localhost(provider, undici === true))
      .start();
    const error = await errorOf(running.easy.axiosRef.request({ url: '/payments', ...config() }));
    expect(error).toMatchObject({ message: expect.stringMatching(/ENOTFOUND files\.example$/) });
    expect([running.logs.linesAboutTrouble(), apiErrorOf(running)]).toEqual([[], undefined]);
  });

  it.each<[string, () => RequestInit]>([
    ['stream', () => ({ body: failingWebStream() })],
    ['Node stream', () => ({ body: failingStream() })],
    ['iterable', () => ({ body: failingIterable() })],
  ])('B29 B21: says nothing about the settings if the %s of a fetch fails', async (_, init) => {
    const running = await given().app().start();
    const error = await errorOf(running.easy.fetch('/x', { method: 'POST', duplex: 'half', ...init() }));
    expect(error).toMatchObject({ cause: { message: 'getaddrinfo ENOTFOUND files.example' } });
    expect([running.logs.linesAboutTrouble(), apiErrorOf(running)]).toEqual([[], undefined]);
  });

  it('B29: is said again to each caller, and once in the log', async () => {
    const running = await given()
      .app((provider) => withBaseUrl(provider, NOTHING_LISTENS))
      .start();
    for (let call = 0; call < 5; call += 1)
      expect(await errorOf(running.easy.axiosRef.post('/payments', { amount: 1 }))).toMatchObject({
        isAxiosError: true,
        code: 'ECONNREFUSED',
        message: expect.stringContaining(
          'Compare host and port of the base URL (interfaces.easy.sandbox.baseUrl)',
        ),
      });
    expect(running.logs.linesAboutTrouble()).toEqual([
      expect.stringMatching(
        /^error No response from the API of easy sandbox: .* \(API_UNREACHABLE, 127\.0\.0\.1:1\)/,
      ),
    ]);
  });
});

/** An application that waits for an answer only as long as the test needs, on one of the transports. */
function impatient(provider: ProviderSimulator, undici: boolean, timeoutMs = 600): ProviderAuthOptions {
  const options = localhost(provider, undici);
  return { ...options, http: { ...options.http, timeoutMs } };
}

const axiosCall = ({ easy }: RunningApp, config: AxiosRequestConfig = {}): Promise<unknown> =>
  easy.axiosRef.get('/payments', config);
const generalCall = (running: RunningApp): Promise<unknown> => axiosCall(running, { maxRedirects: 1 });
const fetchCall = ({ easy }: RunningApp): Promise<unknown> => easy.fetch('/payments').then((it) => it.text());

const WAYS = [
  ['axios', axiosCall, false],
  ['axios on the general path', generalCall, false],
  ['fetch', fetchCall, false],
  ['axios on undici', axiosCall, true],
  ['fetch on undici', fetchCall, true],
] as const;

/** The errors of ten calls, with eleven seconds between the first five and the others. */
async function tenCalls(call: () => Promise<unknown>): Promise<unknown[]> {
  const five = () => Promise.all(Array.from({ length: 5 }, () => errorOf(call())));
  const errors = await five();
  vi.useFakeTimers({ now: Date.now() + 11_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return [...errors, ...(await five())];
}

describe.each(WAYS)(
  'B29: an API that accepts connections and answers no request: by %s',
  (_, call, undici) => {
    const UP = { provider: { status: 'up' } };
    const DOWN = { provider: { status: 'down', easy: { state: 'valid', api: 'API_UNREACHABLE' } } };
    const TIMEOUT = 'Check the provider and the network, or raise http.timeoutMs.';
    const CLOSED =
      'The connection was closed. If this lasts, check the port of the base URL (interfaces.easy.sandbox.baseUrl) and the firewall, and ask the provider.';

    // A fetch has its response when the headers are there. Its body has no time limit.
    const isFetch = call === fetchCall;

    it.each([
      ['never answers', ({ api }: ProviderSimulator) => api.hang(), TIMEOUT, 600],
      [
        'never ends an answer',
        ({ api }: ProviderSimulator) => api.drip(isFetch ? 'headers' : 'body'),
        TIMEOUT,
        600,
      ],
      ['closes each connection', ({ api }: ProviderSimulator) => api.hangUp(), CLOSED, 30_000],
      ['resets each connection', ({ api }: ProviderSimulator) => api.reset(), CLOSED, 30_000],
    ])(
      'B29: health, log, status and caller say so if the API %s',
      async (_what, script, advice, timeoutMs) => {
        const running = await given()
          .simulator({}, script)
          .app((provider) => impatient(provider, undici, timeoutMs))
          .start();
        const { logs, provider } = running;
        expect(await healthOf(running)).toMatchObject(UP);
        const errors = await tenCalls(() => call(running));
        const { message } = apiErrorOf(running) ?? {};
        expect(message).toContain(advice);
        expect(logs.linesAboutTrouble()).toEqual([
          expect.stringMatching(
            /^error No response from the API of easy sandbox: no request gets a complete/,
          ),
        ]);
        expect(logs.linesAboutTrouble()[0]).toContain(message);
        expect(await healthOf(running)).toMatchObject(DOWN);
        const texts = errors.map((error) => inspect(error));
        expect(texts.map((text) => text.includes(advice))).toEqual([
          ...Array(5).fill(false),
          ...Array(5).fill(true),
        ]);

        provider.reset();
        // A busy machine may miss the short timeout once more.
        while (apiErrorOf(running)) await call(running).catch(() => undefined);
        expect(await healthOf(running)).toMatchObject(UP);
      },
    );
  },
);

describe('B29: what callers do to their own calls', () => {
  it.each<[string, (running: RunningApp) => Promise<unknown>]>([
    ['a timeout of 1 ms', (running) => axiosCall(running, { timeout: 1 })],
    ['its signal', (running) => axiosCall(running, { signal: AbortSignal.timeout(20) })],
    ['the signal of a fetch', ({ easy }) => easy.fetch('/payments', { signal: AbortSignal.timeout(20) })],
    ['an upload that never ends', ({ easy }) => easy.axiosRef.post('/payments', new Readable({ read() {} }))],
    [
      'an agent of the caller',
      (running) => axiosCall(running, { httpsAgent: running.provider.agent({ maxSockets: 1 }) }),
    ],
  ])('B29: %s cannot make the health check fail', async (_, call) => {
    const running = await given()
      .simulator({}, ({ api }) => api.hang())
      .app((provider) => impatient(provider, false))
      .start();
    await running.tokens.getToken();
    await tenCalls(() => call(running));
    expect(await healthOf(running)).toMatchObject({ provider: { status: 'up' } });
    expect([running.logs.linesAboutTrouble(), apiErrorOf(running)]).toEqual([[], undefined]);
  });
});

describe('B29: an API that refuses every token', () => {
  it('B29: is in the log after the first call, with the same token requests as before', async () => {
    const running = await given()
      .simulator({}, ({ api }) => api.unauthorized())
      .app()
      .start();
    for (let calls = 1; calls <= 3; calls += 1) {
      const error = await errorOf(running.easy.axiosRef.get('/payments'));
      expect(error).toMatchObject({
        response: { status: 401 },
        message: expect.stringMatching(
          /^Request failed with status code 401\. The API of easy sandbox refuses/,
        ),
      });
      expect(running.logs.linesAboutTrouble()).toEqual([
        expect.stringMatching(/^warn The API .* \(RENEWALS_PAUSED, /),
      ]);
      expect(running.provider.tokenRequests).toHaveLength(2);
    }
    expect(apiErrorOf(running)).toMatchObject({ code: 'RENEWALS_PAUSED' });

    running.provider.reset();
    await running.easy.axiosRef.get('/payments');
    expect(running.logs.linesAboutTrouble().slice(1)).toEqual([
      expect.stringMatching(/^log The API of easy sandbox accepts tokens again\. \(API_RECOVERED, .+\)$/),
    ]);
    expect(apiErrorOf(running)).toBeUndefined();
  });

  it('B29: does not make health fail if the API has accepted a token before, so no caller can take an instance down', async () => {
    const running = await given().app().start();
    await running.easy.axiosRef.get('/payments');
    running.provider.api.unauthorized();
    await errorOf(running.easy.axiosRef.get('/forbidden'));
    expect(running.logs.linesAboutTrouble()).toEqual([]);
    await errorOf(running.easy.axiosRef.get('/forbidden'));
    expect(running.logs.linesAboutTrouble()).toEqual([expect.stringContaining('(RENEWALS_PAUSED, ')]);
    expect(await healthOf(running)).toMatchObject({ provider: { status: 'up' } });
    expect(apiErrorOf(running)).toBeUndefined();
  });

  it('B29: is no news if the module does not renew after a 401', async () => {
    const running = await given()
      .simulator({}, ({ api }) => api.unauthorized())
      .app((provider) => provider.options({ http: { ...provider.options().http, retryUnauthorized: false } }))
      .start();
    const error = await errorOf(running.easy.axiosRef.get('/payments'));
    expect(error).toMatchObject({ message: 'Request failed with status code 401' });
    expect([running.logs.linesAboutTrouble(), apiErrorOf(running)]).toEqual([[], undefined]);
  });
});

/** Calls before and after a pause. No fake timers: only both clocks move. */
async function callsAround(pauseMs: number, times: number, call: () => Promise<unknown>): Promise<void> {
  const some = () => Promise.allSettled(Array.from({ length: times }, call));
  await some();
  vi.useFakeTimers({ now: Date.now() + pauseMs, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await some();
}

describe.each(WAYS)('B35: an API that answers with errors only: by %s', (_, call, undici) => {
  const start = () =>
    given()
      .app((provider) => localhost(provider, undici))
      .start();

  it('B35: that refuses every token after it had accepted some makes health down, until it accepts one', async () => {
    const running = await start();
    const { provider, logs } = running;
    await call(running);
    provider.api.unauthorized();
    await callsAround(11_000, 5, () => call(running));
    expect(await healthOf(running)).toMatchObject({
      provider: { status: 'down', easy: { state: 'valid', api: 'RENEWALS_PAUSED' } },
    });
    expect(logs.linesAboutTrouble()).toContainEqual(
      expect.stringMatching(/^error The API of easy sandbox refuses .* The API accepted tokens before\./),
    );
    provider.reset();
    await call(running);
    expect(await healthOf(running)).toMatchObject({ provider: { status: 'up' } });
  });

  it.each([403, 404, 502])(
    'B35: that answers each request with %d is a warning, and health stays up',
    async (status) => {
      const running = await start();
      const { provider, logs } = running;
      provider.api.status(status);
      await callsAround(31_000, 20, () => call(running));
      expect(apiErrorOf(running)).toMatchObject({ code: 'API_FAILING' });
      expect(await healthOf(running)).toMatchObject({
        provider: { status: 'up', easy: { api: 'API_FAILING' } },
      });
      expect(logs.linesAboutTrouble()).toEqual([
        expect.stringMatching(new RegExp(`^warn The API of easy sandbox .*the last one with ${status}\\.`)),
      ]);
      provider.reset();
      await call(running);
      expect(apiErrorOf(running)).toBeUndefined();
    },
  );
});
