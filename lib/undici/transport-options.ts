import type { ConnectionOptions, PeerCertificate } from 'node:tls';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { withNameCheck } from '../net/name-check.js';
import { isRecord } from '../values/is-object.js';

/** Options of `undiciTransport()`. */
export interface UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. Further requests wait for a free connection.
   * @default no limit
   */
  readonly connections?: number;
  /**
   * Uses HTTP/2 if the server offers it: fewer connections, but each request costs more CPU time.
   * @default false
   */
  readonly allowH2?: boolean;
  /** Options for `tls.connect`: a private authority (`ca`), a client certificate (`cert`, `key`) and others. */
  readonly connect?: ConnectOptions;
}

/** The options of `tls.connect`, without those that the base URL decides. */
export interface ConnectOptions extends Omit<
  ConnectionOptions,
  'host' | 'port' | 'path' | 'socket' | 'ALPNProtocols' | 'rejectUnauthorized' | 'checkServerIdentity'
> {
  /** Certificates are always checked: `false` is refused (S9). */
  readonly rejectUnauthorized?: true;
  /** An additional check, for example to pin a certificate. The check of the server's name stays on (S9). */
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
  /**
   * How many milliseconds opening a connection may take.
   * @default 10_000
   */
  readonly timeout?: number;
}

const MEMBERS = ['connections', 'allowH2', 'connect'];
const PATH = 'http.transport';

/** Refuses wrong options before the first request (C4). */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  const problems = [...problemsOf(options)];
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

function* problemsOf(options: unknown): Iterable<ConfigProblem> {
  if (!isRecord(options)) {
    yield { path: PATH, message: 'undiciTransport() takes an object of options, or no argument.' };
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
      'would send tokens to any server that answers. Trust the authority instead: pass its certificate as connect.ca.';
    yield { path: `${PATH}.connect.rejectUnauthorized`, message };
  }
  const check = isRecord(connect) ? connect['checkServerIdentity'] : undefined;
  if (check !== undefined && typeof check !== 'function') {
    yield { path: `${PATH}.connect.checkServerIdentity`, message: 'must be a function.' };
  }
}

/** The options for `tls.connect`. A check of the application is added to the check of the name, and does not replace it. */
export function checkedConnectOptions({ connect = {} }: UndiciTransportOptions): ConnectOptions {
  const { checkServerIdentity: check } = connect;
  return check === undefined ? connect : { ...connect, checkServerIdentity: withNameCheck(check) };
}

/** Whether the options name authorities or a client certificate. */
export function hasCertificates({ ca, cert, key, pfx, secureContext }: ConnectOptions): boolean {
  return [ca, cert, key, pfx, secureContext].some((one) => one !== undefined);
}
