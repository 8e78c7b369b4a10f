import { beforeAll, describe } from 'vitest';
import { OidcProvider } from '../../support/authorization-servers/oidc-provider.js';
import type { TokenFormat } from '../../support/authorization-servers/oidc-authority.js';
import { testWorksWith, testRecoversFromRevocationAt, type ServerTraits } from './cases.js';

function startedWith(format: TokenFormat): ServerTraits {
  let provider: OidcProvider;
  beforeAll(async () => {
    provider = await OidcProvider.start(format);
    return () => provider.close();
  });
  return {
    server: () => provider,
    // oidc-provider follows RFC 6749, appendix A, which allows only ASCII.
    odd: '&=+% "\\/?#~;',
    refusal: { status: 401, oauthError: 'invalid_client' },
  };
}

// A JWT is valid until it expires. The server does not revoke a JWT.
describe('oidc-provider, with JWTs that the API verifies', () => {
  testWorksWith(startedWith('jwt'));
});

describe('oidc-provider, with tokens that the API introspects', () => {
  testRecoversFromRevocationAt(startedWith('opaque'));
});
