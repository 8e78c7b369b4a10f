import { type ConnectionOptions, createSecureContext, type PeerCertificate } from 'node:tls';
import { flawOfConnection } from '../config/rules/http-rules.js';
import { flawOfContext } from '../config/rules/pem-rules.js';
import type { Flaw } from '../config/rules/text-rules.js';
import { readOptions, Refused, Setting, Whole } from '../config/setting.js';
import { withoutInherited } from '../net/pollution.js';
import { withNameCheck } from '../net/private-agent.js';
import { isRecord } from '../values/is-object.js';

/** Options of `undiciTransport()`. */
export class UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. More requests wait for a free one.
   * @default no limit
   */
  @Whole(1)
  readonly connections?: number | undefined;

  /** @internal */
  @Refused('is not an option: the transport uses HTTP/1.1 and does not offer HTTP/2. Leave it out.')
  readonly allowH2?: never;

  /**
   * Options for new connections. For a private authority or a client certificate, prefer `tls`, which covers token requests
   * too.
   */
  @Setting(flawOfConnect)
  readonly connect?: ConnectOptions | undefined;
}

/** Options for `tls.connect`, except those that follow from the base URL. */
export interface ConnectOptions extends Omit<
  ConnectionOptions,
  'host' | 'port' | 'path' | 'socket' | 'ALPNProtocols' | 'rejectUnauthorized' | 'checkServerIdentity'
> {
  /** Certificates are always checked: `false` is a boot error. */
  readonly rejectUnauthorized?: true | undefined;
  /** An additional check, for example to pin a certificate. It never replaces the check of the server's name. */
  readonly checkServerIdentity?:
    ((host: string, certificate: PeerCertificate) => Error | undefined) | undefined;
  /**
   * How many milliseconds opening a connection may take.
   * @default 10_000
   */
  readonly timeout?: number | undefined;
}

function flawOfConnect(value: unknown): Flaw {
  if (!isRecord(value)) return 'must be an object of options for tls.connect.';
  if (value['rejectUnauthorized'] === false) return flawOfConnection('any-server');
  return flawOfContext(
    () => createSecureContext(withoutInherited(value)),
    'Check its certificates, keys, ciphers and versions.',
  );
}

/** Refuses wrong options before the first request. */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  readOptions(UndiciTransportOptions, options, 'http.transport');
}

/** The options for `tls.connect`. A check of the application is added to the check of the name, and does not replace it. */
export function checkedConnectOptions({ connect = {} }: UndiciTransportOptions): ConnectOptions {
  // A member that is undefined would replace the default of `tls.connect`.
  const given = Object.fromEntries(Object.entries(connect).filter(([, value]) => value !== undefined));
  const { checkServerIdentity: check }: ConnectOptions = given;
  return check === undefined ? given : { ...given, checkServerIdentity: withNameCheck(check) };
}

export function hasCertificates({ ca, cert, key, pfx, secureContext }: ConnectOptions): boolean {
  return [ca, cert, key, pfx, secureContext].some((one) => one !== undefined);
}
