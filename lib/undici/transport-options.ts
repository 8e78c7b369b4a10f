import type { ConnectionOptions, PeerCertificate } from 'node:tls';
import { readOptions, readAtOnce } from '../config/read-rows.js';
import { oneOf } from '../config/rules/choice-rules.js';
import { type SettingRows, wholeNumber } from '../config/table/setting.js';
import { withNameCheck } from '../net/private-agent.js';

/** Options of `undiciTransport()`. */
export interface UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. More requests wait for a free one.
   * @default no limit
   */
  readonly connections?: number;
  /**
   * Uses HTTP/2 if the server offers it: fewer connections, but each request costs more CPU time.
   * @default false
   */
  readonly allowH2?: boolean;
  /**
   * Options for new connections. For a private authority or a client certificate, prefer `tls`, which covers token requests
   * too.
   */
  readonly connect?: ConnectOptions;
}

/** Options for `tls.connect`, except those that follow from the base URL. */
export interface ConnectOptions extends Omit<
  ConnectionOptions,
  'host' | 'port' | 'path' | 'socket' | 'ALPNProtocols' | 'rejectUnauthorized' | 'checkServerIdentity'
> {
  /** Certificates are always checked: `false` is a boot error. */
  readonly rejectUnauthorized?: true;
  /** An additional check, for example to pin a certificate. It never replaces the check of the server's name. */
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
  /**
   * How many milliseconds opening a connection may take.
   * @default 10_000
   */
  readonly timeout?: number;
}

const OPTIONS = {
  connections: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  allowH2: { flawOf: oneOf([true, false], 'true or false') },
  connect: {},
} as const satisfies SettingRows<void>;

/** Other members of `connect` are for `tls.connect`. */
const CONNECT = {
  rejectUnauthorized: {
    flawOf: (value) =>
      value === false
        ? 'would send tokens to any server that answers. Trust the authority instead: pass its certificate as connect.ca.'
        : undefined,
  },
  checkServerIdentity: {
    flawOf: (value) => (typeof value === 'function' ? undefined : 'must be a function.'),
  },
} as const satisfies SettingRows<void>;

/** Refuses wrong options before the first request (C4). */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  readOptions('http.transport', options, (node) => {
    node.refuseUnknown(Object.keys(OPTIONS));
    readAtOnce(node, OPTIONS);
    const connect = node.child('connect', 'must be an object of options for tls.connect.');
    if (connect) readAtOnce(connect, CONNECT);
  });
}

/** The options for `tls.connect`. A check of the application is added to the check of the name, and does not replace it. */
export function checkedConnectOptions({ connect = {} }: UndiciTransportOptions): ConnectOptions {
  const { checkServerIdentity: check } = connect;
  return check === undefined ? connect : { ...connect, checkServerIdentity: withNameCheck(check) };
}

export function hasCertificates({ ca, cert, key, pfx, secureContext }: ConnectOptions): boolean {
  return [ca, cert, key, pfx, secureContext].some((one) => one !== undefined);
}
