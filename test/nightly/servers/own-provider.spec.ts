import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Agent } from 'node:https';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defineProvider, TokenRequestError } from '../../../lib/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { OidcAuthority } from '../../support/authorization-servers/oidc-authority.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const partner = defineProvider({
  name: 'partner',
  environments: ['test'],
  interfaces: {
    basic: { tokenPath: /\/oauth2\/token$/, clientAuth: 'basic' },
    signed: { tokenPath: /\/oauth2\/token$/, clientAuth: 'private_key_jwt', resource: 'https://api.example' },
  },
});

/** Characters that careless encoding breaks (RFC 6749 2.3.1). */
const ODD = '&=+% :/"';

const certificate = issueServerCertificate('trusted');
let authority: OidcAuthority;

beforeAll(async () => {
  authority = await OidcAuthority.start('/oauth2/token', 'jwt', certificate);
});

afterAll(() => authority.close());

type Options = Parameters<typeof partner.Module.forRoot>[0];

async function tokensOf(interfaces: Options['interfaces']) {
  const httpsAgent = new Agent({ ca: certificate.ca });
  const module = partner.Module.forRoot({ environment: 'test', interfaces, http: { httpsAgent } });
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  const [tokens] = app.get(partner.Service).providers();
  if (tokens === undefined) throw new Error('There is one provider.');
  return tokens;
}

describe('B24: oidc-provider', () => {
  it('B24: accepts client_secret_basic, with any characters in the secret', async () => {
    const [clientId, clientSecret] = [`shop-${randomUUID()}`, `${ODD}${randomUUID()}`];
    await authority.register(
      { clientId, clientSecret, lifetimeSeconds: 60 },
      { token_endpoint_auth_method: 'client_secret_basic' },
    );
    const test = { tokenUrl: authority.tokenUrl, baseUrl: 'https://api.example', clientId, clientSecret };
    const tokens = await tokensOf({ basic: { test } });
    expect(await authority.holderOf((await tokens.getToken()).reveal())).toBe(clientId);
    const refused = await tokensOf({ basic: { test: { ...test, clientSecret: 'another secret' } } });
    expect(await errorOf(refused.getToken())).toMatchObject({
      code: 'TOKEN_REJECTED',
      oauthError: 'invalid_client',
    });
  });

  it.each([
    ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['EdDSA', () => generateKeyPairSync('ed25519')],
  ] as const)('B24: accepts private_key_jwt with %s, and each assertion once', async (alg, make) => {
    const { publicKey, privateKey } = make();
    const clientId = `shop-${randomUUID()}`;
    await authority.register(
      { clientId, clientSecret: randomUUID(), lifetimeSeconds: 60 },
      {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: alg,
        jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig', alg }] },
      },
    );
    const test = {
      tokenUrl: authority.tokenUrl,
      baseUrl: 'https://api.example',
      clientId,
      clientKey: privateKey,
      keyId: 'key-1',
    };
    const tokens = await tokensOf({ signed: { test } });
    const first = await tokens.getToken();
    expect(await authority.holderOf(first.reveal())).toBe(clientId);
    expect(await authority.holderOf((await tokens.renew(first)).reveal())).toBe(clientId);
    expect(await authority.seen(clientId)).toEqual({ granted: 2, refused: 0 });
    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const refused = await tokensOf({ signed: { test: { ...test, clientKey: another } } });
    const error = await errorOf(refused.getToken());
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(error).toMatchObject({
      code: 'TOKEN_REJECTED',
      oauthError: 'invalid_client',
      provider: 'partner',
    });
  });
});
