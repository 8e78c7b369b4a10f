import { once } from 'node:events';
import net, { isIP } from 'node:net';
import tls, { type PeerCertificate, TLSSocket } from 'node:tls';
import { errorCode } from '../../errors/error-code.js';
import type { AddressSetting } from '../../errors/setting-names.js';
import {
  certificateFlaw,
  isMatterOfTrust,
  networkTrouble,
  remedyOf,
  type Trouble,
  troubleBehindProxy,
} from '../../errors/troubles.js';
import { socketHost } from '../../net/parsed-url.js';
import { environmentProxyOf, proxySettingNames } from '../../net/proxy.js';
import { settledWithin, TOO_SLOW, TooSlowError } from '../../time/within.js';
import { withoutInherited } from '../../values/objects.js';
import { cutShortError } from '../../wire/received-body.js';
import { numberOf } from '../number-of.js';
import type { Check, Finding, Step } from '../report.js';
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

/** How far a connection has come. Once `answered`, the server has agreed on keys, and reads the client certificate. */
type Phase = 'look-up' | 'connect' | 'handshake' | 'answered';

async function connectTo(check: Check, address: AddressSetting): Promise<Finding> {
  const { profile } = check;
  const { timeoutMs } = check.settings.token;
  const proxy = environmentProxyOf(profile[address]);
  const url = proxy ?? new URL(profile[address]);
  const host = socketHost(url);
  const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
  const to = `${proxy ? 'the proxy ' : ''}${host}:${port}`;
  let phase: Phase = isIP(host) === 0 ? 'look-up' : 'connect';
  const socket = proxy
    ? net.connect(withoutInherited({ host, port }))
    : tls.connect(withoutInherited({ host, port, ...tlsOptions(check, url.host, host) }));
  socket
    .on('error', () => undefined)
    .once('lookup', (error) => {
      if (!error) phase = 'connect';
    })
    .once('connect', () => (phase = 'handshake'))
    .once('keylog', () => (phase = 'answered'));
  try {
    await settledWithin(timeoutMs, once(socket, proxy ? 'connect' : 'secureConnect'));
    if (socket instanceof TLSSocket) {
      await verdictOnClient(socket, Math.min(VERDICT_MS, timeoutMs));
      return certificateFinding(check, address, socket, { host, to });
    }
    return {
      status: 'ok',
      detail: `connected to ${to}; the ${address === 'tokenUrl' ? 'token request' : 'probe'} checks what is behind it`,
      facts: { proxy: `${host}:${port}` },
    };
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN';
    const isLate = code === TOO_SLOW;
    const hasCertificate = profile.tls?.endsAt !== undefined;
    const [what, trouble] = failureAt(phase, { host, to, isLate, hasCertificate }, networkTrouble(code));
    return {
      status: 'failed',
      code,
      detail: `${what}${isLate ? ` within ${timeoutMs} ms` : ''} (${code})`,
      advice: adviceOnNetwork(check, address, trouble),
      facts: phase === 'look-up' ? { host } : undefined,
    };
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

/** What to say about a connection that failed, and the trouble behind it. */
function failureAt(
  phase: Phase,
  about: { host: string; to: string; isLate: boolean; hasCertificate: boolean },
  known: Trouble,
): readonly [what: string, trouble: Trouble] {
  const { host, to, isLate, hasCertificate } = about;
  if (phase === 'look-up')
    return [
      isLate ? `no DNS answer for ${host}` : `${host} is not found`,
      known === 'unknown-host' ? known : 'name-server',
    ];
  if (phase === 'connect') return [`no connection to ${to}`, known];
  const what = isLate ? 'no TLS handshake' : 'the TLS handshake failed';
  if (known === 'broken-off' && phase === 'answered' && hasCertificate)
    return [what, 'refused-client-certificate'];
  // The connection is open, so the server does not speak TLS, or does not respond.
  return [what, known === 'unreachable' || known === 'no-connection' ? 'no-tls' : known];
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

/**
 * With TLS 1.3, a server checks the client's certificate after the client has finished its handshake. A server that accepts it
 * sends a session ticket next. A server that refuses it sends an alert, or only closes the connection, as Node does.
 */
async function verdictOnClient(socket: TLSSocket, withinMs: number): Promise<void> {
  if (!socket.authorized || socket.getProtocol() !== 'TLSv1.3') return;
  const refused = once(socket.resume(), 'close').then(() => Promise.reject(cutShortError()));
  try {
    await settledWithin(withinMs, Promise.race([once(socket, 'session'), refused]));
  } catch (error) {
    if (!(error instanceof TooSlowError)) throw error;
  }
}

function certificateFinding(
  { profile, secret }: Check,
  address: AddressSetting,
  socket: TLSSocket,
  { host, to }: { readonly host: string; readonly to: string },
): Finding {
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
  if (socket.authorized)
    return {
      status: 'ok',
      detail: `connected to ${to}, ${protocol}, issued by ${issuer}, ${numberOf(daysLeft, 'day')} left`,
      facts,
      advice:
        daysLeft < EXPIRES_SOON_DAYS
          ? 'The certificate expires soon. Ask the provider whether it will be renewed in time.'
          : undefined,
    };
  // Node's types declare an error here, but Node gives a code as a string.
  const refusal: unknown = socket.authorizationError;
  const code = typeof refusal === 'string' ? refusal : (errorCode(refusal) ?? 'UNKNOWN');
  const known = networkTrouble(code);
  const trouble = isMatterOfTrust(known) ? known : 'untrusted-certificate';
  const ago = trouble === 'expired-certificate' && daysLeft < 0 ? `, ${numberOf(-daysLeft, 'day')} ago` : '';
  const flaw =
    trouble === 'wrong-name'
      ? ` is for ${names.join(', ') || 'no host at all'}, not for this host`
      : `, issued by ${issuer}, ${certificateFlaw(certificate, trouble)}${ago}`;
  const advice = remedyOf(trouble, profile, address);
  return { status: 'failed', code, detail: `the certificate${flaw} (${code})`, advice, facts };
}

function nameOf(issuer: PeerCertificate['issuer'] | undefined): string {
  const { CN, O }: Readonly<Record<string, string | string[] | undefined>> = { ...issuer };
  return [CN ?? O ?? 'an unknown issuer'].flat().join(', ');
}

function namesOf({ subjectaltname = '' }: PeerCertificate): string[] {
  const names = subjectaltname.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  return names.filter((name) => name !== '').slice(0, MOST_TEXTS);
}
