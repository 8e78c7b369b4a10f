import { beforeAll, describe } from 'vitest';
import { OidcProvider } from '../../support/authorization-servers/oidc-provider.js';
import type { TokenFormat } from '../../support/authorization-servers/oidc-authority.js';
import { itGetsAlongWith, itRecoversFromRevocationAt, type Particulars } from './cases.js';

function startedWith(format: TokenFormat): Particulars {
  let provider: OidcProvider;
  beforeAll(async () => {
    provider = await OidcProvider.start(format);
    return () => provider.close();
  });
  return {
    server: () => provider,
    // It keeps to RFC 6749 appendix A, which allows nothing beyond ASCII.
    odd: '&=+% "\\/?#~;',
    refusal: { status: 401, oauthError: 'invalid_client' },
  };
}

// A JWT is good until it expires: the server itself declines to revoke one.
describe('oidc-provider with JWTs that the API verifies', () => {
  itGetsAlongWith(startedWith('jwt'));
});

describe('oidc-provider with tokens that the API has introspected', () => {
  itRecoversFromRevocationAt(startedWith('opaque'));
});
