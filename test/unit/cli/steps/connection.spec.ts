import { createPrivateKey } from 'node:crypto';
import dns from 'node:dns';
import { once } from 'node:events';
import net, { type AddressInfo, Socket } from 'node:net';
import { createServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Check } from '../../../../lib/cli/report.js';
import { apiConnection, connection } from '../../../../lib/cli/steps/connection.js';
import { remedyOf } from '../../../../lib/errors/troubles.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { issueServerCertificate } from '../../../../lib/testing/simulator/certificate-authority.js';
import { createCertificate } from '../../../../lib/testing/simulator/certificate.js';
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
const EXPIRED = Date.parse('2001-01-01T00:00:00Z');

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
  {
    host = '127.0.0.1',
    timeoutMs = 5_000,
    tls = new ClientTls({ ca: identity.ca }),
    baseUrl = 'https://api.example/v1',
  } = {},
): Check {
  return checkOf({
    profile: profileOf({
      tls,
      tokenUrl: `https://${host}:${port}/token`,
      baseUrl,
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
    givenEnvironment({ HTTPS_PROXY: 'http://192.0.2.1' });
    expect(await connection.run(checkAt(443, { timeoutMs: 5, host: 'auth.example' }))).toMatchObject({
      detail: 'no connection to the proxy 192.0.2.1:80 within 5 ms (ETIMEDOUT)',
    });
  });

  it.each([
    [undefined, 'no DNS answer for localhost within 1 ms (ETIMEDOUT)', 'name-server'],
    ['ENOTFOUND', 'localhost is not found (ENOTFOUND)', 'unknown-host'],
  ] as const)('B29: tells a name without an address from no answer: %s', async (code, detail, trouble) => {
    const answer = (...given: unknown[]): void => {
      if (code !== undefined) (given.at(-1) as (error: Error) => void)(Object.assign(new Error(), { code }));
    };
    vi.spyOn(dns, 'lookup').mockImplementation(answer);
    const check = checkAt(1, { host: 'localhost', timeoutMs: code === undefined ? 1 : 60_000 });
    expect(await connection.run(check)).toEqual({
      status: 'failed',
      code: code ?? 'ETIMEDOUT',
      detail,
      advice: remedyOf(trouble, check.profile, 'tokenUrl'),
      facts: { host: 'localhost' },
    });
  });

  it('B29: blames no name that was found for a port where nothing listens', async () => {
    const check = checkAt(1, { host: 'localhost' });
    expect(await connection.run(check)).toEqual({
      status: 'failed',
      code: 'ECONNREFUSED',
      detail: 'no connection to localhost:1 (ECONNREFUSED)',
      advice: remedyOf('refused-connection', check.profile, 'tokenUrl'),
    });
  });

  it('B29: sends the server name of tls.servername only to the host of the API', async () => {
    const { port, seen } = await serve();
    const tls = new ClientTls({ ca: identity.ca, servername: 'localhost' });
    for (const baseUrl of [`https://127.0.0.1:${port}/v1`, 'https://api.example/v1'])
      await connection.run(checkAt(port, { tls, baseUrl }));
    expect(seen.map(({ servername }) => servername)).toEqual(['localhost', false]);
  });

  it.each([
    ['expired', EXPIRED + 3 * DAY_MS, ' CA, expired on 2001-01-01, 3 days ago (CERT_HAS_EXPIRED)'],
    [
      'expired',
      EXPIRED - DAY_MS / 2,
      ' CA, is valid, but a certificate above it in the chain has expired or is not valid yet (CERT_HAS_EXPIRED)',
    ],
    ['self-signed', ENDS + 3 * DAY_MS, ', is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ] as const)('B29: says since when a certificate has expired: %s, %i', async (kind, now, flaw) => {
    const { port } = await serve(issueServerCertificate(kind, identity));
    vi.useFakeTimers({ now, toFake: ['Date'] });
    const { detail } = await connection.run(checkAt(port));
    expect(detail).toBe(`the certificate, issued by Provider Simulator${flaw}`);
  });

  it.each([
    [{ dns: ['a.example', 'b.example'] }, 'a.example, b.example'],
    [{ dns: [] }, 'no host at all'],
  ])('B29: lists the hosts that a certificate is for: %j', async (use, names) => {
    const key = createPrivateKey(identity.key);
    const issuer = { name: 'Provider Simulator CA', key: createPrivateKey(identity.caKey) };
    const dates = { notBefore: new Date('2020-01-01'), notAfter: new Date(ENDS) };
    const cert = createCertificate({ subject: { name: 'x', key }, issuer, use, ...dates });
    const { port } = await serve({ cert });
    expect(await connection.run(checkAt(port))).toMatchObject({
      detail: `the certificate is for ${names}, not for this host (ERR_TLS_CERT_ALTNAME_INVALID)`,
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
