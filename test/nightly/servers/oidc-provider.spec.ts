import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import type { HttpService } from '@nestjs/axios';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  defineProvider,
  getProviderHttpToken,
  getTokenProviderToken,
  ProviderAuthModule,
  type TokenProvider,
  TokenRequestError,
} from '../../../lib/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { bootWith } from '../../support/application/boot.js';
import { ALL_PAIRS } from '../../support/application/simulator.js';
import {
  OidcAuthority,
  type RegisteredClient,
  type TokenFormat,
} from '../../support/authorization-servers/oidc-authority.js';
import { type SeenRequest, WireServer } from '../../support/http/wire-server.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type Pair = (typeof ALL_PAIRS)[number];

/** Characters that careless encoding breaks (RFC 6749 2.3.1 and appendix A, which allows only ASCII). */
const ODD = '&=+% :"\\/?#~;';

const MANY = 20;

const newClient = (): RegisteredClient => ({
  clientId: `${ODD}${randomUUID()}`,
  clientSecret: `${ODD}${randomUUID()}${ODD}`,
  lifetimeSeconds: 60,
});

/** An authorization server and its certificate. Both end with the test. */
async function startAuthority(tokenPath: string, format: TokenFormat = 'jwt') {
  const certificate = issueServerCertificate('trusted');
  const authority = await OidcAuthority.start(tokenPath, format, certificate);
  onTestFinished(() => authority.close());
  return { authority, ca: certificate.ca };
}

/** An application with one client of the provider, and an API that serves only the tokens which oidc-provider gave this client. */
async function startTrial(
  [name, environment]: Pair,
  client: RegisteredClient,
  format: TokenFormat = 'jwt',
  clientSecret: string | (() => string) = client.clientSecret,
) {
  const path = name === 'originations' ? '/oauth/token' : '/auth/v0/connect/token';
  const { authority, ca } = await startAuthority(path, format);
  authority.register(client);
  const api = await WireServer.start();
  onTestFinished(() => api.close());
  const calls: { token: string; body: string; status: number }[] = [];
  const answer = async (response: ServerResponse, { headers, body }: SeenRequest): Promise<void> => {
    const token = String(headers.authorization).replace(/^Bearer /, '');
    const status = (await authority.holderOf(token)) === client.clientId ? 200 : 401;
    calls.push({ token, body: body.toString(), status });
    response.writeHead(status).end();
  };
  api.handler = (_, response, request) => void answer(response, request);
  const httpsAgent = new Agent({ ca: [ca, api.ca] });
  const { tokenUrl } = authority;
  const settings = { baseUrl: api.url, clientId: client.clientId, clientSecret };
  // One token URL serves all environments of originations.
  const interfaces =
    name === 'originations'
      ? { originations: { tokenUrl, [environment]: settings } }
      : { easy: { [environment]: { tokenUrl, ...settings } } };
  const { app } = await bootWith([
    ProviderAuthModule.forRoot({
      environment,
      interfaces,
      http: { httpsAgent },
    }),
  ]);
  const http = app.get<HttpService>(getProviderHttpToken(name, environment));
  return {
    authority,
    calls,
    tokens: app.get<TokenProvider>(getTokenProviderToken(name, environment)),
    manyCalls: () =>
      Promise.allSettled(
        Array.from({ length: MANY }, (_, index) => lastValueFrom(http.post('/payments', { index }))),
      ),
    /** Expects that each of many calls was served exactly once, with its own body. */
    expectAllServed: () => {
      const served = calls.filter(({ status }) => status === 200).map(({ body }) => body);
      const sent = Array.from({ length: MANY }, (_, index) => JSON.stringify({ index }));
      expect(served.toSorted()).toEqual(sent.toSorted());
    },
  };
}

