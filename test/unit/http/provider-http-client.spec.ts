import https, { Agent } from 'node:https';
import axios, { type AxiosAdapter, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import type { IsMock } from '../../../lib/http/axios/interceptor.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import {
  answerTo,
  BASE_URL,
  FakeTokens,
  HTTP_DEFAULTS,
  StubAdapter,
} from '../../support/http/http-client.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

/** A client with a transport that records, and with settings of the application. */
function createClient(
  http: Partial<HttpSettings> = {},
  { tls, ...further }: { tls?: ClientTls; isMock?: IsMock } = {},
) {
  const clock = new FakeClock();
  const stub = new StubAdapter();
  const close = vi.spyOn(stub.source, 'close').mockImplementation((callsEnded) => callsEnded);
  const open = vi.fn<(address: object) => object>(() => stub.source);
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL, tls },
    http: { ...HTTP_DEFAULTS, transport: { open }, ...http },
    tokens: new FakeTokens(clock),
    clock,
    ...further,
  });
  return { client, open, close, stub };
}

const mocked: AxiosAdapter = async (config) =>
  answerTo(config, 200, `of the mock, with ${String(config.headers.get('authorization'))}`);

describe('the client of an interface and environment', () => {
  it('S9: opens its transport with the tls of its pair', () => {
    const address = { interface: 'easy', environment: 'sandbox' };
    const tls = new ClientTls({});
    expect(createClient().open.mock.calls).toEqual([[address]]);
    expect(createClient({}, { tls }).open.mock.calls).toEqual([[{ ...address, tls }]]);
  });

  it('S9: gives an adapter of the caller an agent with the tls of its pair', async () => {
    const tls = new ClientTls({});
    const { client } = createClient({}, { tls });
    let agent: unknown;
    const adapter: AxiosAdapter = (config) => ((agent = config.httpsAgent), mocked(config));
    await client.axios.get('/x', { adapter });
    expect((agent as Agent).options.secureContext).toBe(tls.secureContext());
  });

  it('C2: has the settings as defaults that users can read, and sends the headers of the settings', async () => {
    const headers = Object.freeze({ 'x-tenant': 'one' });
    const { client, stub } = createClient({ headers, timeoutMs: 123, maxRedirects: 4 });
    expect(client.axios.defaults).toMatchObject({ baseURL: BASE_URL, timeout: 123, maxRedirects: 4 });
    await client.axios.get('/x');
    await client.axios.get('/x', { headers: { 'x-tenant': 'two' } });
    expect(stub.seen.map((config) => config.headers.get('x-tenant') as unknown)).toEqual(['one', 'two']);
  });

  it('S6: ignores credentials on the global axios, and keeps its other defaults', async () => {
    const { headers } = axios.defaults;
    Object.assign(headers, { odd: 'text', nothing: null });
    Object.assign(headers.common, { Authorization: 'of another server', 'x-kept': 'kept' });
    Object.assign(headers.post, { authorization: 'of another server' });
    axios.defaults.auth = { username: 'another', password: 'server' };
    try {
      const { client, stub } = createClient();
      for (const instance of [client.axios, client.axios.create()]) await instance.post('/x');
      expect(stub.authorizations).toEqual(['Bearer canary-token-1', 'Bearer canary-token-1']);
      expect(stub.seen[0]?.headers.get('x-kept')).toBe('kept');
      expect(headers.common).toMatchObject({ Authorization: 'of another server' });
    } finally {
      for (const name of ['odd', 'nothing']) Reflect.deleteProperty(headers, name);
      for (const name of ['Authorization', 'x-kept']) Reflect.deleteProperty(headers.common, name);
      Reflect.deleteProperty(headers.post, 'authorization');
      delete axios.defaults.auth;
    }
  });

  it('B15: looks `https.request` up on the module at each call, so that mocks replace it', async () => {
    const request = vi.spyOn(https, 'request').mockImplementation(() => {
      throw new Error('No network.');
    });
    const { client } = createClient({ transport: undefined });
    expect(await errorOf(client.axios.get('/x'))).toMatchObject({ message: 'No network.' });
    expect(request.mock.calls).toMatchObject([[{ hostname: 'api.example.com', path: '/v1/x' }]]);
  });

  it('S6: checks a call again if code of the application ran while its body was written', async () => {
    const { client, stub } = createClient();
    let kept: InternalAxiosRequestConfig | undefined;
    client.axios.interceptors.request.use((config) => (kept = config));
    const toJSON = (): string => (Object.assign(kept ?? {}, { url: 'https://evil.example/' }), 'text');
    expect(await errorOf(client.axios.post('/x', { toJSON }))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(stub.seen).toEqual([]);
  });

  it.each<[string, IsMock | undefined, AxiosAdapter | undefined, string, number]>([
    ['an adapter of the instance', undefined, mocked, '{"ok":true}', 1],
    ['a test that mocks nothing', () => true, undefined, '{"ok":true}', 1],
    ['an adapter that is no mock', () => false, mocked, '{"ok":true}', 1],
    ['a mock', (adapter) => adapter === mocked, mocked, 'of the mock, with Bearer canary-token-1', 0],
  ])('B21: fetch with %s is answered by the right one', async (_, isMock, adapter, text, sent) => {
    const { client, stub } = createClient({}, isMock && { isMock });
    if (adapter) client.axios.defaults.adapter = adapter;
    expect(client.fetch.baseUrl).toBe(BASE_URL);
    expect(await (await client.fetch('/x')).text()).toBe(text);
    expect(stub.seen).toHaveLength(sent);
  });
});

describe('a client that closes', () => {
  it('B9: waits for the calls that are under way, and not for later ones', async () => {
    const { client, stub } = createClient();
    const held: (() => void)[] = [];
    stub.respond = (config) => new Promise((resolve) => held.push(() => resolve(answerTo(config))));
    const before = [client.axios.get('/1'), client.axios.get('/2')];
    await settled();
    const closed = [new Watched(client.close()), new Watched(client.close())];
    const later = client.axios.get('/3');
    await settled();
    held[0]?.();
    await settled();
    expect(closed.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    held[1]?.();
    await Promise.all(before);
    await settled();
    expect(closed.map(({ state }) => state)).toEqual(['given', 'given']);
    held[2]?.();
    await later;
  });

  it('B9: does not wait for calls that have failed, or that were refused', async () => {
    const { client, stub, close } = createClient();
    stub.respond = () => Promise.reject(new Error('no'));
    await errorOf(client.axios.get('/x'));
    await errorOf(client.axios.get('https://evil.example'));
    await expect(client.close()).resolves.toBeUndefined();
    expect(close).toHaveBeenCalledOnce();
  });
});
