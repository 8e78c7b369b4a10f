import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { createServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Check } from '../../../../lib/cli/step.js';
import { apiTls, tls as step } from '../../../../lib/cli/steps/tls.js';
import { certificateFailure, handshakeFailure } from '../../../../lib/cli/steps/tls-failures.js';
import { remedyOf } from '../../../../lib/errors/remedies.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import {
  issueServerCertificate,
  type ServerCertificate,
} from '../../../../lib/testing/simulator/certificate-authority.js';
import { OpenSockets } from '../../../../lib/testing/simulator/open-sockets.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { checkTo } from '../../../support/application/doctor-check.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';
import { blackHole } from '../../../support/http/black-hole.js';
import { ClientAuthority, type ClientCertificate } from '../../../support/http/client-certificates.js';
import { CANARY, profileOf } from '../../../support/token/token-fixtures.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The end of the certificates of the simulator. */
const ENDS = Date.parse('2099-12-31T23:59:59Z');

let identity: ServerCertificate;
let clients: ClientAuthority;
let client: ClientCertificate;

beforeAll(async () => {
  [identity, clients] = await Promise.all([issueServerCertificate('trusted'), ClientAuthority.create()]);
  client = await clients.issue('checkout');
});

afterEach(() => void vi.useRealTimers());

interface Served extends TlsOptions {
  readonly connected?: (socket: EventEmitter & { destroy(): unknown }) => void;
  readonly secured?: (socket: TLSSocket) => void;
  readonly sendsTickets?: boolean;
}

