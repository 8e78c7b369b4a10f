import type { ConnectionOptions, PeerCertificate } from 'node:tls';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { withNameCheck } from '../net/name-check.js';

/** How undici's pools are made. */
export interface UndiciTransportOptions {
  /**
   * Connections kept for each interface and environment; further requests wait for one to be free.
   * @default no limit
   */
  readonly connections?: number;
  /**
   * Speaks HTTP/2 where the server offers it: fewer connections, at a higher price a request.
   * @default false
   */
  readonly allowH2?: boolean;
  /** How connections are made: a private authority (`ca`), a client certificate (`cert`, `key`), … as for `tls.connect`. */
  readonly connect?: ConnectOptions;
}

/** What `tls.connect` takes, but for what the base URL says. */
export interface ConnectOptions extends Omit<
  ConnectionOptions,
  'host' | 'port' | 'path' | 'socket' | 'ALPNProtocols' | 'rejectUnauthorized' | 'checkServerIdentity'
> {
  /** Certificates are always checked: false is refused (S9). */
  readonly rejectUnauthorized?: true;
  /** A check beside that of the server's name, which no option switches off (S9): to pin a certificate, for example. */
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
  /**
   * Milliseconds for a connection to be made.
   * @default 10_000
   */
  readonly timeout?: number;
}

const MEMBERS = ['connections', 'allowH2', 'connect'];
const PATH = 'http.transport';

/** Refuses what cannot be meant, before the first request (C4). */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  const problems = [...problemsOf(options)];
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

function* problemsOf(options: unknown): Iterable<ConfigProblem> {
  if (!isRecord(options)) {
    yield { path: PATH, message: 'undiciTransport() takes an object of options, or nothing.' };
    return;
  }
  const { connections, allowH2, connect } = options;
  for (const name of Object.keys(options).filter((name) => !MEMBERS.includes(name))) {
    yield { path: `${PATH}.${name}`, message: `is not an option. Use one of ${MEMBERS.join(', ')}.` };
  }
  if (connections !== undefined && !(Number.isSafeInteger(connections) && Number(connections) > 0)) {
    yield { path: `${PATH}.connections`, message: 'must be a whole number above 0.' };
  }
  if (allowH2 !== undefined && typeof allowH2 !== 'boolean') {
    yield { path: `${PATH}.allowH2`, message: 'must be true or false.' };
  }
  if (connect !== undefined && !isRecord(connect)) {
    yield { path: `${PATH}.connect`, message: 'must be an object of options for tls.connect.' };
  } else if (connect?.['rejectUnauthorized'] === false) {
    const message =
      'would send tokens to whoever answers. Trust the authority instead: pass its certificate as connect.ca.';
    yield { path: `${PATH}.connect.rejectUnauthorized`, message };
  }
  const check = isRecord(connect) ? connect['checkServerIdentity'] : undefined;
  if (check !== undefined && typeof check !== 'function') {
    yield { path: `${PATH}.connect.checkServerIdentity`, message: 'must be a function.' };
  }
}

/** The options with which connections are made. */
export function checkedConnectOptions({ connect = {} }: UndiciTransportOptions): ConnectOptions {
  const { checkServerIdentity: check } = connect;
  return check === undefined ? connect : { ...connect, checkServerIdentity: withNameCheck(check) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
