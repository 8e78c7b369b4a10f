import { describe } from 'vitest';
import { EXPIRED_AUTHORITY } from '../../support/application/simulator.js';
import { itNamesTheStep, TOKEN_URL } from './doctor-cases.js';

describe('provider-auth doctor', () => {
  itNamesTheStep({
    'a wrong path': {
      env: ({ origin }) => ({ [TOKEN_URL]: `${origin}/elsewhere/auth/v0/connect/token` }),
      step: 'token-request',
      code: 'TOKEN_REJECTED',
      says: [/status 404/, /Compare the path in PROVIDER_EASY_SANDBOX_TOKEN_URL/],
    },
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
    'a proxy that is not there': {
      env: () => ({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: undefined }),
      step: 'tcp',
      code: 'ECONNREFUSED',
      says: [/no connection to the proxy 127\.0\.0\.1:1/, /Check HTTPS_PROXY/],
    },
    'an endpoint that never answers': {
      script: (provider) => provider.token.hang(),
      step: 'token-request',
      code: 'TOKEN_UNAVAILABLE',
      says: [/did not answer completely within 5000 ms/, /raise token\.timeoutMs/],
    },
    'an endpoint that speaks no HTTP': {
      script: (provider) => provider.token.garbage(),
      step: 'token-request',
      code: 'TOKEN_UNAVAILABLE',
      says: [/HPE_INVALID_CONSTANT/, /does not speak HTTP/],
    },
    'a login page instead of an answer': {
      script: (provider) => provider.token.body('<html>Please log in</html>'),
      step: 'token-request',
      code: 'TOKEN_RESPONSE_INVALID',
      says: [/is not a JSON object/, /a login page may answer/],
    },
    'a redirect': {
      script: (provider) => provider.token.redirect('https://elsewhere.invalid/oauth/token'),
      step: 'token-request',
      code: 'TOKEN_RESPONSE_INVALID',
      says: [
        /redirected with status 302/,
        /Set the token URL \(PROVIDER_EASY_SANDBOX_TOKEN_URL\) to the final address/,
      ],
    },
    'a server in trouble': {
      script: (provider) => provider.token.status(503),
      step: 'token-request',
      code: 'TOKEN_UNAVAILABLE',
      says: [/status 503/, /Wait for the provider/],
    },
  });
});
