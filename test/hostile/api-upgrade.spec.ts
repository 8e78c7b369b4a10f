import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderHttpClient } from '../../lib/http/provider-http-client.js';
import { privateAgent } from '../../lib/net/private-agent.js';
import { issueServerCertificate } from '../../lib/testing/simulator/certificate-authority.js';
import { systemClock } from '../../lib/time/clock.js';
import { undiciTransport } from '../../lib/undici/index.js';
import { FakeTokens, HTTP_DEFAULTS } from '../support/http/http-client.js';

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const BARE = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
const TWICE = `${BARE}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`;

/** A client without a time limit. */
async function clientOf(answer: string, isOnUndici: boolean) {
  const { ca, cert, key } = await issueServerCertificate('trusted');
  const open = new Set<TLSSocket>();
  const server = createServer({ cert, key }, (socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
    socket.on('data', () => socket.write(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createProviderHttpClient({
    profile: {
      interface: 'easy',
      environment: 'sandbox',
      baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    http: {
      ...HTTP_DEFAULTS,
      timeoutMs: 0,
      ...(isOnUndici
        ? { transport: undiciTransport({ connect: { ca } }) }
        : { httpsAgent: privateAgent({ ca }) }),
    },
    tokens: new FakeTokens(systemClock),
    clock: systemClock,
  });
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await client.close();
  });
  return { ...client, open };
}

describe.each([
  ['the default transport', false],
  ['undici', true],
])('an API that switches protocols without being asked, on %s', (_, isOnUndici) => {
  it.each([
    ['an upgrade', UPGRADE],
    ['a bare 101', BARE],
    ['101, then another response', TWICE],
  ])('B36 B21: fetch rejects at once: %s', async (_, answer) => {
    const { fetch } = await clientOf(answer, isOnUndici);
    const error: unknown = await fetch('/things').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: 'fetch failed', cause: expect.any(Error) });
  });

  it.each([
    ['an upgrade', UPGRADE, { code: 'ECONNRESET', message: 'socket hang up' }],
    ['a bare 101', BARE, { code: 'ERR_BAD_RESPONSE', response: { status: 101 } }],
    ['101, then another response', TWICE, { code: 'ERR_BAD_RESPONSE', response: { status: 101 } }],
  ])('B36: axios rejects at once: %s', async (_, answer, expected) => {
    const { axios } = await clientOf(answer, isOnUndici);
    const error: unknown = await axios.get('/things').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ isAxiosError: true, ...expected });
  });
});
