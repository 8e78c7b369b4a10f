import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { getTokenProviderToken, ProviderAuthModule, type TokenProvider } from '../../../lib/index.js';
import { bootWith } from '../../support/application/boot.js';
import { WireServer } from '../../support/http/wire-server.js';
import { eventsOf } from '../../support/token/events.js';

const MOST_AT_ONCE = 32;

/** An application, and a token endpoint that counts what is open. */
async function startEndpoint() {
  const server = await WireServer.start({ keepsIdleConnections: true });
  onTestFinished(() => server.close());
  const endpoint = {
    server,
    /** The account of each request that arrived. */
    asked: [] as string[],
    resumed: 0,
    mostRequests: 0,
    /** Whether a test answers this request itself. */
    isTaken: undefined as ((request: IncomingMessage, account: string) => boolean) | undefined,
  };
  let requests = 0;
  server.handler = (request, response, { body }) => {
    const account = new URLSearchParams(body.toString()).get('client_id') ?? '';
    endpoint.asked.push(account);
    if ((request.socket as TLSSocket).isSessionReused()) endpoint.resumed += 1;
    if (endpoint.isTaken?.(request, account)) return;
    requests += 1;
    endpoint.mostRequests = Math.max(endpoint.mostRequests, requests);
    setImmediate(() => {
      requests -= 1;
      const token = { access_token: `token-of-${account}`, token_type: 'Bearer', expires_in: 3600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
    });
  };
  const { url, ca } = server;
  const urls = { tokenUrl: `${url}/auth/v0/connect/token`, baseUrl: `${url}/v1` };
  const credentials = { clientId: 'own', clientSecret: 'canary-of-the-pair' };
  const { app } = await bootWith([
    ProviderAuthModule.forRoot({
      environment: 'sandbox',
      interfaces: { easy: { sandbox: { ...urls, ...credentials, tls: { ca } } } },
      accounts: (account) => ({ clientId: account, clientSecret: `canary of ${account}` }),
      // A busy machine must not make an attempt fail.
      token: { timeoutMs: 60_000 },
    }),
  ]);
  return Object.assign(endpoint, { tokens: app.get<TokenProvider>(getTokenProviderToken('easy')) });
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `merchant-${index}`);

async function tokensOf(tokens: TokenProvider, accounts: readonly string[]): Promise<string[]> {
  const given = await Promise.all(accounts.map((account) => tokens.for({ account }).getToken()));
  return given.map((token) => token.reveal());
}

it('B39: 300 accounts without a token share 32 connections, which end with the last request', async () => {
  const endpoint = await startEndpoint();
  expect(await tokensOf(endpoint.tokens, names(300))).toEqual(names(300).map((name) => `token-of-${name}`));
  expect(endpoint.asked).toHaveLength(300);
  expect(endpoint.mostRequests).toBeLessThanOrEqual(MOST_AT_ONCE);
  expect(endpoint.server.sockets).toBeLessThanOrEqual(MOST_AT_ONCE);
  // Sooner than an idle connection ends by itself.
  await vi.waitFor(() => expect(endpoint.server.openConnections).toBe(0), { timeout: 4_000 });
});

it("S8 B39: the connection of a single token request is not kept for the token's next lifetime", async () => {
  const endpoint = await startEndpoint();
  await endpoint.tokens.getToken();
  // Sooner than an idle connection ends by itself.
  await vi.waitFor(() => expect(endpoint.server.openConnections).toBe(0), { timeout: 4_000 });
});

it('B32 B39: a request whose connection closes as it is used again is sent once more, without a failed attempt and without its TLS session', async () => {
  const endpoint = await startEndpoint();
  const events = eventsOf<{ outcome: string }>('token-request');
  const used = new WeakSet<object>();
  const cut: string[] = [];
  endpoint.isTaken = ({ socket }, account) => {
    const isSecond = used.has(socket);
    used.add(socket);
    if (!isSecond || cut.length === 3) return false;
    cut.push(account);
    socket.destroy();
    return true;
  };
  await tokensOf(endpoint.tokens, names(100));
  expect(cut).toHaveLength(3);
  expect(endpoint.asked).toHaveLength(103);
  // A TLS session stands for the client certificate that began it.
  expect(endpoint.resumed).toBe(0);
  for (const account of cut) expect(endpoint.asked.filter((one) => one === account)).toHaveLength(2);
  expect(events.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 100 }, () => 'ok'));
});

it('B39: a request that fails on a new connection is a failed attempt', async () => {
  const endpoint = await startEndpoint();
  const events = eventsOf<{ outcome: string }>('token-request');
  endpoint.isTaken = ({ socket }) => {
    if (endpoint.asked.length > 1) return false;
    socket.destroy();
    return true;
  };
  await endpoint.tokens.getToken();
  expect(events.map(({ outcome }) => outcome)).toEqual(['unavailable', 'ok']);
});

it('B39: a request whose answer breaks off on a used connection is a failed attempt', async () => {
  const endpoint = await startEndpoint();
  const events = eventsOf<{ outcome: string }>('token-request');
  const used = new WeakSet<object>();
  let broken: string | undefined;
  endpoint.isTaken = ({ socket }, account) => {
    const isSecond = used.has(socket);
    used.add(socket);
    if (!isSecond || broken !== undefined) return false;
    broken = account;
    socket.write('HTTP/1.1 2', () => socket.destroy());
    return true;
  };
  await tokensOf(endpoint.tokens, names(60));
  expect(broken).toBeDefined();
  expect(events.filter(({ outcome }) => outcome !== 'ok')).toHaveLength(1);
});
