import { beforeAll, describe } from 'vitest';
import { DjangoOauthToolkit } from '../../support/authorization-servers/django-oauth-toolkit.js';
import { testWorksWith, testRecoversFromRevocationAt, type ServerTraits } from './cases.js';

describe('Django OAuth Toolkit', () => {
  let server: DjangoOauthToolkit;

  beforeAll(async () => {
    server = await DjangoOauthToolkit.start();
    return () => server.close();
  }, 60_000);

  const traits: ServerTraits = {
    server: () => server,
    odd: '&=+% "\\/?#~;ü秘🔑',
    refusal: { status: 401, oauthError: 'invalid_client' },
  };

  testWorksWith(traits);
  testRecoversFromRevocationAt(traits);
});
