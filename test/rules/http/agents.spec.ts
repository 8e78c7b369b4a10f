import type { ServerResponse } from 'node:http';
import { Agent, globalAgent } from 'node:https';
import { type AxiosError, type AxiosRequestConfig, getAdapter } from 'axios';
import { expect, it, onTestFinished, vi } from 'vitest';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given } from '../../support/http/given.js';
import { clientOn } from '../../support/http/loopback-client.js';
import { agentsOf, requestsTo } from '../../support/http/requests-to.js';
import { WireServer } from '../../support/http/wire-server.js';
import { errorOf } from '../../support/token/token-fixtures.js';

it.each<AxiosRequestConfig>([
  { adapter: 'http' },
  { adapter: ['xhr', 'http'] },
  { adapter: 'http', httpsAgent: null },
  { maxRedirects: 3 },
  { maxRedirects: 3, httpsAgent: null },
])('B12: a client makes only its own connections, with any options of a request: %j', async (request) => {
  const { easy, provider } = await given().app().start();
  const requests = requestsTo(easy.baseUrl);
  for (let call = 0; call < 2; call += 1) {
    await easy.axiosRef.get('/things');
    await easy.axiosRef.get('/things', request);
  }
  const agents = agentsOf(requests.filter(({ path }) => path.endsWith('/things')));
  expect(new Set(agents).size).toBe(1);
  expect(agents).not.toContain(globalAgent);
  expect(agents[0]).toMatchObject({ keepAlive: true });
  expect(provider.apiRequests).toHaveLength(4);
});

it.each(['the settings', 'each request'])(
  "B28: the redirects of requests share the limits and the end of an application's agent, given with %s",
  async (place) => {
    const server = await WireServer.start({ keepsIdleConnections: true });
    const httpsAgent = new Agent({ ca: server.ca, keepAlive: true, maxSockets: 2 });
    const isSetting = place === 'the settings';
    const made = clientOn(server.url, { maxRedirects: 3, ...(isSetting && { httpsAgent }) });
    onTestFinished(() => server.close());
    const open: number[] = [];
    server.handler = ({ url }, response) => {
      open.push(server.openConnections);
      if (url === '/start') response.writeHead(302, { location: '/end' }).end();
      else response.end('ok');
    };
    const requests = requestsTo(server.url);
    const call = () => made.axios.get('/start', isSetting ? {} : { httpsAgent });
    await Promise.all(Array.from({ length: 8 }, call));
    expect(new Set(agentsOf(requests)).size).toBe(1);
    expect(Math.max(...open)).toBe(2);
    await made.close();
    if (!isSetting) httpsAgent.destroy();
    await expect.poll(() => server.openConnections).toBe(0);
  },
);

it("B28: an application's agent loses no connection when the server closes one while requests wait", async () => {
  const server = await WireServer.start({ keepsIdleConnections: true });
  const client = clientOn(server.url, {
    httpsAgent: new Agent({ ca: server.ca, keepAlive: true, maxSockets: 2 }),
  });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const held: ServerResponse[] = [];
  server.handler = (_, response) => void held.push(response);
  const get = () => client.axios.get('/x', { timeout: 2_000 }).catch(({ code }: AxiosError) => code);
  const calls = [get(), get(), get(), get()];
  await expect.poll(() => held.length).toBe(2);
  server.handler = (_, response) => void response.end();
  // The request that waits longest gets the second connection before a new one is open.
  held[0]?.socket?.destroy();
  held[1]?.end();
  await Promise.all(calls);
  server.handler = (_, response) => held.push(response) === 4 && held.forEach((one) => one.end());
  expect(await Promise.all([get(), get()])).toMatchObject([{ status: 200 }, { status: 200 }]);
});

it.each(['node:https', 'undici'])(
  'C2: a request that an adapter of the user passes on is still sent by the transport: %s',
  async (transport) => {
    const onUndici = transport === 'undici' ? { transport: undiciTransport() } : {};
    const { easy, provider } = await given().app({ http: onUndici }).start();
    const inner = getAdapter(easy.axiosRef.defaults.adapter);
    const requests = requestsTo(easy.baseUrl);
    provider.api.next().unauthorized();
    const { status } = await easy.axiosRef.get('/things', { adapter: (config) => inner({ ...config }) });
    await easy.axiosRef.get('/things');
    expect([status, ...provider.apiRequests.map((one) => one.status)]).toEqual([200, 401, 200, 200]);
    const agents = agentsOf(requests.filter(({ path }) => path.endsWith('/things')));
    expect(new Set(agents).size).toBe(transport === 'undici' ? 0 : 1);
  },
);

it.each(['node:https', 'undici'])(
  'B29: a proxy that cannot be used is an error of axios with advice, on %s',
  async (transport) => {
    const onUndici = transport === 'undici' ? { transport: undiciTransport() } : {};
    const { easy, provider } = await given().app({ http: onUndici }).start();
    await easy.axiosRef.get('/things');
    vi.stubEnv('HTTPS_PROXY', 'socks5://proxy.example:1080');
    expect(await errorOf(easy.axiosRef.get('/things'))).toMatchObject({
      isAxiosError: true,
      code: 'ERR_INVALID_URL',
      message: expect.stringContaining('Check HTTPS_PROXY, whose SOCKS proxy is not supported.') as string,
    });
    expect(provider.apiRequests).toHaveLength(1);
  },
);

it('S9: a request without its own certificate check is refused in a process without checks, before anything is sent', async () => {
  const { easy, provider } = await given().app().start();
  const ca = provider.ca;
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const refused = { name: 'RequestRefusedError', code: 'INSECURE_URL' };
  const httpsAgent = new Agent({ ca });
  const ofAnotherClass = new (class extends Agent {})({ ca });
  for (const request of [
    { httpsAgent: ofAnotherClass },
    { adapter: 'http' as const, httpsAgent },
    { adapter: 'fetch' as const },
  ])
    expect(await errorOf(easy.axiosRef.get('/things', request))).toMatchObject(refused);
  expect([...provider.tokenRequests, ...provider.apiRequests]).toEqual([]);
  // It only lends its settings to connections that check.
  expect((await easy.axiosRef.get('/things', { httpsAgent })).status).toBe(200);
  const untrusting = new Agent({ ca: [] });
  expect(await errorOf(easy.axiosRef.get('/things', { httpsAgent: untrusting }))).toMatchObject({
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
});

it("B12: an open token request is not in the application's own agent", async () => {
  const { easy, provider } = await given().app().start();
  const requests = requestsTo(provider.origin);
  const held = provider.token.next().hold();
  const call = easy.axiosRef.get('/payments/1');
  await held.arrived;
  const agents = agentsOf(requests);
  expect(agents).toHaveLength(1);
  expect(agents).not.toContain(provider.httpsAgent);
  expect(provider.httpsAgent.sockets).toEqual({});
  held.release();
  expect((await call).status).toBe(200);
});
