import type { PeerCertificate } from 'node:tls';
import type { Trouble } from './remedies.js';

/** Codes of Node with exactly one meaning. */
const BY_CODE: Readonly<Record<string, Trouble>> = {
  CERT_HAS_EXPIRED: 'expired-certificate',
  CERT_NOT_YET_VALID: 'future-certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
  HOSTNAME_MISMATCH: 'wrong-name',
  ENOTFOUND: 'unknown-host',
  ECONNREFUSED: 'refused-connection',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  ETIMEDOUT: 'no-connection',
  ECONNRESET: 'broken-off',
  EPIPE: 'broken-off',
  EPROTO: 'no-tls',
};

/** Families of codes. The first match counts. */
const BY_FAMILY: readonly (readonly [RegExp, Trouble])[] = [
  [
    /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF|GET_CRL|DECRYPT|DECODE)|DEPTH_ZERO_SELF|SELF_SIGNED|INVALID_(CA|PURPOSE)|PATH_LENGTH|CRL_)/,
    'untrusted-certificate',
  ],
  [/ALERT_CERTIFICATE_REQUIRED$/, 'client-certificate'],
  [/ALERT_(UNKNOWN_CA|(BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_\w+)$/, 'refused-client-certificate'],
  [/ALERT_NO_APPLICATION_PROTOCOL$/, 'http2-only'],
  [/^ERR_SSL_/, 'no-tls'],
  [/^EAI_/, 'name-server'],
  [/^HPE_/, 'no-http'],
];

/** What went wrong between this process and a server, by the code of Node's error. */
export function networkTrouble(code = ''): Trouble {
  const named = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return named ?? BY_FAMILY.find(([family]) => family.test(code))?.[1] ?? 'unreachable';
}

/** The troubles of trust. What is wrong with the certificate, if it is not at hand. */
const FLAWS: Partial<Record<Trouble, string>> = {
  'untrusted-certificate': 'is not trusted',
  'expired-certificate': 'or that of an authority above it has expired',
  'future-certificate': 'or that of an authority above it is not valid yet',
  'wrong-name': 'is for another host name',
};

/** Whether the certificate is the problem. Another attempt would get the same certificate. */
export function isMatterOfTrust(trouble: Trouble): boolean {
  return Object.hasOwn(FLAWS, trouble);
}

/** The certificate of an authority may be the one that has expired. Then the day of the server's certificate says nothing. */
export function certificateFlaw(
  certificate: Pick<PeerCertificate, 'valid_from' | 'valid_to'> | undefined,
  trouble: Trouble,
): string {
  // Without a text the date is invalid: neither past nor future.
  const { valid_from: start = '', valid_to: end = '' } = certificate ?? {};
  const [from, to, now] = [new Date(start), new Date(end), new Date()];
  if (trouble === 'expired-certificate') {
    if (to < now) return `expired on ${dayOf(to)}`;
    if (to > now) return 'has not expired, but a certificate above it in the chain has';
  }
  if (trouble === 'future-certificate') {
    if (from > now) return `is not valid before ${dayOf(from)}`;
    if (from < now) return 'is valid, but that of an authority above it is not valid yet';
  }
  return FLAWS[trouble] ?? 'is not trusted';
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** @param status with which a proxy answered in place of the server. Undefined if the proxy gave no answer. */
export function troubleOfProxy(status: number | undefined): Trouble {
  if (status === undefined) return 'proxy';
  return status === 407 ? 'proxy-credentials' : 'proxy-refusal';
}

const OF_CONNECTING: ReadonlySet<Trouble> = new Set([
  'unknown-host',
  'name-server',
  'refused-connection',
  'no-route',
  'no-connection',
]);

/**
 * The same problem if the request goes through a proxy: this process connects only to the proxy.
 *
 * @param code that of Node's error.
 */
export function troubleBehindProxy(trouble: Trouble, hasProxy: boolean, code?: string): Trouble {
  // The URL of the request was checked, so the URL of the proxy is invalid.
  if (code === 'ERR_INVALID_URL') return 'proxy';
  if (!hasProxy) return trouble;
  if (trouble === 'unanswered') return 'unanswered-by-proxy';
  if (trouble === 'no-tls') return 'no-tls-by-proxy';
  return OF_CONNECTING.has(trouble) ? 'proxy' : trouble;
}
