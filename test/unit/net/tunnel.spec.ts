import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { Agent, type AgentOptions } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Proxy } from '../../../lib/net/proxy.js';
import { TunnelAgent } from '../../../lib/net/tunnel.js';
import { blackHole } from '../../support/http/black-hole.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { addToPrototype } from '../../support/http/pollutions.js';
import { WireServer } from '../../support/http/wire-server.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';

const CREDENTIALS = 'Basic dXNlcjpwYXNz';

function through(port: number, options: AgentOptions, proxy: Partial<Proxy> = {}): TunnelAgent {
  const url = new URL(`http://127.0.0.1:${port}`);
  const agent = new TunnelAgent({ url, ...proxy }, { keepAlive: true, rejectUnauthorized: true, ...options });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function get(url: string, agent: Agent, headers = {}): Promise<string> {
  const [answer] = (await once(https.get(url, { agent, headers }), 'response')) as [IncomingMessage];
  return text(answer);
}

const errorOf = async (request: ClientRequest): Promise<unknown> => (await once(request, 'error'))[0];

const failureOf = (url: string, agent: Agent) => errorOf(https.get(url, { agent }));

async function server() {
  const one = await WireServer.start();
  onTestFinished(() => one.close());
  return { one, ca: one.ca, url: byName(one.url) };
}

/** A proxy that does with each connection what the test says. It returns its port. */
async function rawProxy(serve: (client: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    sockets.push(client.on('error', () => {}));
    serve(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return (proxy.address() as AddressInfo).port;
}

describe('a tunnel', () => {
  it('carries one request after the other, and a second one for requests at the same time', async () => {
    const { ca, url } = await server();
    const proxy = await ConnectProxy.start();
    const agent = through(proxy.port, { ca });
    for (let i = 0; i < 3; i++) expect(await get(url, agent)).toBe('ok');
    expect(proxy.tunnels).toEqual([new URL(url).host]);
    await Promise.all([get(url, agent), get(url, agent)]);
    expect(proxy.tunnels).toHaveLength(2);
  });

  it('shows the credentials to the proxy only', async () => {
    const { one, ca, url } = await server();
    let connect = '';
    const port = await rawProxy((client) => {
      client.once('data', (chunk) => {
        connect = chunk.toString();
        client.end('HTTP/1.1 407 Denied\r\n\r\n');
      });
    });
    const refused = await failureOf(url, through(port, { ca }, { authorization: CREDENTIALS }));
    expect(connect).toMatch(
      /^CONNECT localhost:\d+ HTTP\/1\.1\r\nHost: localhost:\d+\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n/,
    );
    expect(refused).toMatchObject({ code: 'ERR_BAD_RESPONSE', proxyStatus: 407 });
    const proxy = await ConnectProxy.start();
    await get(url, through(proxy.port, { ca }, { authorization: CREDENTIALS }));
    expect(one.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('is checked like a connection: the certificate is for the name of the server', async () => {
    const one = await WireServer.start({ kind: 'wrong-host' });
    onTestFinished(() => one.close());
    const proxy = await ConnectProxy.start();
    const url = byName(one.url);
    expect(await failureOf(url, through(proxy.port, { ca: one.ca }))).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(await failureOf(url, through(proxy.port, {}))).toHaveProperty('code');
  });

  it('S9: is asked of a proxy by TLS only if Node trusts its certificate, also in a process that checks none', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { one, url } = await server();
    const agent = through(1, { ca: one.ca }, { url: new URL(url) });
    expect(await failureOf(url, agent)).toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  it('asks for an IPv6 address in brackets', async () => {
    const proxy = await ConnectProxy.start('HTTP/1.1 403 No\r\n\r\n');
    await failureOf('https://[::1]:8443/', through(proxy.port, {}));
    expect(proxy.tunnels).toEqual(['[::1]:8443']);
  });

  it('gets the bytes that arrive with the answer of the proxy', async () => {
    const { ca, url } = await server();
    const port = await rawProxy((client) =>
      client.once('data', () => client.write('HTTP/1.1 200 OK\r\n\r\nno TLS')),
    );
    const error = await failureOf(url, through(port, { ca }));
    expect(error).toMatchObject({ code: expect.stringMatching(/^(EPROTO|ERR_SSL_)/) });
  });

  it('is asked of the proxy also while Object.prototype is polluted', async () => {
    const proxy = await ConnectProxy.start('HTTP/1.1 403 No\r\n\r\n');
    const agent = through(proxy.port, {});
    const clean = ['path', 'socketPath', 'lookup'].map((name) => addToPrototype(name, { value: '/evil' }));
    try {
      // The options of the request itself are the task of its sender.
      const request = https.get('https://localhost:1/', { agent, socketPath: undefined, path: '/' });
      expect(await errorOf(request)).toMatchObject({ proxyStatus: 403 });
    } finally {
      for (const one of clean) one();
    }
    expect(proxy.tunnels).toEqual(['localhost:1']);
  });
});

describe('a proxy that makes no tunnel', () => {
  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', { proxyStatus: 100 }],
    ['the end within the status line', 'HTTP/1.1 20', { code: 'ECONNRESET', proxyStatus: undefined }],
    ['garbage', 'SSH-2.0-OpenSSH\r\n', { code: expect.stringMatching(/^HPE_/), proxyStatus: undefined }],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}`, { code: 'HPE_HEADER_OVERFLOW' }],
  ])('is one clear error: %s', async (_, answer, expected) => {
    const { ca, url } = await server();
    const port = await rawProxy((client) => client.once('data', () => client.end(answer)));
    const request = https.get(url, { agent: through(port, { ca }, { authorization: CREDENTIALS }) });
    const errors: unknown[] = [];
    request.on('error', (error) => errors.push(error));
    await new Promise((resolve) => request.once('close', resolve));
    expect(errors).toEqual([expect.objectContaining({ name: 'ProxyError', ...expected })]);
    expect(JSON.stringify(errors) + String(errors)).not.toContain('dXNlcjpwYXNz');
  });

  it('is given up after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const request = https.get('https://localhost:1/', { agent: through(await blackHole(), {}) });
    const failed = errorOf(request);
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(await failed).toMatchObject({ name: 'ProxyError', code: 'ETIMEDOUT' });
    expect(vi.getTimerCount()).toBe(0);
  });

  // Before the proxy's own ten seconds are over.
  it('loses its connection when the request ends', { timeout: 5_000 }, async () => {
    const clients: Socket[] = [];
    const port = await rawProxy((client) => void clients.push(client.resume()));
    const request = https.get('https://localhost:1/', { agent: through(port, {}) });
    await expect.poll(() => clients).toHaveLength(1);
    const ended = once(clients[0] as Socket, 'close');
    const failed = errorOf(request);
    const reason = new Error('the call has ended');
    request.destroy(reason);
    expect(await failed).toBe(reason);
    await ended;
  });
});

it('B38: an idle tunnel holds no headers, neither its request, nor that for the tunnel', async () => {
  const { ca, url } = await server();
  const proxy = await ConnectProxy.start();
  const agent = through(proxy.port, { ca });
  const seen: WeakRef<object>[] = [];
  const note = (message: unknown): void =>
    void seen.push(new WeakRef((message as { request: object }).request));
  subscribe('http.client.request.start', note);
  const send = (): Promise<string> => {
    const headers = { Authorization: 'Bearer canary' };
    seen.push(new WeakRef(headers));
    return get(url, agent, headers);
  };
  await Promise.all([send(), send()]);
  for (let i = 0; i < 2; i++) await send();
  unsubscribe('http.client.request.start', note);
  await expect.poll(() => Object.values(agent.freeSockets).flat()).toHaveLength(2);
  await new Promise(setImmediate);
  collectGarbage();
  expect(seen).toHaveLength(10);
  expect(seen.filter((one) => one.deref() !== undefined)).toEqual([]);
});