describe('oidc-provider and the built-in provider', () => {
  // A JWT is valid until it expires. The server does not revoke a JWT.
  it.each(ALL_PAIRS)(
    'C1 B1 S1 S2 S3 S4: serves 20 callers of %s %s at once, with any characters in id and secret',
    async (...pair) => {
      const client = newClient();
      const { authority, calls, manyCalls, expectAllServed } = await startTrial(pair, client);
      await manyCalls();
      expectAllServed();
      expect(authority.seen(client.clientId)).toEqual({ granted: 1, refused: 0 });
      expect(new Set(calls.map(({ token }) => token)).size).toBe(1);
    },
  );

  it.each(ALL_PAIRS)(
    'S8 S11: an expired token of %s %s is replaced by one other token for 20 callers',
    async (...pair) => {
      const client = { ...newClient(), lifetimeSeconds: 2 };
      const { authority, calls, tokens, manyCalls, expectAllServed } = await startTrial(pair, client);
      const first = (await tokens.getToken()).reveal();
      await vi.waitUntil(() => tokens.status().state === 'expired', { timeout: 20_000 });
      // The server counts whole seconds, so it may accept the token for a moment longer.
      await vi.waitUntil(async () => (await authority.holderOf(first)) === undefined, { timeout: 20_000 });
      // The next token outlives the test, even on a slow machine.
      authority.register({ ...client, lifetimeSeconds: 60 });
      await manyCalls();
      expectAllServed();
      expect(authority.seen(client.clientId)).toEqual({ granted: 2, refused: 0 });
      expect(calls).toHaveLength(MANY);
    },
  );

  it.each(ALL_PAIRS)(
    'B2 B4 C3: a revoked token of %s %s is renewed once for 20 callers, who all succeed',
    async (...pair) => {
      const client = newClient();
      const { authority, calls, tokens, manyCalls, expectAllServed } = await startTrial(
        pair,
        client,
        'opaque',
      );
      const first = (await tokens.getToken()).reveal();
      expect(await authority.holderOf(first)).toBe(client.clientId);
      await authority.revoke(first, client);
      expect(await authority.holderOf(first)).toBeUndefined();
      await manyCalls();
      expectAllServed();
      expect(authority.seen(client.clientId)).toEqual({ granted: 2, refused: 0 });
      const refused = calls.filter(({ status }) => status === 401).map(({ token }) => token);
      expect(refused.length).toBeGreaterThan(1);
      expect(new Set(refused)).toEqual(new Set([first]));
    },
  );

  it.each(ALL_PAIRS)('B7 S7: a wrong secret costs 20 callers of %s %s one request', async (...pair) => {
    const client = newClient();
    const { authority, calls, manyCalls } = await startTrial(pair, client, 'jwt', `${ODD}never-issued`);
    for (const ended of [...(await manyCalls()), ...(await manyCalls())]) {
      const reason: unknown = ended.status === 'rejected' && ended.reason;
      expect(reason).toBeInstanceOf(TokenRequestError);
      expect(reason).toMatchObject({ code: 'TOKEN_REJECTED', status: 401, oauthError: 'invalid_client' });
    }
    expect(authority.seen(client.clientId)).toEqual({ granted: 0, refused: 1 });
    expect(calls).toEqual([]);
  });

  it('B8: a secret that is rotated while the application runs reaches it through a function', async () => {
    let client = newClient();
    const trial = await startTrial(['easy', 'sandbox'], client, 'jwt', () => client.clientSecret);
    const first = await trial.tokens.getToken();
    client = { ...client, clientSecret: `${client.clientSecret}-rotated` };
    trial.authority.register(client);
    expect((await trial.tokens.renew(first)).reveal()).not.toBe(first.reveal());
    expect(trial.authority.seen(client.clientId)).toEqual({ granted: 2, refused: 0 });
  });
});

const partner = defineProvider({
  name: 'partner',
  environments: ['test'],
  interfaces: {
    basic: { tokenPath: /\/oauth2\/token$/, clientAuth: 'basic' },
    signed: { tokenPath: /\/oauth2\/token$/, clientAuth: 'private_key_jwt', resource: 'https://api.example' },
  },
});

type Interfaces = Parameters<typeof partner.Module.forRoot>[0]['interfaces'];

async function tokensOf(ca: string, interfaces: Interfaces) {
  const httpsAgent = new Agent({ ca });
  const { app } = await bootWith([
    partner.Module.forRoot({ environment: 'test', interfaces, http: { httpsAgent } }),
  ]);
  const [tokens] = app.get(partner.Service).providers();
  if (tokens === undefined) throw new Error('There is one provider.');
  return tokens;
}

describe('oidc-provider and an own definition', () => {
  it('B24: accepts client_secret_basic, with any characters in id and secret', async () => {
    const { authority, ca } = await startAuthority('/oauth2/token');
    const client = newClient();
    authority.register(client, { token_endpoint_auth_method: 'client_secret_basic' });
    const { clientId, clientSecret } = client;
    const test = { tokenUrl: authority.tokenUrl, baseUrl: 'https://api.example', clientId, clientSecret };
    const tokens = await tokensOf(ca, { basic: { test } });
    expect(await authority.holderOf((await tokens.getToken()).reveal())).toBe(clientId);
    const refused = await tokensOf(ca, { basic: { test: { ...test, clientSecret: 'another secret' } } });
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
    const { authority, ca } = await startAuthority('/oauth2/token');
    const { publicKey, privateKey } = make();
    const client = newClient();
    authority.register(client, {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: alg,
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig', alg }] },
    });
    const { clientId } = client;
    const test = {
      tokenUrl: authority.tokenUrl,
      baseUrl: 'https://api.example',
      clientId,
      clientKey: privateKey,
      keyId: 'key-1',
    };
    const tokens = await tokensOf(ca, { signed: { test } });
    const first = await tokens.getToken();
    expect(await authority.holderOf(first.reveal())).toBe(clientId);
    expect(await authority.holderOf((await tokens.renew(first)).reveal())).toBe(clientId);
    expect(authority.seen(clientId)).toEqual({ granted: 2, refused: 0 });
    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const refused = await tokensOf(ca, { signed: { test: { ...test, clientKey: another } } });
    const error = await errorOf(refused.getToken());
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(error).toMatchObject({
      code: 'TOKEN_REJECTED',
      oauthError: 'invalid_client',
      provider: 'partner',
    });
  });
});
