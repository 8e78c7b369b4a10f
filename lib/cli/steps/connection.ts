import net, { isIP } from 'node:net';
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
import { settledWithin, TOO_SLOW, TooSlowError } from '../../time/within.js';
import { cutShortError } from '../../wire/received-body.js';
import type { Check, Finding, Step } from '../report.js';
import { numberOf } from '../number-of.js';
import { harmlessFor, MOST_TEXTS } from '../server-text.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRES_SOON_DAYS = 14;

/** How long the verdict on the client may take. A server that sends no tickets and leaves the connection open has refused nothing. */
const VERDICT_MS = 2_000;

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
  const proxy = environmentProxyOf(profile[address]);
  const url = proxy ?? new URL(profile[address]);
  const host = socketHost(url);
  const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
  const to = `${proxy ? 'the proxy ' : ''}${host}:${port}`;
  const phase = isIP(host) === 0 ? 'look-up' : 'connect';
  const attempt: Attempt = { address, host, to, phase, isAnswered: false };
  const socket = proxy
    ? net.connect(withoutInherited({ host, port }))
    : tls.connect(withoutInherited({ host, port, ...tlsOptions(check, url.host, host) }));
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
    await settledWithin(settings.token.timeoutMs, opened);
    if ('getProtocol' in socket) return await checkCertificate(check, attempt, socket);
    return {
      status: 'ok',
      detail: `connected to ${to}; the ${address === 'tokenUrl' ? 'token request' : 'probe'} checks what is behind it`,
      facts: { proxy: `${host}:${port}` },
    };
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

/** The finding for a connection that failed, by how far it came. */
function failure(check: Check, { address, host, to, phase, isAnswered }: Attempt, code: string): Finding {
  const isLate = code === TOO_SLOW;
  const late = isLate ? ` within ${check.settings.token.timeoutMs} ms` : '';
  const known = networkTrouble(code);
  const failed = (what: string, trouble: Trouble): Finding => ({
    status: 'failed',
    code,
    detail: `${what}${late} (${code})`,
    advice: adviceOnNetwork(check, address, trouble),
  });
  if (phase === 'look-up')
    return {
      ...failed(
        isLate ? `no DNS answer for ${host}` : `${host} is not found`,
        known === 'unknown-host' ? known : 'name-server',
      ),
      facts: { host },
    };
  if (phase === 'connect') return failed(`no connection to ${to}`, known);
  const isRefused = known === 'broken-off' && isAnswered && check.profile.tls?.endsAt !== undefined;
  // The connection is open, so the server does not speak TLS, or does not respond.
  const isNoTls = known === 'unreachable' || known === 'no-connection';
  return failed(
    isLate ? 'no TLS handshake' : 'the TLS handshake failed',
    isRefused ? 'refused-client-certificate' : isNoTls ? 'no-tls' : known,
  );
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
  const names = namesOf(certificate).map(shown);
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
    advice:
      daysLeft < EXPIRES_SOON_DAYS
        ? 'The certificate expires soon. Ask the provider whether it will be renewed in time.'
        : undefined,
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

function nameOf(issuer: PeerCertificate['issuer'] | undefined): string {
  const { CN, O }: Readonly<Record<string, string | string[] | undefined>> = { ...issuer };
  return [CN ?? O ?? 'an unknown issuer'].flat().join(', ');
}

function namesOf({ subjectaltname = '' }: PeerCertificate): string[] {
  const names = subjectaltname.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  return names.filter((name) => name !== '').slice(0, MOST_TEXTS);
}
