import { execFile } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import net, { isIP, type LookupFunction } from 'node:net';
import tls, { type PeerCertificate, type TLSSocket } from 'node:tls';
import { errorCode } from '../../errors/error-code.js';
import {
  certificateFlaw,
  isMatterOfTrust,
  networkTrouble,
  remedyOf,
  type Trouble,
  troubleBehindProxy,
} from '../../errors/troubles.js';
import type { AddressSetting } from '../../errors/setting-names.js';
import { socketHost } from '../../net/parsed-url.js';
import { withoutInherited } from '../../values/objects.js';
import { environmentProxyOf, proxySettingNames } from '../../net/proxy.js';
import { REDACTED } from '../../secrets/secret.js';
import { settledWithin, TOO_SLOW, TooSlowError } from '../../time/within.js';
import { cutShortError } from '../../wire/received-body.js';
import type { Check, Finding, Step } from '../report.js';
import { numberOf } from '../number-of.js';
import { harmlessFor, MOST_TEXTS } from '../server-text.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRES_SOON_DAYS = 14;

/** How long the verdict on the client may take. A server that sends no tickets and leaves the connection open has refused nothing. */
const VERDICT_MS = 2_000;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Opens one connection as a request does, and sends nothing. It looks up the host, connects, and does the TLS handshake. */
export const connection: Step = {
  name: 'connection',
  run: (check) => connectTo(check, 'tokenUrl'),
};

/** The same for the API. One proxy for both proves nothing, so only the hosts of the URLs are compared. */
export const apiConnection: Step = {
  name: 'api-connection',
  run: (check) => {
    const { baseUrl, tokenUrl } = check.profile;
    return new URL(baseUrl).host === new URL(tokenUrl).host
      ? { status: 'skipped', detail: 'the API has the same host and port as the token URL: already checked' }
      : connectTo(check, 'baseUrl');
  },
};

/** How far a connection has come. */
interface Attempt {
  readonly address: AddressSetting;
  readonly host: string;
  /** For people: host and port, and whether it is the proxy in front of the host. */
  readonly to: string;
  phase: 'look-up' | 'connect' | 'handshake';
  /** Whether the server has agreed on keys. What fails before has nothing to do with a client certificate. */
  isAnswered: boolean;
}

async function connectTo(check: Check, address: AddressSetting): Promise<Finding> {
  const { profile, settings } = check;
  const { timeoutMs } = settings.token;
  const proxy = environmentProxyOf(profile[address]);
  const url = proxy ?? new URL(profile[address]);
  const host = socketHost(url);
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 443) : Number(url.port);
  const to = `${proxy ? 'the proxy ' : ''}${host}:${port}`;
  const attempt: Attempt = {
    address,
    host,
    to,
    phase: isIP(host) === 0 ? 'look-up' : 'connect',
    isAnswered: false,
  };
  // With this, Node asks `lookup` for all addresses.
  const options = { host, port, lookup: lookUp(timeoutMs), autoSelectFamily: true };
  const socket = proxy
    ? net.connect(withoutInherited(options))
    : tls.connect(withoutInherited({ ...options, ...tlsOptions(check, url.host, host) }));
  socket
    .once('lookup', (error) => {
      if (!error) attempt.phase = 'connect';
    })
    .once('connect', () => (attempt.phase = 'handshake'))
    .once('keylog', () => (attempt.isAnswered = true));
  try {
    const opened = new Promise<void>((resolve, reject) => {
      socket.on('error', reject).once(proxy ? 'connect' : 'secureConnect', resolve);
    });
    await settledWithin(timeoutMs, opened);
    if (!('getProtocol' in socket))
      return {
        status: 'ok',
        detail: `connected to ${to}; the ${address === 'tokenUrl' ? 'token request' : 'probe'} checks what is behind it`,
        facts: { proxy: `${host}:${port}` },
      };
    return await checkCertificate(check, attempt, socket);
  } catch (error) {
    return failure(check, attempt, errorCode(error) ?? 'UNKNOWN');
  } finally {
    socket.destroy();
  }
}

function tlsOptions({ profile }: Check, urlHost: string, host: string): tls.ConnectionOptions {
  const isApi = urlHost === new URL(profile.baseUrl).host;
  const servername = (isApi && profile.tls?.servername) || host;
  return {
    ...(isIP(servername) === 0 && { servername }),
    ALPNProtocols: ['http/1.1'],
    ...(profile.tls && { secureContext: profile.tls.secureContext() }),
    // Without this, a bad certificate could not be shown. `authorized` is still right, and nothing is sent on this connection.
    rejectUnauthorized: false,
  };
}

/** Prints the addresses or Node's error code. */
const LOOK_UP = `
require('node:dns').lookup(process.argv[1], { all: true }, (error, found) =>
  console.log(JSON.stringify({ code: error?.code, found })));`;

/**
 * Resolves a host as Node does for a request: through the system and its hosts file. A separate process does this, because
 * a look-up of the system cannot be cancelled. With a name server that drops packets, the look-up would keep this process
 * alive for minutes after the verdict, and even `process.exit` would wait.
 */
function lookUp(timeoutMs: number): LookupFunction {
  return (host, _options, done) => {
    // Modules that NODE_OPTIONS loads may print text or wait for a debugger.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, ['--eval', LOOK_UP, '--', host], options, (error, stdout) => {
      if (error) return done(error.killed ? new TooSlowError(TOO_SLOW) : new Error('no look-up'), []);
      const { code, found = [] } = JSON.parse(stdout) as { code?: string; found?: LookupAddress[] };
      done(found.length > 0 ? null : Object.assign(new Error(code), { code }), found);
    });
  };
}

