import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Profile } from '../../config/options/profile.js';
import { errorCode } from '../../errors/error-code.js';
import type { AddressSetting, NamedPair } from '../../errors/setting-names.js';
import { stepsOf } from '../destination.js';
import { numberOf } from '../number-of.js';
import { harmlessFor, MOST_TEXTS } from '../server-text.js';
import type { Check, Finding } from '../step.js';
import { withoutInherited } from '../../net/pollution.js';
import { TooSlowError } from '../../time/within.js';
import { cutShortError } from '../../wire/received-body.js';
import { certificateFailure, handshakeFailure } from './tls-failures.js';
import { within } from './within.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRES_SOON_DAYS = 14;

/** How long the verdict on the client may take. A server that sends no tickets and leaves the connection open has refused nothing. */
const VERDICT_MS = 2_000;

/** What checks the connection instead. */
const BEHIND_PROXY = {
  tokenUrl: 'goes through the proxy; the token request checks it',
  baseUrl: 'goes through the proxy; a probe checks it',
};

interface Handshake {
  /** Node's code for the problem of the certificate. Undefined if the certificate is trusted. */
  readonly refusal: string | undefined;
  readonly certificate: PeerCertificate;
  readonly protocol: string;
}

/** Do a TLS handshake and send nothing. Show the certificate and its problem, if there is one. */
export const [tls, apiTls] = stepsOf('tls', checkTls);

async function checkTls(check: Check, address: AddressSetting): Promise<Finding> {
  const { destinations, profile, settings, secret } = check;
  const { host, port, isProxy } = destinations[address];
  if (isProxy) return { status: 'skipped', detail: BEHIND_PROXY[address], isBehindProxy: true };
  const { timeoutMs } = settings.token;
  let isAnswered = false;
  try {
    // The token endpoint has the credentials now. The API may be the same server.
    const shown = harmlessFor({ clientId: profile.clientId, secret });
    const handshake = await shakeHands(host, port, timeoutMs, profile.tls, () => (isAnswered = true));
    return findingOf(handshake, profile, address, shown);
  } catch (error) {
    const mayBeRefused = isAnswered && profile.tls?.endsAt !== undefined;
    return handshakeFailure(errorCode(error), timeoutMs, { pair: profile, address, mayBeRefused });
  }
}

/** @param answered called when the server has agreed on keys. What fails before has nothing to do with a client certificate. */
async function shakeHands(
  host: string,
  port: number,
  timeoutMs: number,
  tls: Profile['tls'],
  answered: () => void,
): Promise<Handshake> {
  const options = {
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    ...(tls && { secureContext: tls.secureContext() }),
    // Without this, a bad certificate could not be shown. `authorized` is still right, and nothing is sent on this connection.
    rejectUnauthorized: false,
  };
  const socket = connect(withoutInherited(options));
  try {
    await within<void>(timeoutMs, (resolve, reject) => {
      socket.once('error', reject).once('keylog', answered).once('secureConnect', resolve);
    });
    if (socket.authorized && socket.getProtocol() === 'TLSv1.3')
      await verdictOnClient(socket, Math.min(VERDICT_MS, timeoutMs));
    return {
      refusal: socket.authorized ? undefined : refusalOf(socket.authorizationError),
      certificate: socket.getPeerCertificate(),
      protocol: socket.getProtocol() ?? 'TLS',
    };
  } finally {
    socket.destroy();
  }
}

/**
 * With TLS 1.3, a server checks the client's certificate after the client has finished its handshake. A server that accepts it
 * sends a session ticket next. A server that refuses it sends an alert, or only closes the connection, as Node does.
 */
async function verdictOnClient(socket: TLSSocket, withinMs: number): Promise<void> {
  try {
    await within<void>(withinMs, (resolve, reject) => {
      socket
        .once('session', () => resolve())
        .once('error', reject)
        .once('close', () => reject(cutShortError()))
        .resume();
    });
  } catch (error) {
    if (!(error instanceof TooSlowError)) throw error;
  }
}

/** Node's types declare an error here, but Node gives a code as a string. */
function refusalOf(error: unknown): string {
  return typeof error === 'string' ? error : (errorCode(error) ?? 'UNKNOWN');
}

function findingOf(
  { refusal, certificate, protocol }: Handshake,
  pair: NamedPair,
  address: AddressSetting,
  shown: (text: string) => string,
): Finding {
  const issuer = shown(nameOf(certificate.issuer));
  const expires = new Date(certificate.valid_to);
  const daysLeft = Math.floor((expires.getTime() - Date.now()) / DAY_MS);
  const facts = {
    protocol,
    issuer,
    names: namesOf(certificate, shown),
    ...(Number.isFinite(daysLeft) && { validTo: expires.toISOString(), daysLeft }),
  };
  if (refusal !== undefined)
    return { ...certificateFailure(refusal, certificate, facts, pair, address), facts };
  return {
    status: 'ok',
    detail: `${protocol}, issued by ${issuer}, ${numberOf(daysLeft, 'day')} left`,
    facts,
    ...(daysLeft < EXPIRES_SOON_DAYS && {
      advice: 'The certificate expires soon. Ask the provider whether it will be renewed in time.',
    }),
  };
}

type Name = Readonly<Record<string, string | string[] | undefined>>;

function nameOf(issuer: PeerCertificate['issuer'] | undefined): string {
  const { CN, O }: Name = { ...issuer };
  return [CN ?? O ?? 'an unknown issuer'].flat().join(', ');
}

function namesOf({ subjectaltname = '' }: PeerCertificate, shown: (text: string) => string): string[] {
  return subjectaltname
    .split(', ')
    .map((name) => shown(name.replace(/^(DNS|IP Address):/, '')))
    .filter((name) => name !== '')
    .slice(0, MOST_TEXTS);
}
