import { describe, expect, it } from 'vitest';
import { certificateFailure, handshakeFailure } from '../../../../lib/cli/steps/tls-failures.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/remedies.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

const NO_DATES = { valid_from: '', valid_to: '' };
const EXPIRED = { valid_from: '', valid_to: 'Nov  2 00:00:00 2025 GMT' };
const BEGUN = { valid_from: 'Nov  2 00:00:00 2025 GMT', valid_to: '' };
const FACTS = { issuer: 'Example CA', names: ['one.example', 'two.example'] };

describe('a certificate that Node refused', () => {
  it.each<[string, object, object, Trouble, string]>([
    [
      'CERT_HAS_EXPIRED',
      EXPIRED,
      { daysLeft: -1 },
      'expired-certificate',
      ', expired on 2025-11-02, 1 day ago',
    ],
    [
      'CERT_HAS_EXPIRED',
      EXPIRED,
      { daysLeft: -2 },
      'expired-certificate',
      ', expired on 2025-11-02, 2 days ago',
    ],
    ['CERT_HAS_EXPIRED', EXPIRED, { daysLeft: 0 }, 'expired-certificate', ', expired on 2025-11-02'],
    ['CERT_HAS_EXPIRED', EXPIRED, {}, 'expired-certificate', ', expired on 2025-11-02'],
    [
      'CERT_NOT_YET_VALID',
      BEGUN,
      { daysLeft: -2 },
      'future-certificate',
      ', is valid, but that of an authority above it is not valid yet',
    ],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NO_DATES, {}, 'untrusted-certificate', ', is not trusted'],
    // No family of certificate codes has this one, but Node gave it for the certificate.
    ['UNKNOWN', EXPIRED, { daysLeft: -2 }, 'untrusted-certificate', ', is not trusted'],
  ])('B29: has its flaw named: %s, %j, %j', (code, dates, more, trouble, flaw) => {
    const facts = { ...FACTS, ...more };
    expect(certificateFailure(code, { ...NO_DATES, ...dates }, facts, profileOf(), 'baseUrl')).toEqual({
      status: 'failed',
      code,
      detail: `the certificate, issued by Example CA${flaw} (${code})`,
      advice: remedyOf(trouble, profileOf(), 'baseUrl'),
    });
  });

  it.each([
    [FACTS.names, 'one.example, two.example'],
    [[], 'no host at all'],
  ])('B29: has its hosts named, if it is for other hosts: %j', (names, hosts) => {
    const code = 'ERR_TLS_CERT_ALTNAME_INVALID';
    const facts = { ...FACTS, names, daysLeft: -2 };
    expect(certificateFailure(code, NO_DATES, facts, profileOf(), 'tokenUrl')).toEqual({
      status: 'failed',
      code,
      detail: `the certificate is for ${hosts}, not for this host (${code})`,
      advice: remedyOf('wrong-name', profileOf(), 'tokenUrl'),
    });
  });
});

describe('a handshake that failed', () => {
  it.each<[string | undefined, boolean, Trouble]>([
    ['ECONNRESET', false, 'broken-off'],
    ['ECONNRESET', true, 'refused-client-certificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', true, 'client-certificate'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', true, 'no-tls'],
    // The connection was open before.
    ['ESOMETHING', true, 'no-tls'],
    [undefined, false, 'no-tls'],
  ])(
    'B29: is explained by its code, and by whether it may be the client certificate: %s, %s',
    (code, mayBeRefused, trouble) => {
      const pair = profileOf();
      expect(handshakeFailure(code, 1_500, { pair, address: 'baseUrl', mayBeRefused })).toEqual({
        status: 'failed',
        code: code ?? 'UNKNOWN',
        detail: `the TLS handshake failed (${code ?? 'UNKNOWN'})`,
        advice: remedyOf(trouble, pair, 'baseUrl'),
      });
    },
  );

  it('B29: took too long if the server does not speak TLS', () => {
    const pair = profileOf();
    const failed = { pair, address: 'tokenUrl', mayBeRefused: true } as const;
    expect(handshakeFailure('ETIMEDOUT', 1_500, failed)).toEqual({
      status: 'failed',
      code: 'ETIMEDOUT',
      detail: 'no TLS handshake within 1500 ms (ETIMEDOUT)',
      advice: remedyOf('no-tls', pair, 'tokenUrl'),
    });
  });
});
