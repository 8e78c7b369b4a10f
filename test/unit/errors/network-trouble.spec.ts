import { describe, expect, it } from 'vitest';
import {
  certificateFlaw,
  isMatterOfTrust,
  networkTrouble,
  troubleBehindProxy,
  troubleOfProxy,
} from '../../../lib/errors/network-trouble.js';
import type { Trouble } from '../../../lib/errors/remedies.js';

const CODES: readonly (readonly [Trouble, ...string[]])[] = [
  ['expired-certificate', 'CERT_HAS_EXPIRED'],
  ['future-certificate', 'CERT_NOT_YET_VALID'],
  ['wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'],
  [
    'untrusted-certificate',
    'CERT_REVOKED',
    'ERR_TLS_CERT_ALTNAME_FORMAT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_CRL',
    'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
    'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
    'CRL_HAS_EXPIRED',
  ],
  ['client-certificate', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  [
    'refused-client-certificate',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
  ],
  ['http2-only', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'],
  ['no-tls', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ['unknown-host', 'ENOTFOUND'],
  ['name-server', 'EAI_AGAIN'],
  ['refused-connection', 'ECONNREFUSED'],
  ['no-route', 'EHOSTUNREACH', 'ENETUNREACH'],
  ['no-connection', 'ETIMEDOUT'],
  ['broken-off', 'ECONNRESET', 'EPIPE'],
  ['no-http', 'HPE_INVALID_CONSTANT'],
  // Codes that only contain the name of a family, and a name of each object.
  ['unreachable', 'MY_CERT_LOST', 'MY_ERR_SSL_X', 'MY_EAI_X', 'MY_HPE_X', 'constructor'],
  ['no-tls', 'ERR_SSL_ALERT_UNKNOWN_CA_X', 'ERR_SSL_ALERT_NO_APPLICATION_PROTOCOL_X'],
  ['refused-client-certificate', 'ERR_SSL_ALERT_CERTIFICATE_REQUIRED_X'],
];

it.each(CODES.flatMap(([trouble, ...codes]) => codes.map((code) => [trouble, code] as const)))(
  'B29: names the cause of a failure by its code: %s, by %s',
  (trouble, code) => {
    expect(networkTrouble(code)).toBe(trouble);
  },
);

it('B29: a failure without a code is one of the network', () => {
  expect(networkTrouble(undefined)).toBe('unreachable');
});

it('B13: a certificate that is not trusted is the same at the next attempt', () => {
  const ofTrust = CODES.map(([trouble]) => trouble).filter(isMatterOfTrust);
  expect(ofTrust).toEqual([
    'expired-certificate',
    'future-certificate',
    'wrong-name',
    'untrusted-certificate',
  ]);
});

describe('B29: behind a proxy', () => {
  it.each<[Trouble, Trouble]>([
    ['unknown-host', 'proxy'],
    ['name-server', 'proxy'],
    ['refused-connection', 'proxy'],
    ['no-route', 'proxy'],
    ['no-connection', 'proxy'],
    ['unanswered', 'unanswered-by-proxy'],
    ['no-tls', 'no-tls-by-proxy'],
    ['expired-certificate', 'expired-certificate'],
    ['broken-off', 'broken-off'],
  ])('%s is the problem %s', (trouble, behind) => {
    expect(troubleBehindProxy(trouble, true)).toBe(behind);
    expect(troubleBehindProxy(trouble, false)).toBe(trouble);
  });

  it('an invalid URL is that of the proxy', () => {
    expect(troubleBehindProxy('unreachable', true, 'ERR_INVALID_URL')).toBe('proxy');
    // `NO_PROXY` and an invalid value hide the proxy from the doctor.
    expect(troubleBehindProxy('unreachable', false, 'ERR_INVALID_URL')).toBe('proxy');
    expect(troubleBehindProxy('unreachable', true, 'Z_DATA_ERROR')).toBe('unreachable');
  });
});

describe('what is wrong with a certificate', () => {
  const [PAST, FUTURE] = ['Jan  2 10:00:00 2020 GMT', 'Jan  2 10:00:00 2320 GMT'];

  it.each<[Trouble, string, string | undefined, string | undefined]>([
    ['expired-certificate', 'expired on 2020-01-02', undefined, PAST],
    [
      'expired-certificate',
      'has not expired, but a certificate above it in the chain has',
      undefined,
      FUTURE,
    ],
    ['expired-certificate', 'or that of an authority above it has expired', undefined, undefined],
    ['future-certificate', 'is not valid before 2320-01-02', FUTURE, undefined],
    ['future-certificate', 'is valid, but that of an authority above it is not valid yet', PAST, undefined],
    ['future-certificate', 'or that of an authority above it is not valid yet', undefined, undefined],
    ['wrong-name', 'is for another host name', PAST, PAST],
    ['untrusted-certificate', 'is not trusted', PAST, PAST],
  ])('B29: %s: %s', (trouble, flaw, from, to) => {
    const certificate =
      from === undefined && to === undefined ? undefined : { valid_from: from ?? '', valid_to: to ?? '' };
    expect(certificateFlaw(certificate, trouble)).toBe(flaw);
  });
});

it('B29: a proxy that answers 407 wants credentials, any other status is a refusal', () => {
  expect([407, 403, 503].map(troubleOfProxy)).toEqual([
    'proxy-credentials',
    'proxy-refusal',
    'proxy-refusal',
  ]);
});