/** The finding for a connection that failed, by how far it came. */
function failure(check: Check, { address, host, to, phase, isAnswered }: Attempt, code: string): Finding {
  const { profile, settings } = check;
  const isLate = code === TOO_SLOW;
  const late = isLate ? ` within ${settings.token.timeoutMs} ms` : '';
  const known = networkTrouble(code);
  const mayBeRefused = isAnswered && profile.tls?.endsAt !== undefined;
  const [what, trouble] = {
    'look-up': [
      isLate ? `no DNS answer for ${host}` : `${host} is not found`,
      known === 'unknown-host' ? known : ('name-server' as const),
    ] as const,
    connect: [`no connection to ${to}`, known] as const,
    handshake: [
      isLate ? 'no TLS handshake' : 'the TLS handshake failed',
      handshakeTrouble(known, mayBeRefused),
    ] as const,
  }[phase];
  return {
    status: 'failed',
    code,
    detail: `${what}${late} (${code})`,
    advice: adviceOnNetwork(check, address, trouble),
    ...(phase === 'look-up' && { facts: { host } }),
  };
}

function handshakeTrouble(known: Trouble, mayBeRefused: boolean): Trouble {
  // The connection is open, so the server does not speak TLS, or does not respond.
  if (known === 'unreachable' || known === 'no-connection') return 'no-tls';
  return known === 'broken-off' && mayBeRefused ? 'refused-client-certificate' : known;
}

/** What to do about the network between this process and the host of a URL, or the proxy in front of it. */
export function adviceOnNetwork(
  { profile }: Pick<Check, 'profile'>,
  address: AddressSetting,
  trouble: Trouble,
): string {
  const hasProxy = environmentProxyOf(profile[address]) !== undefined;
  const proxy = hasProxy ? proxySettingNames({}) : undefined;
  return remedyOf(troubleBehindProxy(trouble, hasProxy), profile, address, proxy);
}

async function checkCertificate(
  check: Check,
  { address, to, host }: Attempt,
  socket: TLSSocket,
): Promise<Finding> {
  const { profile, secret, settings } = check;
  if (socket.authorized && socket.getProtocol() === 'TLSv1.3')
    await verdictOnClient(socket, Math.min(VERDICT_MS, settings.token.timeoutMs));
  const certificate = socket.getPeerCertificate();
  // The token endpoint has the credentials now. The API may be the same server.
  const shown = harmlessFor({ clientId: profile.clientId, secret });
  const issuer = shown(nameOf(certificate.issuer));
  const protocol = socket.getProtocol() ?? 'TLS';
  const expires = new Date(certificate.valid_to);
  const daysLeft = Math.floor((expires.getTime() - Date.now()) / DAY_MS);
  const names = namesOf(certificate, shown);
  const facts = {
    host,
    protocol,
    issuer,
    names,
    ...(Number.isFinite(daysLeft) && { validTo: expires.toISOString(), daysLeft }),
  };
  if (!socket.authorized) {
    // Node's types declare an error here, but Node gives a code as a string.
    const refusal: unknown = socket.authorizationError;
    const code = typeof refusal === 'string' ? refusal : (errorCode(refusal) ?? 'UNKNOWN');
    const known = networkTrouble(code);
    const trouble = isMatterOfTrust(known) ? known : 'untrusted-certificate';
    const ago =
      trouble === 'expired-certificate' && daysLeft < 0 ? `, ${numberOf(-daysLeft, 'day')} ago` : '';
    const flaw =
      trouble === 'wrong-name'
        ? ` is for ${names.join(', ') || 'no host at all'}, not for this host`
        : `, issued by ${issuer}, ${certificateFlaw(certificate, trouble)}${ago}`;
    const advice = remedyOf(trouble, profile, address);
    return { status: 'failed', code, detail: `the certificate${flaw} (${code})`, advice, facts };
  }
  return {
    status: 'ok',
    detail: `connected to ${to}, ${protocol}, issued by ${issuer}, ${numberOf(daysLeft, 'day')} left`,
    facts,
    ...(daysLeft < EXPIRES_SOON_DAYS && {
      advice: 'The certificate expires soon. Ask the provider whether it will be renewed in time.',
    }),
  };
}

/**
 * With TLS 1.3, a server checks the client's certificate after the client has finished its handshake. A server that accepts it
 * sends a session ticket next. A server that refuses it sends an alert, or only closes the connection, as Node does.
 */
async function verdictOnClient(socket: TLSSocket, withinMs: number): Promise<void> {
  const verdict = new Promise<void>((resolve, reject) => {
    socket
      .once('session', () => resolve())
      .once('error', reject)
      .once('close', () => reject(cutShortError()))
      .resume();
  });
  try {
    await settledWithin(withinMs, verdict);
  } catch (error) {
    if (!(error instanceof TooSlowError)) throw error;
  }
}

type Name = Readonly<Record<string, string | string[] | undefined>>;

function nameOf(issuer: PeerCertificate['issuer'] | undefined): string {
  const { CN, O }: Name = { ...issuer };
  return [CN ?? O ?? 'an unknown issuer'].flat().join(', ');
}

function namesOf({ subjectaltname = '' }: PeerCertificate, shown: (text: string) => string): string[] {
  const names = subjectaltname
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '')
    .slice(0, MOST_TEXTS);
  // A credential with a comma would be in two names.
  const holdCredential = shown(names.join(', ')) === REDACTED;
  return names.map((name) => (holdCredential ? REDACTED : shown(name)));
}
