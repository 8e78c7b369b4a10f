import https, { Agent } from 'node:https';
import axios, {
  type AxiosAdapter,
  AxiosError,
  type AxiosInstance,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, it, vi } from 'vitest';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { ApiReport } from '../../../lib/http/api-report.js';
import { privateAgentFor } from '../../../lib/net/private-agent.js';
import type { FetchAdapter } from '../../../lib/http/fetch/provider-fetch.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { generalCallsOf } from '../../support/http/general-calls.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import {
  BASE_URL,
  connectionTo,
  FakeTokens,
  HTTP_DEFAULTS,
  steeredClient,
  StubAdapter,
} from '../../support/http/http-client.js';
import { errorOf, profileOf, Watched } from '../../support/token/token-fixtures.js';

/** A client with a transport that records, and with settings of the application. */
function createClient(http = {}, tls?: ClientTls) {
  const seen: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push(config);
    return { data: '', status: 200, statusText: '', headers: {}, config };
  };
  const close = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const open = vi.fn<(address: object) => { adapter: AxiosAdapter; close: () => Promise<void> }>(() => ({
    adapter,
    close,
  }));
  const client = createProviderHttpClient(optionsOf({ transport: { open }, ...http }, tls));
  return { client, open, close, seen };
}

function optionsOf(http: Partial<HttpSettings>, tls?: ClientTls) {
  const clock = new FakeClock();
  const profile = { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL, ...(tls && { tls }) };
  return { profile, http: { ...HTTP_DEFAULTS, ...http }, tokens: new FakeTokens(clock), clock };
}

const mocked: AxiosAdapter = async (config) => ({
  data: `of the mock, with ${String(config.headers.get('authorization'))}`,
  status: 200,
  statusText: '',
  headers: {},
  config,
});

const waitForCalls = (callsEnded?: Promise<void>): Promise<void> => callsEnded ?? Promise.resolve();

