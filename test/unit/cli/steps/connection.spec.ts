import dns from 'node:dns';
import { once } from 'node:events';
import net, { type AddressInfo, Socket } from 'node:net';
import { createServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Check } from '../../../../lib/cli/report.js';
import { apiConnection, connection } from '../../../../lib/cli/steps/connection.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { issueServerCertificate } from '../../../../lib/testing/simulator/certificate-authority.js';
import { OpenSockets } from '../../../../lib/testing/simulator/server.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { checkOf, SETTINGS } from '../../../support/application/doctor-check.js';
import { blackHole } from '../../../support/http/black-hole.js';
import { ClientAuthority } from '../../../support/http/client-certificates.js';
import { givenEnvironment } from '../../../support/http/proxy-variables.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The end of the certificates of the simulator. */
const ENDS = Date.parse('2049-12-31T23:59:59Z');

const identity = issueServerCertificate('trusted');
beforeEach(() => givenEnvironment());
afterEach(() => void vi.useRealTimers());

interface Served extends TlsOptions {
  readonly secured?: (socket: TLSSocket) => void;
  readonly sendsTickets?: boolean;
}

/** A server that ends with the test, and its TLS connections. */
async function serve({ secured, sendsTickets = true, ...options }: Served = {}) {
  const { cert, key } = identity;
  const server = createServer({ cert, key, ...options });
  const sockets = new OpenSockets(server);
  const seen: TLSSocket[] = [];
  server.on('tlsClientError', () => undefined);
  // Node sends them when the listener calls back.
  if (!sendsTickets) server.on('newSession', () => undefined);
  server.on('secureConnection', (socket) => {
    seen.push(socket.on('error', () => undefined));
    secured?.(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    sockets.destroyAll();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

function checkAt(
  port: number,
  { host = '127.0.0.1', timeoutMs = 5_000, tls = new ClientTls({ ca: identity.ca }) } = {},
): Check {
  return checkOf({
    profile: profileOf({
      tls,
      tokenUrl: `https://${host}:${port}/token`,
      baseUrl: 'https://api.example/v1',
    }),
    settings: { ...SETTINGS, token: { ...SETTINGS.token, timeoutMs } },
  });
}

async function withClient(): Promise<ClientTls> {
  const clients = await ClientAuthority.create();
  return new ClientTls({ ca: identity.ca, ...(await clients.issue('checkout')) });
}

describe('the connection of the doctor', () => {
  it.each([
    [14, '14 days', false],
    [13, '13 days', true],
    [1, '1 day', true],
  ])('B29: shows the certificate, and warns if it ends soon: in %i days', async (days, left, advised) => {
    const { port, seen } = await serve();
    vi.useFakeTimers({ now: ENDS - days * DAY_MS, toFake: ['Date'] });
    expect(await connection.run(checkAt(port))).toEqual({
      status: 'ok',
      detail: `connected to 127.0.0.1:${port}, TLSv1.3, issued by Provider Simulator CA, ${left} left`,
      facts: {
        host: '127.0.0.1',
        protocol: 'TLSv1.3',
        issuer: 'Provider Simulator CA',
        names: ['localhost', '127.0.0.1', '0:0:0:0:0:0:0:1'],
        validTo: '2049-12-31T23:59:59.000Z',
        daysLeft: days,
      },
      ...(advised && {
        advice: 'The certificate expires soon. Ask the provider whether it will be renewed in time.',
      }),
    });
    // An IP address is not sent as a server name.
    expect(seen.map(({ servername }) => servername)).toEqual([false]);
  });

  it('B29: is that of a request over HTTP/1.1, to a host that the system looks up', async () => {
    const { port, seen } = await serve({ ALPNProtocols: ['http/1.1', 'h2'] });
    expect(await connection.run(checkAt(port, { host: 'localhost' }))).toMatchObject({
      status: 'ok',
      facts: { host: 'localhost' },
    });
    expect(seen.map(({ servername, alpnProtocol }) => [servername, alpnProtocol])).toEqual([
      ['localhost', 'http/1.1'],
    ]);
    await expect.poll(() => seen.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('B6: ends when its time is over, and says how far it came', async () => {
    const lookup = vi.spyOn(dns, 'lookup').mockReturnValue(undefined);
    expect(await connection.run(checkAt(1, { host: 'localhost', timeoutMs: 1 }))).toMatchObject({
      status: 'failed',
      detail: 'no DNS answer for localhost within 1 ms (ETIMEDOUT)',
    });
    lookup.mockRestore();
    const hole = checkAt(await blackHole(), { timeoutMs: 5, tls: await withClient() });
    expect(await connection.run(hole)).toMatchObject({
      detail: 'no TLS handshake within 5 ms (ETIMEDOUT)',
      advice: expect.stringContaining('The server there may not speak TLS'),
    });
    // Nothing answers this address (RFC 5737), and no packet is sent.
    vi.spyOn(Socket.prototype, 'connect').mockReturnThis();
    expect(await connection.run(checkAt(443, { host: '192.0.2.1', timeoutMs: 5 }))).toMatchObject({
      detail: 'no connection to 192.0.2.1:443 within 5 ms (ETIMEDOUT)',
    });
  });

  it('B29: goes to the proxy, if there is one, and says what checks the rest', async () => {
    const port = await blackHole();
    givenEnvironment({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const check = checkAt(443, { host: 'auth.example' });
    const details = [await connection.run(check), await apiConnection.run(check)];
    expect(details).toEqual(
      ['token request', 'probe'].map((what) => ({
        status: 'ok',
        detail: `connected to the proxy 127.0.0.1:${port}; the ${what} checks what is behind it`,
        facts: { proxy: `127.0.0.1:${port}` },
      })),
    );
  });

  it('B29: blames no client certificate for a connection that ends before the server has answered', async () => {
    const server = net.createServer((socket) => void socket.destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const check = checkAt((server.address() as AddressInfo).port, { tls: await withClient() });
    const { code, advice } = await connection.run(check);
    expect([code, advice]).toEqual(['ECONNRESET', expect.not.stringContaining('does not accept the client')]);
  });

  it('B29: takes the first session ticket for the verdict on the client, and silence for two seconds', async () => {
    const after = systemClock.after.bind(systemClock);
    const waits: number[] = [];
    vi.spyOn(systemClock, 'after').mockImplementation((ms, callback) => {
      waits.push(ms);
      // Only the wait for the handshake takes its time.
      return after(waits.length === 1 ? ms : 0, callback);
    });
    const asking = { requestCert: true, rejectUnauthorized: false, sendsTickets: false };
    const { port } = await serve(asking);
    expect(await connection.run(checkAt(port, { timeoutMs: 60_000 }))).toMatchObject({ status: 'ok' });
    expect(waits.slice(0, 2)).toEqual([60_000, 2_000]);
  });
});
