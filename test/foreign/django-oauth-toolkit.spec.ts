import { beforeAll, describe } from 'vitest';
import { DjangoOauthToolkit } from '../support/authorization-servers/django-oauth-toolkit.js';
import {
  itGetsAlongWith,
  itRecoversFromRevocationAt,
  type Particulars,
} from '../e2e/authorization-servers/cases.js';

describe('Django OAuth Toolkit', () => {
  let server: DjangoOauthToolkit;

  beforeAll(async () => {
    server = await DjangoOauthToolkit.start();
    return () => server.close();
  }, 60_000);

  const particulars: Particulars = {
    server: () => server,
    odd: '&=+% "\\/?#~;ü秘🔑',
    refusal: { status: 401, oauthError: 'invalid_client' },
  };

  itGetsAlongWith(particulars);
  itRecoversFromRevocationAt(particulars);
});