/** A server that ends with the test, and its TLS connections. */
async function serve({ connected, secured, sendsTickets = true, ...options }: Served = {}) {
  const { cert, key } = identity;
  const server = createServer({ cert, key, ...options });
  const sockets = new OpenSockets(server);
  const seen: TLSSocket[] = [];
  server.on('tlsClientError', () => undefined);
  if (connected) server.on('connection', connected);
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

interface Asked {
  readonly host?: string;
  readonly isProxy?: boolean;
  readonly timeoutMs?: number;
  readonly tls?: ClientTls | undefined;
  readonly secret?: Secret;
}

function checkAt(port: number, asked: Asked = {}): Check {
  const { secret, ...destination } = asked;
  return checkTo(
    { port, ...destination },
    {
      profile: profileOf({
        tls: 'tls' in asked ? asked.tls : new ClientTls({ ca: identity.ca }),
        tokenUrl: 'https://auth.example/token',
        baseUrl: 'https://api.example/v1',
      }),
      ...(secret && { secret }),
    },
  );
}

const withClient = (): ClientTls => new ClientTls({ ca: identity.ca, ...client });

const NAMES = ['localhost', '127.0.0.1', '0:0:0:0:0:0:0:1'];

function failureOf(code: string, check: Check, mayBeRefused = false) {
  const { profile: pair, settings } = check;
  return handshakeFailure(code, settings.token.timeoutMs, { pair, address: 'tokenUrl', mayBeRefused });
}

describe('the step about TLS', () => {
  it.each([
    [20, '20 days', false],
    [14, '14 days', false],
    [13, '13 days', true],
    [1, '1 day', true],
  ])('shows the certificate, and warns if it ends soon: in %i days', async (days, left, advised) => {
    const { port, seen } = await serve();
    vi.useFakeTimers({ now: ENDS - days * DAY_MS, toFake: ['Date'] });
    expect(await step.run(checkAt(port))).toEqual({
      status: 'ok',
      detail: `TLSv1.3, issued by Provider Simulator CA, ${left} left`,
      facts: {
        protocol: 'TLSv1.3',
        issuer: 'Provider Simulator CA',
        names: NAMES,
        validTo: '2099-12-31T23:59:59.000Z',
        daysLeft: days,
      },
      ...(advised && {
        advice: 'The certificate expires soon. Ask the provider whether it will be renewed in time.',
      }),
    });
    // An IP address is not sent as a server name.
    expect(seen.map(({ servername }) => servername)).toEqual([false]);
  });

  it('does what a request over HTTP/1.1 does: it names the host and the protocol, and closes the connection', async () => {
    const { port, seen } = await serve({ ALPNProtocols: ['http/1.1', 'h2'] });
    expect(await step.run(checkAt(port, { host: 'localhost' }))).toMatchObject({ status: 'ok' });
    expect(seen.map(({ servername, alpnProtocol }) => [servername, alpnProtocol])).toEqual([
      ['localhost', 'http/1.1'],
    ]);
    await expect.poll(() => seen.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it.each(['TLSv1.3', 'TLSv1.2'] as const)('shows the client certificate with %s', async (maxVersion) => {
    const { port, seen } = await serve({ requestCert: true, ca: clients.ca, maxVersion });
    expect(await step.run(checkAt(port, { tls: withClient() }))).toMatchObject({ status: 'ok' });
    expect(seen.map((socket) => socket.getPeerCertificate().subject.CN)).toEqual(['checkout']);
  });

  it('trusts the authorities of the system only, if no other is set', async () => {
    const { port } = await serve();
    const check = checkAt(port, { tls: undefined });
    vi.useFakeTimers({ now: ENDS - DAY_MS, toFake: ['Date'] });
    const facts = {
      protocol: 'TLSv1.3',
      issuer: 'Provider Simulator CA',
      names: NAMES,
      validTo: '2099-12-31T23:59:59.000Z',
      daysLeft: 1,
    };
    const dates = { valid_from: '', valid_to: '' };
    const code = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
    expect(await step.run(check)).toEqual({
      ...certificateFailure(code, dates, facts, check.profile, 'tokenUrl'),
      facts,
    });
    expect(await apiTls.run(check)).toEqual({
      ...certificateFailure(code, dates, facts, check.profile, 'baseUrl'),
      facts,
    });
  });

  it('checks nothing behind a proxy, and says what does', async () => {
    const check = checkAt(1, { isProxy: true });
    expect([await step.run(check), await apiTls.run(check)]).toEqual([
      {
        status: 'skipped',
        detail: 'goes through the proxy; the token request checks it',
        isBehindProxy: true,
      },
      { status: 'skipped', detail: 'goes through the proxy; a probe checks it', isBehindProxy: true },
    ]);
  });

  it('is for the token URL, and for the base URL with its own name', () => {
    expect([step.name, apiTls.name]).toEqual(['tls', 'api-tls']);
  });

  it('fails if the server does not answer in time', async () => {
    const check = checkAt(await blackHole(), { timeoutMs: 5, tls: withClient() });
    expect(await step.run(check)).toEqual(failureOf('ETIMEDOUT', check));
  });

  it('blames no client certificate for a connection that ends before the server has answered', async () => {
    const { port } = await serve({ connected: (socket) => void socket.destroy() });
    const check = checkAt(port, { tls: withClient() });
    expect(await step.run(check)).toEqual(failureOf('ECONNRESET', check));
  });
});

/** A server that asks for a client certificate, and demands none. */
const ASKING = { requestCert: true, rejectUnauthorized: false };

describe("the step about TLS, and the server's verdict on the client", () => {
  it('fails with the alert of a server that demands a client certificate', async () => {
    const { port } = await serve({ requestCert: true, rejectUnauthorized: true, ca: clients.ca });
    const check = checkAt(port);
    expect(await step.run(check)).toEqual(failureOf('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', check));
  });

  it('fails with the alert of TLS 1.2, too, which comes in the handshake', async () => {
    const demanding = { requestCert: true, rejectUnauthorized: true, ca: clients.ca };
    const { port } = await serve({ ...demanding, maxVersion: 'TLSv1.2' });
    const check = checkAt(port, { tls: undefined });
    const finding = await step.run(check);
    expect(finding.code).toMatch(/^ERR_SSL_.*_ALERT_HANDSHAKE_FAILURE$/);
    expect(finding).toEqual(failureOf(String(finding.code), check));
  });

  it('accepts the client when the first session ticket arrives, although it showed no certificate', async () => {
    const { port } = await serve({
      ...ASKING,
      secured: (socket) => void socket.write('a text that never ends'),
    });
    const after = systemClock.after.bind(systemClock);
    let waits = 0;
    vi.spyOn(systemClock, 'after').mockImplementation((...given) => {
      waits += 1;
      // The wait for the verdict never ends by itself.
      return waits === 1 ? after(...given) : () => undefined;
    });
    expect(await step.run(checkAt(port))).toMatchObject({ status: 'ok' });
    expect(waits).toBe(2);
  });

  it('treats the end of the connection as a refusal of the client certificate, if there is one', async () => {
    const { port } = await serve({ secured: (socket) => void socket.destroy(), sendsTickets: false });
    const check = checkAt(port, { tls: withClient() });
    expect(await step.run(check)).toEqual({
      status: 'failed',
      code: 'ECONNRESET',
      detail: 'the TLS handshake failed (ECONNRESET)',
      advice: remedyOf('refused-client-certificate', check.profile, 'tokenUrl'),
    });
    const without = checkAt(port);
    expect(await step.run(without)).toEqual(failureOf('ECONNRESET', without));
  });

  it('notices the end of the connection after a text of the server', async () => {
    const { port } = await serve({ secured: (socket) => void socket.end('bye'), sendsTickets: false });
    const check = checkAt(port);
    expect(await step.run(check)).toEqual(failureOf('ECONNRESET', check));
  });

  it('does not wait for it after the handshake of TLS 1.2, which has had the verdict', async () => {
    const { port } = await serve({
      maxVersion: 'TLSv1.2',
      secured: (socket) => void socket.end(),
    });
    expect(await step.run(checkAt(port))).toMatchObject({ status: 'ok', facts: { protocol: 'TLSv1.2' } });
  });

  it('does not wait for it if the certificate of the server is not trusted', async () => {
    const { port } = await serve({ secured: (socket) => void socket.destroy(), sendsTickets: false });
    expect(await step.run(checkAt(port, { tls: undefined }))).toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  it.each([
    ['two seconds at most', 60_000, 2_000],
    ['at most as long as an attempt may take', 1_900, 1_900],
  ])('waits for it %s, and treats silence as acceptance', async (_, timeoutMs, withinMs) => {
    const { port } = await serve({ ...ASKING, sendsTickets: false });
    const after = systemClock.after.bind(systemClock);
    const waits: number[] = [];
    vi.spyOn(systemClock, 'after').mockImplementation((ms, callback) => {
      waits.push(ms);
      // Only the wait for the handshake takes its time.
      return after(waits.length === 1 ? ms : 0, callback);
    });
    expect(await step.run(checkAt(port, { timeoutMs }))).toMatchObject({ status: 'ok' });
    expect(waits.slice(0, 2)).toEqual([timeoutMs, withinMs]);
  });
});

/** A connection whose certificate is this, without a network. */
class PlayedSocket extends EventEmitter {
  constructor(
    private readonly certificate: object,
    readonly authorizationError: unknown,
    private readonly protocol: string | null,
  ) {
    super();
    queueMicrotask(() => this.emit('secureConnect'));
  }

  get authorized(): boolean {
    return this.authorizationError === undefined;
  }

  getPeerCertificate(): object {
    return this.certificate;
  }

  getProtocol(): string | null {
    return this.protocol;
  }

  destroy(): void {}
}

/** What the step finds for a certificate, which Node gives as an object. */
async function findingFor(
  certificate: object,
  { refusal, protocol = 'TLSv1.2' }: { refusal?: unknown; protocol?: string | null } = {},
  asked: Asked = {},
) {
  const connect = (): unknown => new PlayedSocket(certificate, refusal, protocol);
  replaceBuiltIn(tls, { connect: connect as typeof tls.connect });
  const check = checkAt(443, asked);
  return { check, finding: await step.run(check) };
}

const factsFor = async (...given: Parameters<typeof findingFor>) =>
  (await findingFor(...given)).finding.facts;

describe('the step about TLS, with any certificate', () => {
  it.each([
    [{ CN: 'Example CA', O: 'Example' }, 'Example CA'],
    [{ O: 'Example' }, 'Example'],
    [{ CN: ['One', 'Two'] }, 'One, Two'],
    [{}, 'an unknown issuer'],
    [undefined, 'an unknown issuer'],
  ])('names its issuer: %j', async (issuer, name) => {
    expect(await factsFor({ issuer, valid_to: '' })).toMatchObject({ issuer: name });
  });

  it.each([
    [undefined, []],
    ['DNS:a.example, IP Address:127.0.0.1', ['a.example', '127.0.0.1']],
    ['URI:urn:DNS:x, DNS:, DNS:y\u202e', ['URI:urn:DNS:x', 'y\ufffd']],
    ['DNS:a, DNS:b, DNS:c, DNS:d, DNS:e, DNS:f', ['a', 'b', 'c', 'd', 'e']],
  ])('names a few of its hosts: %j', async (subjectaltname, names) => {
    expect(await factsFor({ issuer: {}, valid_to: '', subjectaltname })).toMatchObject({ names });
  });

  it('has no end without a date that can be read', async () => {
    expect(await factsFor({ issuer: {}, valid_to: 'never' })).toEqual({
      protocol: 'TLSv1.2',
      issuer: 'an unknown issuer',
      names: [],
    });
  });

  it('S10: shows no credential that it repeats', async () => {
    const certificate = {
      issuer: { CN: CANARY.secret },
      valid_to: '',
      subjectaltname: `DNS:${CANARY.clientId}`,
    };
    const secret = new Secret(CANARY.secret);
    expect(await factsFor(certificate, {}, { secret })).toMatchObject({
      issuer: '[redacted]',
      names: ['[redacted]'],
    });
  });

  it('calls the protocol TLS if Node does not know it', async () => {
    expect(await factsFor({ issuer: {}, valid_to: '' }, { protocol: null })).toMatchObject({
      protocol: 'TLS',
    });
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'CERT_HAS_EXPIRED'],
    [Object.assign(new Error('refused'), { code: 'CERT_REVOKED' }), 'CERT_REVOKED'],
    [new Error('refused'), 'UNKNOWN'],
  ])("fails with Node's reason: %s", async (refusal, code) => {
    const dates = { valid_from: '', valid_to: 'Nov  2 00:00:00 2025 GMT' };
    vi.useFakeTimers({ now: Date.parse('2025-11-04T12:00:00Z'), toFake: ['Date'] });
    const { check, finding } = await findingFor({ issuer: { CN: 'Example CA' }, ...dates }, { refusal });
    const facts = {
      protocol: 'TLSv1.2',
      issuer: 'Example CA',
      names: [],
      validTo: '2025-11-02T00:00:00.000Z',
      daysLeft: -3,
    };
    expect(finding).toEqual({
      ...certificateFailure(code, dates, facts, check.profile, 'tokenUrl'),
      facts,
    });
  });
});