describe('the client of an interface and environment', () => {
  it('opens its own connection to its address', () => {
    const { open } = createClient();
    expect(open.mock.calls).toEqual([[{ interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL }]]);
  });

  it('S9: uses the tls of its pair, by its agent and by its transport', async () => {
    const tls = new ClientTls({});
    const { client, open } = createClient({}, tls);
    expect(open.mock.calls).toEqual([
      [{ interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL, tls }],
    ]);
    let agent: unknown;
    await client.axios.get('/x', {
      adapter: async (config) => {
        agent = config.httpsAgent;
        return { data: '', status: 200, statusText: '', headers: {}, config };
      },
    });
    expect((agent as Agent).options.secureContext).toBe(tls.secureContext());
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['takes back its own', 'Basic own', undefined],
    ['sets its own', undefined, 'Basic own'],
  ])(
    'B34 S7: does not repeat a request with changed certificates if its caller %s credentials meanwhile',
    async (_, before, after) => {
      const pair = { provider: 'provider', interface: 'easy', environment: 'sandbox' };
      const source = { pair, cert: 'CERT_FILE', read: () => Promise.resolve(new ClientTls({})) };
      const log = vi.fn<() => void>();
      const tls = new ClientTls({}, source, undefined, { warn: log, log });
      const sent: unknown[] = [];
      let ofCaller: InternalAxiosRequestConfig | undefined;
      const adapter: AxiosAdapter = (config) => {
        sent.push(config.headers.get('Authorization'));
        ofCaller?.headers.set('Authorization', after);
        if (after === undefined) ofCaller?.headers.delete('Authorization');
        throw new AxiosError('no trust', 'CERT_HAS_EXPIRED');
      };
      const { client } = createClient({ transport: { open: () => ({ adapter, close: waitForCalls }) } }, tls);
      client.axios.interceptors.request.use((config) => (ofCaller = config));
      const call = client.axios.get('/x', { headers: { ...(before && { Authorization: before }) } });
      expect(await errorOf(call)).toMatchObject({ code: 'CERT_HAS_EXPIRED' });
      expect(sent).toEqual([before ?? 'Bearer canary-token-1']);
    },
  );

  it.each([
    [undefined, 0],
    [false, 1],
  ] as const)(
    'B16: with a proxy in the environment and http.proxy %s, sends %i of 1 requests directly',
    async (proxy, direct) => {
      const stub = new StubAdapter();
      const connection = { ...connectionTo(stub, 'direct'), hasProxy: true };
      const { client } = createClient({ proxy, transport: { open: () => connection } });
      expect((await client.axios.get('/x')).status).toBe(200);
      expect(stub.direct).toBe(direct);
      expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    },
  );

  it.each([
    ['a transport that acts as axios', true, {}, 0],
    ['a transport that does not', false, {}, 1],
    ['an axios that was never compared', true, { generalPathOnly: true }, 1],
  ])('B16: with %s, axios makes the general calls', async (_, actsAsHttp, further, general) => {
    const clock = new FakeClock();
    const { adapter } = new StubAdapter();
    const { axios: instance } = createProviderHttpClient({
      profile: { ...profileOf(), baseUrl: BASE_URL },
      http: { ...HTTP_DEFAULTS, transport: { open: () => ({ adapter, actsAsHttp, close: waitForCalls }) } },
      tokens: new FakeTokens(clock),
      clock,
      ...further,
    });
    expect((await instance.get('/x')).status).toBe(200);
    expect(generalCallsOf(instance)).toBe(general);
  });

  it('sends the headers of the settings with each request', async () => {
    const headers = Object.freeze({ 'x-tenant': 'one' });
    const { client, seen } = createClient({ headers });
    await client.axios.get('/x');
    await client.axios.get('/x', { headers: { 'x-tenant': 'two' } });
    expect(seen.map((config) => config.headers.get('x-tenant'))).toEqual(['one', 'two']);
  });

  it('C2: has the settings as defaults that users can read', () => {
    const { client } = createClient({ timeoutMs: 123, maxRedirects: 4 });
    expect(client.axios.defaults).toMatchObject({ baseURL: BASE_URL, timeout: 123, maxRedirects: 4 });
  });

  it('S6: ignores credentials on the global axios, and keeps its other defaults', async () => {
    const { headers } = axios.defaults;
    Object.assign(headers, { odd: 'text', nothing: null });
    Object.assign(headers.common, { Authorization: 'of another server', 'x-kept': 'kept' });
    Object.assign(headers.post, { authorization: 'of another server' });
    try {
      const { client, seen } = createClient();
      await client.axios.post('/x');
      expect(seen[0]?.headers.get('authorization')).toBe('Bearer canary-token-1');
      expect(seen[0]?.headers.get('x-kept')).toBe('kept');
      expect(headers.common).toMatchObject({ Authorization: 'of another server' });
    } finally {
      for (const name of ['odd', 'nothing']) Reflect.deleteProperty(headers, name);
      for (const name of ['Authorization', 'x-kept']) Reflect.deleteProperty(headers.common, name);
      Reflect.deleteProperty(headers.post, 'authorization');
    }
  });

  it.each([
    ['another host', { url: 'https://evil.example.com/v1/x' }, 'OUTSIDE_BASE_URL'],
    ['a path outside of the base URL', { url: '../x' }, 'OUTSIDE_BASE_URL'],
    ['http:', { url: 'http://api.example.com/v1/x' }, 'INSECURE_URL'],
    ['another base URL', { baseURL: 'https://evil.example.com/v1' }, 'OUTSIDE_BASE_URL'],
  ])('S6: refuses what an adapter passes on with %s', async (_, change, code) => {
    const { client, seen } = createClient();
    const passOn = client.axios.defaults.adapter as AxiosAdapter;
    client.axios.defaults.adapter = (config) => passOn({ ...config, ...change });
    expect(await errorOf(client.axios.get('/x'))).toMatchObject({ name: 'RequestRefusedError', code });
    expect(seen).toEqual([]);
    client.axios.defaults.adapter = (config) => passOn({ ...config, url: 'y' });
    await client.axios.get('/x');
    expect(seen).toMatchObject([{ url: 'y' }]);
  });

  it('B9: closes its connection and its own agent, but no agent of the application', async () => {
    const httpsAgent = new Agent();
    const { client, close } = createClient({ httpsAgent });
    const kept = httpsAgent.maxFreeSockets;
    await client.close();
    expect(close).toHaveBeenCalledOnce();
    expect(httpsAgent.maxFreeSockets).toBe(kept);
  });

  it("B12: ends the connections of the client's agent when the client closes", async () => {
    const { client, seen } = createClient();
    const { adapter } = client.axios.defaults;
    let agent: Agent | undefined;
    await client.axios.get('/x', {
      adapter: (config) => {
        agent = config.httpsAgent as Agent;
        return (adapter as AxiosAdapter)(config);
      },
    });
    expect(seen).toHaveLength(1);
    expect(agent?.maxFreeSockets).toBeGreaterThan(0);
    await client.close();
    expect(agent?.maxFreeSockets).toBe(0);
  });

  it('B29: reports an API that breaks off each response in its body, but not a response that is too large', async () => {
    const clock = new FakeClock();
    const http = { ...HTTP_DEFAULTS, httpsAgent: undefined };
    const api = new ApiReport(profileOf(), http, clock, { error() {}, warn() {}, log() {} });
    const head = { status: 200, statusText: '', headers: {}, data: undefined };
    let isCut = false;
    const adapter: AxiosAdapter = (config) =>
      Promise.reject(
        new AxiosError(
          'of axios',
          AxiosError.ERR_BAD_RESPONSE,
          config,
          {},
          isCut ? { ...head, config } : undefined,
        ),
      );
    const transport = { open: () => ({ adapter, actsAsHttp: true, close: waitForCalls }) };
    const client = createProviderHttpClient({
      profile: { ...profileOf(), baseUrl: BASE_URL },
      http: { ...http, transport },
      tokens: new FakeTokens(clock),
      clock,
      api,
    });
    const call = async (): Promise<string | undefined> => {
      await errorOf(client.axios.get('/x'));
      await clock.advance(2_500);
      return api.error?.code;
    };
    for (let calls = 0; calls < 5; calls += 1) expect(await call()).toBeUndefined();
    isCut = true;
    for (let calls = 0; calls < 4; calls += 1) expect(await call()).toBeUndefined();
    expect(await call()).toBe('API_UNREACHABLE');
  });

  it('B9: closes its connection when the calls have ended that were under way, also if others have begun', async () => {
    const held: (() => void)[] = [];
    const adapter: AxiosAdapter = (config) =>
      new Promise((resolve) =>
        held.push(() => resolve({ data: '', status: 200, statusText: '', headers: {}, config })),
      );
    const { client } = createClient({ transport: { open: () => ({ adapter, close: waitForCalls }) } });
    const before = [client.axios.get('/1'), client.axios.get('/2')];
    await settled();
    const closed = new Watched(client.close());
    const later = client.axios.get('/3');
    await settled();
    const [endFirst, endSecond, endLater] = held;
    endFirst?.();
    await settled();
    expect(closed.state).toBe('waiting');
    endSecond?.();
    await Promise.all(before);
    await settled();
    expect(closed.state).toBe('given');
    endLater?.();
    await later;
  });

  it.each([
    ['a transport', undefined],
    ['a call', { open: () => ({ adapter: async () => expect.unreachable(), close: waitForCalls }) }],
  ])('B9: closes without %s', async (_, transport) => {
    const { client } = createClient({ transport });
    await expect(client.close()).resolves.toBeUndefined();
  });

  it.each<[string, (axios: AxiosInstance) => AxiosInstance]>([
    ['was removed', (axios) => (axios.interceptors.request.clear(), axios)],
    ['was removed by its number', (axios) => (axios.interceptors.request.eject(0), axios)],
    ['is not there, because the instance is another one', (axios) => axios.create()],
  ])('S7: says what to do if its interceptor %s', async (_, changed) => {
    const { axios } = steeredClient();
    const error = await errorOf(changed(axios).get('/x'));
    expect(error).toMatchObject({
      message:
        'No access token for easy sandbox: the request came without the interceptor that attaches it. An instance made ' +
        'with axiosRef.create() has no such interceptor: send with axiosRef itself. If your code calls ' +
        'interceptors.request.clear(), remove your own interceptors with eject(id) instead, where id is what use() returned.',
      failure: { transient: false },
    });
  });

  it('B12: if a mock passes a request through, the request loses the agent that was for the mock', async () => {
    const { client, seen } = createClient();
    const through = client.axios.defaults.adapter as AxiosAdapter;
    const passed: unknown[] = [];
    const mock: AxiosAdapter = (config) => {
      passed.push(config.httpsAgent);
      return through(config);
    };
    await client.axios.get('/x', { adapter: mock });
    const own = new Agent();
    await client.axios.get('/x', { adapter: mock, httpsAgent: own });
    expect(passed).toEqual([expect.any(Agent), privateAgentFor(own)]);
    expect(seen.map(({ httpsAgent }) => httpsAgent as unknown)).toEqual([undefined, privateAgentFor(own)]);
  });

  it('C3: sends a request with a token if the request names no adapter at all', async () => {
    const { client, seen } = createClient();
    client.axios.interceptors.request.use((config) => {
      delete config.adapter;
      return config;
    });
    await client.axios.get('/x');
    expect(seen[0]?.headers.get('authorization')).toBe('Bearer canary-token-1');
  });

  it('S6 B16: checks a direct call again if code of the application ran while its body was written', async () => {
    const stub = new StubAdapter();
    const connection = connectionTo(stub, 'direct');
    const { client } = createClient({ transport: { open: () => connection } });
    let kept: InternalAxiosRequestConfig | undefined;
    client.axios.interceptors.request.use((config) => (kept = config));
    await client.axios.post('/x', { a: 1 });
    expect(stub.seen).toMatchObject([{ url: '/x', data: '{"a":1}' }]);
    const toJSON = (): string => (Object.assign(kept ?? {}, { url: 'https://evil.example/' }), 'text');
    expect(await errorOf(client.axios.post('/x', { toJSON }))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(stub.seen).toHaveLength(1);
  });

  it.each([
    [undefined, 'proxy.example', true],
    [false, 'api.example.com', false],
  ] as const)(
    'B16: with a proxy in the environment and http.proxy %s, a request goes to %s, by axios: %s',
    async (proxy, host, isByAxios) => {
      for (const name of ['https_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy'])
        vi.stubEnv(name, undefined);
      vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
      const seen: { hostname?: string; agent?: object; beforeRedirects?: unknown }[] = [];
      const request = vi.spyOn(https, 'request').mockImplementation((options) => {
        seen.push(options as object);
        throw new Error('No network.');
      });
      const { client } = createClient({ proxy, transport: undefined });
      expect(await errorOf(client.axios.get('/x'))).toMatchObject({ message: 'No network.' });
      request.mockRestore();
      const [options] = seen;
      const ofAgent = Reflect.get(options?.agent ?? {}, 'proxy') as URL | undefined;
      expect(ofAgent?.hostname ?? options?.hostname).toBe(host);
      expect('beforeRedirects' in (options ?? {})).toBe(isByAxios);
    },
  );

  const OWN = '{"ok":true}';
  it.each<[string, FetchAdapter | undefined, string, number]>([
    ['no adapter of a test', undefined, OWN, 1],
    ['a test that mocks nothing', () => undefined, OWN, 1],
    ['a test that mocks axios with its own adapter', ({ defaults }) => defaults.adapter, OWN, 1],
    ['a test that mocks axios', () => mocked, 'of the mock, with Bearer canary-token-1', 0],
  ])('B21: fetch with %s is answered by the right one', async (_, fetchAdapter, text, direct) => {
    const stub = new StubAdapter();
    const connection = connectionTo(stub, 'direct');
    const client = createProviderHttpClient({
      ...optionsOf({ transport: { open: () => connection } }),
      fetchAdapter,
    });
    expect(client.fetch.baseUrl).toBe(BASE_URL);
    expect(await (await client.fetch('/x')).text()).toBe(text);
    expect([stub.direct, stub.seen.length]).toEqual([direct, direct]);
  });
});
