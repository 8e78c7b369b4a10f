import { describe } from 'vitest';
import { EXPIRED_AUTHORITY } from '../../support/application/simulator.js';
import { itNamesTheStep } from '../../e2e/operations/doctor-cases.js';

describe('provider-auth doctor', () => {
  itNamesTheStep({
    'an expired certificate': {
      simulator: { certificate: 'expired' },
      step: 'tls',
      code: 'CERT_HAS_EXPIRED',
      says: [
        /issued by Provider Simulator CA, expired on 2001-01-01, \d+ days ago/,
        /Report this to the provider/,
      ],
    },
    'an expired certificate of the authority': {
      simulator: { authority: EXPIRED_AUTHORITY },
      step: 'tls',
      code: 'CERT_HAS_EXPIRED',
      says: [
        /issued by Provider Simulator CA, has not expired, but a certificate above it in the chain has/,
        /If your own authority's certificate has expired, put the new one into/,
      ],
    },
    'a certificate of another host': {
      simulator: { certificate: 'wrong-host' },
      step: 'tls',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      says: [/is for somewhere-else\.invalid, not for this host/, /Compare the host of the token URL/],
    },
    'a self-signed certificate': {
      simulator: { certificate: 'self-signed' },
      step: 'tls',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      says: [/is not trusted/, /do not trust the certificate/],
    },
  });
});
