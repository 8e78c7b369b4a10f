import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { connect, Socket } from 'node:net';
import type { AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import * as undici from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { given } from '../../support/http/given.js';
import { startSimulator } from '../../support/application/simulator.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { flood } from '../../support/http/endless-answers.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

const CHECKS_NO_NAME = { checkServerIdentity: () => undefined };

/** Node's `fetch` cannot carry `tls`. */
const withAgent = (provider: ProviderSimulator) =>
  provider.options({ http: { httpsAgent: provider.agent() } });

it('S9: a connection that a request describes is checked for the name of the host, whatever else an agent says', async () => {
  const other = await startSimulator({ certificate: 'wrong-host' });
  const { provider } = await given().app().start();
  const { easy } = await given()
    .app(() => {
      const { easy: pair, ...rest } = provider.options().interfaces;
      const sandbox = { ...pair!.sandbox!, baseUrl: other.baseUrl('easy', 'sandbox') };
      return provider.options({ interfaces: { ...rest, easy: { ...pair!, sandbox } } });
    })
    .start();
  const httpsAgent = new Agent({ ca: other.ca, ...CHECKS_NO_NAME });
  onTestFinished(() => httpsAgent.destroy());
  expect(await errorOf(lastValueFrom(easy.get('/things', { httpsAgent })))).toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  expect(other.apiRequests).toEqual([]);
});

it('C2: the dispatcher of fetch of the process may be the mock of a test', async () => {
  const { easy } = await given().app(withAgent).start();
  const before = undici.getGlobalDispatcher();
  const mock = new undici.MockAgent();
  onTestFinished(async () => {
    undici.setGlobalDispatcher(before);
    await mock.close();
  });
  mock.disableNetConnect();
  undici.setGlobalDispatcher(mock);
  const { origin, pathname } = new URL(`${String(easy.axiosRef.defaults.baseURL)}/mocked`);
  mock.get(origin).intercept({ path: pathname }).reply(200, { mocked: true });
  expect((await lastValueFrom(easy.get('/mocked', { adapter: 'fetch' }))).data).toEqual({ mocked: true });
});

it.each([
  ['HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 403],
  [
    'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
    407,
  ],
  ['HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"paid":true}', 202],
  ['HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno', 401],
  ['HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n', 302],
])('B28: a proxy that refuses the connection is never taken for the API: %j', async (answer, status) => {
  const { tunnels, setting: proxy } = await ConnectProxy.start(answer);
  const { easy, provider } = await given().app().start();
  // If the body of the proxy is larger than the request allows, this is no response of the API either.
  await errorOf(lastValueFrom(easy.get('/things', { proxy, maxContentLength: 0 })));
  for (const request of [{}, { validateStatus: () => true }, { responseType: 'stream' as const }]) {
    const error = await errorOf(lastValueFrom(easy.get('/things', { proxy, ...request })));
    expect(error).toMatchObject({ isAxiosError: true, code: 'ERR_BAD_RESPONSE' });
    expect(error).not.toHaveProperty('response');
    expect((error as Error).message).toMatch(
      new RegExp(`^The proxy answered instead of the API, with status ${status}: `),
    );
  }
  expect(tunnels).toHaveLength(4);
  expect(provider.apiRequests).toEqual([]);
  // A 401 of the proxy says nothing about the token.
  expect(provider.tokenRequests).toHaveLength(1);
});

it('B12 B28: a proxy that refuses the connection is never taken for the API if an agent of another class gives its answer', async () => {
  const { easy, provider } = await given().app().start();
  const plain = createServer((_, response) => void response.end('{"paid":true}'));
  const port = await listenOnLoopback(plain);
  onTestFinished(() => void plain.close());
  const httpsAgent = new (class extends Agent {
    override createConnection(): Socket {
      return connect(port, '127.0.0.1');
    }
  })();
  onTestFinished(() => httpsAgent.destroy());
  const error = await errorOf(lastValueFrom(easy.get('/things', { httpsAgent, validateStatus: () => true })));
  expect(error).toMatchObject({ isAxiosError: true, code: 'ERR_BAD_RESPONSE' });
  expect(error).not.toHaveProperty('response');
  expect(provider.apiRequests).toEqual([]);
});

describe('an adapter that is chosen after our interceptor', () => {
  it.each([true, false])(
    'S7: gets the token where an interceptor was put beside ours, old order: %s',
    async (legacyInterceptorReqResOrdering) => {
      const { easy } = await given().app().start();
      const { seen, adapter } = recording();
      const { request } = easy.axiosRef.interceptors;
      request.use((config) => Object.assign(config, { adapter }));
      // axios keeps the interceptors in a list that any code can reach.
      (request as unknown as { handlers: unknown[] }).handlers.reverse();
      await easy.axiosRef.get('/things', { transitional: { legacyInterceptorReqResOrdering } });
      expect(seen).toEqual([expect.stringMatching(/^Bearer /)]);
    },
  );

  it.each([[[]], [['']]])(
    'S7: an Authorization header of %j is no credential: the token goes out',
    async (value) => {
      const { easy, provider } = await given().app().start();
      easy.axiosRef.interceptors.request.use((config) => {
        config.headers['Authorization'] = value as never;
        return config;
      });
      expect((await lastValueFrom(easy.get('/things'))).status).toBe(200);
      expect(provider.apiRequests[0]?.claims).toBeDefined();
    },
  );

  it('S7: an empty header in another case does not remove the token', async () => {
    const { easy, provider } = await given().app().start();
    easy.axiosRef.interceptors.request.use((config) => {
      Object.assign(config.headers, { Authorization: '', authorization: false });
      return config;
    });
    expect((await lastValueFrom(easy.get('/things'))).status).toBe(200);
    expect(provider.apiRequests[0]?.claims).toBeDefined();
  });
});

it.each<[string, () => AxiosRequestConfig]>([
  ['a timeout', () => ({ timeout: 1_000 })],
  ['a timeout, with redirects', () => ({ timeout: 1_000, maxRedirects: 3 })],
  ['an abort', () => ({ signal: AbortSignal.timeout(1_000) })],
])(
  'C3 B2: an API that says 401 and never ends its body costs one call, which ends by %s, and the token is renewed',
  async (_, limits) => {
    const { easy, provider } = await given().app().start();
    await lastValueFrom(easy.get('/things'));
    const [{ token: refused } = {}] = provider.tokenRequests;
    provider.api.handler((request, response, exchange) => {
      if (request.headers.authorization !== `Bearer ${refused}`) return void exchange.sendRegular();
      response.writeHead(401, { 'content-type': 'application/json' }).write('{"error":');
      return undefined;
    });
    expect(await errorOf(lastValueFrom(easy.get('/things', limits())))).toMatchObject({
      code: expect.stringMatching(/^(ECONNABORTED|ERR_CANCELED)$/),
    });
    expect((await lastValueFrom(easy.get('/things', { timeout: 20_000 }))).status).toBe(200);
    expect(provider.tokenRequests).toHaveLength(2);
  },
);

it('C3 B2: an API that says 401 and never ends its body renews the token as well when the body is more than the request allows', async () => {
  const { easy, provider } = await given().app().start();
  provider.api.next().handler(flood(401));
  expect((await lastValueFrom(easy.get('/things', { maxContentLength: 1_000 }))).status).toBe(200);
  await expect.poll(() => provider.tokenRequests).toHaveLength(2);
});

it('C3: an API that says 401 and never ends its body renews nothing if renewals are switched off, or if no status arrived', async () => {
  const { easy, provider, tokens } = await given()
    .app({ http: { retryUnauthorized: false } })
    .start();
  await tokens.getToken();
  provider.api.next().handler((_, response) => void response.writeHead(401).write('x'));
  provider.api.next().hang();
  for (const timeout of [1_000, 300]) {
    await errorOf(lastValueFrom(easy.get('/things', { timeout })));
  }
  expect((await lastValueFrom(easy.get('/things'))).status).toBe(200);
  expect(provider.tokenRequests).toHaveLength(1);
});

/** Responds with the token that the request had. */
function recording() {
  const seen: unknown[] = [];
  const adapter = (config: InternalAxiosRequestConfig) => {
    seen.push(config.headers['Authorization']);
    return Promise.resolve({ data: '', status: 200, statusText: 'OK', headers: {}, config });
  };
  return { seen, adapter };
}
