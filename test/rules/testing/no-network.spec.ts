import dns from 'node:dns';
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { Test } from '@nestjs/testing';
import { AxiosError, type AxiosRequestConfig, getAdapter } from 'axios';
import MockAdapter from 'axios-mock-adapter';
import axiosRetry from 'axios-retry';
import nock from 'nock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EasyHttpService } from '../../../lib/index.js';
import { ProviderAuthTestingModule } from '../../../lib/testing/index.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

const BASE = 'https://easy.sandbox.invalid';
const NO_MOCK = (request: string): string =>
  `No mock answers ${request}, and ProviderAuthTestingModule lets nothing onto the network. ` +
  'Set axiosRef.defaults.adapter, use axios-mock-adapter, nock or msw, spy on the client, or let ProviderSimulator play the provider.';

const app = await Test.createTestingModule({
  imports: [ProviderAuthTestingModule.forRoot({ http: { maxRedirects: 2 } })],
}).compile();
await app.init();
const { axiosRef, fetch } = app.get(EasyHttpService);
const { adapter: own = 'http' } = axiosRef.defaults;
afterAll(() => app.close());
afterEach(() => {
  axiosRef.defaults.adapter = own;
});

/** With nock, until the test ends. */
function mockTheNetwork(): void {
  if (!nock.isActive()) nock.activate();
  onTestFinished(() => {
    nock.cleanAll();
    nock.restore();
  });
}

describe('B29: a request that no mock answers', () => {
  /** What was asked for an address or a connection. */
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    asked.push('a proxy');
    socket.destroy();
  });
  let port = 0;
  beforeAll(async () => {
    port = await listenOnLoopback(proxy);
  });
  afterAll(() => void proxy.close());
  beforeEach(() => {
    asked.length = 0;
    vi.spyOn(dns, 'lookup').mockImplementation(() => void asked.push('a resolver'));
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'])
      vi.stubEnv(name, `http://127.0.0.1:${port}`);
  });

  it.each<[what: string, config: () => AxiosRequestConfig, request?: string]>([
    ['as it is', () => ({})],
    [
      'with a query and a body',
      () => ({ url: '/a?x=1', params: { y: 2 }, method: 'post', data: {} }),
      'POST https://easy.sandbox.invalid/a?x=1&y=2',
    ],
    ['with a proxy', () => ({ proxy: { protocol: 'http', host: '127.0.0.1', port } })],
    ['with an agent', () => ({ httpsAgent: new Agent() })],
    ['by the HTTP adapter', () => ({ adapter: 'http' })],
    ['by fetch', () => ({ adapter: 'fetch' })],
    ['by the first adapter that exists', () => ({ adapter: ['xhr', 'http', 'fetch'] })],
    ['by a function of axios', () => ({ adapter: getAdapter('fetch') })],
    ['by a function of axios for HTTP', () => ({ adapter: getAdapter('http') })],
  ])(
    'fails at once, %s: no name is resolved, and no proxy is called',
    async (_, config, request = `GET ${BASE}/a`) => {
      const error = await errorOf(axiosRef.request({ url: '/a', ...config() }));
      expect(error).toMatchObject({ message: NO_MOCK(request), code: 'ERR_NO_MOCK', name: 'Error' });
      expect(error).not.toBeInstanceOf(AxiosError);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('fake-easy-sandbox-');
      expect(asked).toEqual([]);
    },
  );

  it.each([undefined, 'http', 'fetch'] as const)(
    'fails by fetch, too, while the adapter of its client is %s',
    async (adapter) => {
      if (adapter !== undefined) axiosRef.defaults.adapter = adapter;
      expect(await errorOf(fetch('/a'))).toMatchObject({ name: 'TypeError', cause: { code: 'ERR_NO_MOCK' } });
      expect(asked).toEqual([]);
    },
  );

  it.each(['elsewhere.invalid', '127.0.0.1', '[::1]'])(
    'is named after a mocked redirect to %s',
    async (host) => {
      mockTheNetwork();
      const location = `https://${host}:${port}/receipt?n=1`;
      nock(BASE).get('/a').reply(302, '', { location });
      const error = await errorOf(axiosRef.get('/a'));
      expect(error).toMatchObject({ message: NO_MOCK(`GET ${location}`), code: 'ERR_NO_MOCK' });
      expect(asked).toEqual([]);
    },
  );

  it.each<[string, RegExp, () => unknown]>([
    ['without mocks', /^No mock answers/, () => undefined],
    ['with a mock of nock for another path', /^Nock: No match/, () => nock(BASE).get('/b').reply(200)],
  ])('is not repeated by axios-retry: %s', async (_, message, mock) => {
    mockTheNetwork();
    mock();
    const sent: unknown[] = [];
    const counter = axiosRef.interceptors.request.use((config) => {
      sent.push(config.url);
      return config;
    });
    const { requestInterceptorId, responseInterceptorId } = axiosRetry(axiosRef, { retryDelay: () => 0 });
    onTestFinished(() => {
      for (const id of [counter, requestInterceptorId]) axiosRef.interceptors.request.eject(id);
      axiosRef.interceptors.response.eject(responseInterceptorId);
    });
    await expect(axiosRef.get('/a')).rejects.toThrow(message);
    expect(sent).toEqual(['/a']);
  });

  it('says that an adapter does not exist', async () => {
    const error = await errorOf(axiosRef.get('/a', { adapter: 'htp' }));
    expect(error).toMatchObject({ message: expect.stringMatching(/no suitable adapter|Unknown adapter/i) });
  });
});

