import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { getTokenProviderToken, ProviderAuthModule, type TokenProvider } from '../../../lib/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';

const MOST_AT_ONCE = 32;

/** A token endpoint that counts what is open. */
class CountingEndpoint {
  open = 0;
  mostOpen = 0;
  made = 0;
  resumed = 0;
  mostRequests = 0;
  /** The account of each request that arrived. */
  readonly asked: string[] = [];
  onRequest: ((request: IncomingMessage, account: string) => boolean) | undefined;
  #requests = 0;

  private constructor(
    private readonly server: https.Server,
    readonly ca: string,
  ) {}

  static async start(): Promise<CountingEndpoint> {
    const { ca, cert, key } = issueServerCertificate('trusted');
    const answer: RequestListener = (request, response) => void endpoint.#answer(request, response);
    const server = https.createServer({ cert, key, keepAliveTimeout: 60_000 }, answer);
    const endpoint = new CountingEndpoint(server, ca);
    server.on('connection', (socket) => endpoint.#connected(socket));
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.isSessionReused()) endpoint.resumed += 1;
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return endpoint;
  }

  async tokens(): Promise<TokenProvider> {
    const origin = `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    const credentials = { clientId: 'own', clientSecret: 'canary-of-the-pair' };
    const module = ProviderAuthModule.forRoot({
      environment: 'sandbox',
      interfaces: {
        easy: {
          sandbox: {
            tokenUrl: `${origin}/auth/v0/connect/token`,
            baseUrl: `${origin}/v1`,
            ...credentials,
            tls: { ca: this.ca },
          },
        },
      },
      accounts: (account) => ({ clientId: account, clientSecret: `canary of ${account}` }),
      // A busy machine must not make an attempt fail.
      token: { timeoutMs: 60_000 },
    });
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    onTestFinished(() => app.close());
    return app.get(getTokenProviderToken('easy'));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const account = new URLSearchParams(Buffer.concat(chunks).toString()).get('client_id') ?? '';
    this.asked.push(account);
    if (this.onRequest?.(request, account)) return;
    this.#requests += 1;
    this.mostRequests = Math.max(this.mostRequests, this.#requests);
    const end = (): void => {
      this.#requests -= 1;
      const token = { access_token: `token-of-${account}`, token_type: 'Bearer', expires_in: 3600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
    };
    setImmediate(end);
  }

  #connected(socket: Duplex): void {
    this.made += 1;
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    socket.once('close', () => void (this.open -= 1));
    socket.on('error', () => {});
  }
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `merchant-${index}`);

async function tokensOf(tokens: TokenProvider, accounts: readonly string[]): Promise<string[]> {
  const given = await Promise.all(accounts.map((account) => tokens.for({ account }).getToken()));
  return given.map((token) => token.reveal());
}

function tokenRequestEvents(): { outcome: string }[] {
  const events: { outcome: string }[] = [];
  const listen = (event: unknown): void => void events.push(event as { outcome: string });
  subscribe('provider-auth:token-request', listen);
  onTestFinished(() => void unsubscribe('provider-auth:token-request', listen));
  return events;
}

it('B39: 300 accounts without a token share 32 connections, which end with the last request', async () => {
  const endpoint = await CountingEndpoint.start();
  const tokens = await endpoint.tokens();
  expect(await tokensOf(tokens, names(300))).toEqual(names(300).map((name) => `token-of-${name}`));
  expect(endpoint.asked).toHaveLength(300);
  expect(endpoint.mostRequests).toBeLessThanOrEqual(MOST_AT_ONCE);
  expect(endpoint.mostOpen).toBeLessThanOrEqual(MOST_AT_ONCE);
  expect(endpoint.made).toBeLessThanOrEqual(MOST_AT_ONCE);
  // Sooner than an idle connection ends by itself.
  await vi.waitFor(() => expect(endpoint.open).toBe(0), { timeout: 4_000 });
});

it("S8 B39: the connection of a single token request is not kept for the token's next lifetime", async () => {
  const endpoint = await CountingEndpoint.start();
  await (await endpoint.tokens()).getToken();
  // Sooner than an idle connection ends by itself.
  await vi.waitFor(() => expect(endpoint.open).toBe(0), { timeout: 4_000 });
});

it('B39: a request whose connection closes as it is used again is sent once more, without a failed attempt', async () => {
  const endpoint = await CountingEndpoint.start();
  const events = tokenRequestEvents();
  const used = new WeakSet<object>();
  const cut: string[] = [];
  endpoint.onRequest = ({ socket }, account) => {
    const isSecond = used.has(socket);
    used.add(socket);
    if (!isSecond || cut.length === 3) return false;
    cut.push(account);
    socket.destroy();
    return true;
  };
  await tokensOf(await endpoint.tokens(), names(100));
  expect(cut).toHaveLength(3);
  expect(endpoint.asked).toHaveLength(103);
  // A TLS session stands for the client certificate that began it.
  expect(endpoint.resumed).toBe(0);
  for (const account of cut) expect(endpoint.asked.filter((one) => one === account)).toHaveLength(2);
  expect(events.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 100 }, () => 'ok'));
});

it('B39: a request that fails on a new connection is a failed attempt', async () => {
  const endpoint = await CountingEndpoint.start();
  const events = tokenRequestEvents();
  endpoint.onRequest = ({ socket }) => {
    if (endpoint.asked.length > 1) return false;
    socket.destroy();
    return true;
  };
  await (await endpoint.tokens()).getToken();
  expect(events.map(({ outcome }) => outcome)).toEqual(['unavailable', 'ok']);
});

it('B39: a request whose answer breaks off on a used connection is a failed attempt', async () => {
  const endpoint = await CountingEndpoint.start();
  const events = tokenRequestEvents();
  const used = new WeakSet<object>();
  let broken: string | undefined;
  endpoint.onRequest = ({ socket }, account) => {
    const isSecond = used.has(socket);
    used.add(socket);
    if (!isSecond || broken !== undefined) return false;
    broken = account;
    socket.write('HTTP/1.1 2', () => socket.destroy());
    return true;
  };
  await tokensOf(await endpoint.tokens(), names(60));
  expect(broken).toBeDefined();
  expect(events.filter(({ outcome }) => outcome !== 'ok')).toHaveLength(1);
});
