import {
  type ConnectionOptions,
  createSecureContext,
  type PeerCertificate,
  type SecureContextOptions,
} from 'node:tls';
import { readOptions, readAtOnce } from '../config/read-rows.js';
import { listOf } from '../config/rules/choice-rules.js';
import { flawOfConnection, LONGEST_TIMEOUT_MS } from '../config/rules/http-rules.js';
import { flawOfAuthorities, flawOfCertificate, flawOfContext, flawOfKey } from '../config/rules/pem-rules.js';
import type { Flaw } from '../config/rules/text-rules.js';
import { flawOfPem } from '../config/secret-sources/mounted-file.js';
import { type SettingRows, wholeNumber } from '../config/table/setting.js';
import { isPairWhole } from '../config/tls-section.js';
import { TARGETS } from '../net/certificate-checks.js';
import { withoutInherited } from '../net/pollution.js';
import { withNameCheck } from '../net/private-agent.js';

/** Options of `undiciTransport()`. */
export interface UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. More requests wait for a free one.
   * @default no limit
   */
  readonly connections?: number | undefined;
  /**
   * Options for new connections. For a private authority or a client certificate, prefer `tls`, which covers token requests
   * too.
   */
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

const OPTIONS = {
  connections: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  allowH2: {
    flawOf: () => 'is not an option: the transport uses HTTP/1.1 and does not offer HTTP/2. Leave it out.',
  },
  connect: {},
} as const satisfies SettingRows<void>;

/** The rules of `tls` and of an agent, for the options of this transport. Other members of `connect` are for `tls.connect`. */
const WITH_PASSPHRASE = {
  rejectUnauthorized: {
    flawOf: (value) => (value === false ? flawOfConnection('any-server') : undefined),
  },
  checkServerIdentity: {
    flawOf: (value) => (typeof value === 'function' ? undefined : 'must be a function.'),
  },
  ...Object.fromEntries(TARGETS.map((name) => [name, { flawOf: () => flawOfConnection('elsewhere') }])),
  // Without a limit, an attempt that gets no answer holds up all requests that wait for it.
  timeout: wholeNumber(1, LONGEST_TIMEOUT_MS, 'milliseconds'),
  ALPNProtocols: { flawOf: () => 'is not an option: the transport uses HTTP/1.1. Leave it out.' },
  ca: { flawOf: ofEach(flawOfPem(flawOfAuthorities)) },
  cert: { flawOf: ofEach(flawOfPem(flawOfCertificate)) },
} as const satisfies SettingRows<void>;

const CONNECT = {
  ...WITH_PASSPHRASE,
  // A list may have objects with a passphrase.
  key: { flawOf: (value) => (Array.isArray(value) ? undefined : flawOfPem(flawOfKey)(value)) },
} as const satisfies SettingRows<void>;

function ofEach(flawOf: (value: unknown) => Flaw) {
  return (value: unknown): Flaw => (Array.isArray(value) ? listOf(flawOf) : flawOf)(value);
}

/** Refuses wrong options before the first request (C4). */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  readOptions('http.transport', options, (node) => {
    node.refuseUnknown(Object.keys(OPTIONS));
    readAtOnce(node, OPTIONS);
    const connect = node.child('connect', 'must be an object of options for tls.connect.');
    if (connect === undefined) return;
    const right = readAtOnce(connect, connect.has('passphrase') ? WITH_PASSPHRASE : CONNECT);
    // OpenSSL finds the key of such a certificate itself.
    const isKeyElsewhere = connect.has('privateKeyIdentifier');
    if (!isKeyElsewhere)
      isPairWhole(connect, {}, { cert: connect.nameOf('cert'), key: connect.nameOf('key') });
    const flaw = flawOfContext(
      () => createSecureContext(withoutInherited({ ...options.connect, ...(right as SecureContextOptions) })),
      'Check its certificates, keys, ciphers and versions.',
    );
    if (flaw !== undefined) node.refuse('connect', flaw);
  });
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