describe('C2: a mock of the test', () => {
  it('by an adapter answers axios and fetch', async () => {
    axiosRef.defaults.adapter = (config) =>
      Promise.resolve({
        status: 200,
        statusText: '',
        headers: {},
        data: config.headers.get('Authorization'),
        config,
      });
    const shown = expect.stringMatching(/^Bearer fake-easy-sandbox-\d$/);
    expect([(await axiosRef.get('/a')).data, await (await fetch('/a')).text()]).toEqual([shown, shown]);
    const answer = { status: 200, statusText: '', headers: {}, data: 'of the request' };
    const { data } = await axiosRef.get('/a', {
      adapter: (config) => Promise.resolve({ ...answer, config }),
    });
    expect(data).toBe('of the request');
  });

  it('by a fetch function answers, of the request or of the process', async () => {
    const taken = vi.fn<() => Promise<Response>>(() => Promise.resolve(new Response('"taken"')));
    expect((await axiosRef.get('/a', { adapter: 'fetch', env: { fetch: taken } })).data).toBe('taken');
    vi.stubGlobal('fetch', taken);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect((await axiosRef.get('/a', { adapter: 'fetch' })).data).toBe('taken');
  });

  it('by axios-mock-adapter answers axios and fetch, and the answer does not show the token', async () => {
    // The package has only the CommonJS types of axios.
    const mock = new MockAdapter(axiosRef as never);
    mock.onPost('/payments', { amount: 1 }).reply(201, { id: 'pay_1' }, { 'x-a': 'b' });
    const answer = await axiosRef.post('/payments', { amount: 1 });
    expect([answer.status, answer.data, JSON.stringify(answer.config).includes('fake-easy')]).toEqual([
      201,
      { id: 'pay_1' },
      false,
    ]);
    expect(mock.history['post']?.[0]?.headers?.['Authorization']).toMatch(/^Bearer fake-easy-sandbox-\d$/);
    const init = { method: 'POST', body: '{"amount":1}' };
    for (const input of ['/payments', new Request(`${fetch.baseUrl}/payments`, init)]) {
      const { status, headers, url, ...rest } = await fetch(input, init).then(async (got) => ({
        status: got.status,
        headers: got.headers,
        url: got.url,
        body: await got.json(),
      }));
      expect([status, rest.body, headers.get('x-a'), url]).toEqual([
        201,
        { id: 'pay_1' },
        'b',
        `${BASE}/payments`,
      ]);
      expect(headers.get('content-type')).toBe('application/json');
    }
  });

  it('by nock answers axios and fetch at the address of baseUrl()', async () => {
    mockTheNetwork();
    const reqheaders = { authorization: /^Bearer fake-easy-sandbox-\d$/ };
    nock(ProviderAuthTestingModule.baseUrl('easy'), { reqheaders })
      .get('/a')
      .times(2)
      .reply(200, { by: 'nock' });
    expect((await axiosRef.get('/a')).data).toEqual({ by: 'nock' });
    expect(await (await fetch('/a')).json()).toEqual({ by: 'nock' });
  });
});
