import { beforeAll, describe, expect, it } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { runSource } from '../../support/run/run-source.js';
import { startSimulator } from '../../support/application/simulator.js';

interface Span {
  readonly name: string;
  /** The instrumentation that made the span. */
  readonly by: string;
  readonly id: string;
  readonly trace: string;
  readonly parent?: string;
  readonly attributes: Record<string, unknown>;
  readonly events: readonly { readonly name: string }[];
}

/** Runs an application with tracing, and returns the spans of its process, in the order of their ends. */
async function spansOf(provider: ProviderSimulator, { hook = 'no', settings = '', body = '' }) {
  const source = `
    await import('./test/support/run/tracing.mjs');
    const { Agent } = await import('node:https');
    const { setTimeout: passed } = await import('node:timers/promises');
    const { NestFactory } = await import('@nestjs/core');
    const library = await import('./lib/index.ts');
    const { undiciTransport } = await import('./lib/undici/index.ts');
    const { EasyHttpService, getTokenProviderToken, ProviderAuthModule, providerAuthConfig } = library;
    const { CA: ca } = process.env;
    const http = { httpsAgent: new Agent({ ca, keepAlive: true }) };
    const mapped = (object, change) =>
      Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
    const trusting = (interfaces) =>
      mapped(interfaces, (one) => mapped(one, (pair) => (typeof pair === 'object' ? { ...pair, tls: { ca } } : pair)));
    const options = { ...providerAuthConfig(), http, ${settings} };
    const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), { logger: false });
    const { axiosRef } = app.get(EasyHttpService);
    const call = (path, config) => traced(path, () => axiosRef.get(path, config).catch(() => undefined));
    ${body}
    await app.close();
    printSpans();`;
  const { stdout, stderr } = await runSource(source, {
    ...provider.env(),
    CA: provider.ca,
    TRACING_HOOK: hook,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Span[];
}

function traceparentOf({ trace, id }: Span): string {
  return `00-${trace}-${id}-01`;
}

function requestsTo(spans: readonly Span[], url: string): Span[] {
  return spans.filter(({ attributes }) => attributes['url.full'] === url);
}

const FAILING = ['/reflecting', '/reset', '/no-http', '/silent'];

describe.each([
  { adapter: "axios' adapter", by: '@opentelemetry/instrumentation-http' },
  { adapter: "axios' adapter", by: '@opentelemetry/instrumentation-http', hook: 'yes' },
  {
    adapter: 'the undici transport',
    by: '@opentelemetry/instrumentation-undici',
    settings: 'http: { transport: undiciTransport() }, interfaces: trusting(providerAuthConfig().interfaces)',
  },
])('an application with OpenTelemetry, by $adapter, hook for ES modules: $hook', ({ by, ...running }) => {
  let provider: ProviderSimulator;
  let spans: Span[];

  beforeAll(async () => {
    provider = await ProviderSimulator.start();
    const { api, token } = provider;
    token.next().handler((_, response, { body }) => {
      response.writeHead(503, body.toString()).end(body);
    });
    api.path('/refused').next().unauthorized();
    api.path('/reflecting').handler(({ headers: { authorization = '' } }, response) => {
      response.writeHead(500, authorization, { 'x-seen': authorization }).end(authorization);
    });
    api.path('/reset').reset();
    api.path('/no-http').garbage();
    api.path('/silent').hang();
    spans = await spansOf(provider, {
      ...running,
      body: `
        await Promise.all([call('/one'), call('/two')]);
        await call('/refused');
        for (const path of ${JSON.stringify(FAILING)}) await call(path, { timeout: 1_000 });`,
    });
    return () => provider.close();
  }, 60_000);

  const callTo = (path: string): Span => spans.find(({ name }) => name === path)!;
  const sentTo = (path: string): Span[] => requestsTo(spans, provider.baseUrl('easy', 'sandbox') + path);
  const receivedAt = (path: string): unknown[] =>
    provider.apiRequests.filter((one) => one.path === path).map(({ headers }) => headers['traceparent']);

  it.each(['/one', '/two', ...FAILING])(
    "C2: a call is a child of its caller's span, for the API too: %s",
    (path) => {
      const { id: parent, trace } = callTo(path);
      expect(sentTo(path)).toMatchObject([{ by, parent, trace }]);
      expect(receivedAt(path)).toEqual(sentTo(path).map(traceparentOf));
    },
  );

  it('C3: a resend has its own span', () => {
    const { id: parent, trace } = callTo('/refused');
    const sent = sentTo('/refused');
    expect(sent).toMatchObject([
      { parent, trace },
      { parent, trace },
    ]);
    expect(sent.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([401, 200]);
    expect(receivedAt('/refused')).toEqual(sent.map(traceparentOf));
  });

  it('C2: each token request has its own span, below the call that needed the token first', () => {
    const asked = requestsTo(spans, provider.tokenUrl('easy', 'sandbox'));
    const parents = ['/one', '/one', '/refused'].map((path) => callTo(path).id);
    expect(asked.map(({ parent }) => parent)).toEqual(parents);
    expect(provider.tokenRequests.map(({ headers }) => headers['traceparent'])).toEqual(
      asked.map(traceparentOf),
    );
  });

  it('S10: no span holds a credential', () => {
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
    const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
    expect(tokens).toHaveLength(2);
    const scanner = new CanaryScanner({ clientId, clientSecret, ...Object.fromEntries(tokens.entries()) });
    expect(spans.flatMap(({ events }) => events).length).toBeGreaterThan(0);
    expect(scanner.scanText(JSON.stringify(spans))).toEqual([]);
  });
});

it('C2: a renewal ahead belongs to no call, and the endpoint gets the span of the token request', async () => {
  const provider = await startSimulator({ lifetimeSeconds: 2 });
  const spans = await spansOf(provider, {
    settings: 'token: { renewAheadMs: 1_000 }',
    body: `
      await call('/things');
      await call('/again');
      const tokens = app.get(getTokenProviderToken('easy'));
      const { fingerprint } = tokens.status();
      while (tokens.status().fingerprint === fingerprint) {
        await passed(20);
        await tokens.getToken();
      }`,
  });
  const asked = requestsTo(spans, provider.tokenUrl('easy', 'sandbox'));
  const caller = spans.find(({ name }) => name === '/things');
  expect(asked.map(({ parent }) => parent)).toEqual([caller?.id, undefined]);
  expect(provider.tokenRequests.map(({ headers }) => headers['traceparent'])).toEqual(
    asked.map(traceparentOf),
  );
});
