import { createHash, createPublicKey, generateKeyPairSync, randomUUID, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import type { HttpService } from '@nestjs/axios';
import { isAxiosError } from 'axios';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import {
  type DefinedProvider,
  defineProvider,
  type InterfaceDefinition,
  TokenRequestError,
} from '../../../lib/index.js';
import { partsOf } from '../../../lib/module/parts.js';
import { type Play, PlayedProvider } from '../../support/authorization-servers/played-provider.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { codeBlocksOf } from '../../support/package/code-blocks.js';
import { textOfPage } from '../../support/package/manual-pages.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { bootWith } from '../../support/application/boot.js';

/*
 * Each definition of docs/providers.md as it stands there, against a server that plays the provider: the form and the
 * authentication that its documentation demands, its answer, and its refusals. `jose` checks the assertions.
 */

type Definition = DefinedProvider<Readonly<Record<string, InterfaceDefinition>>, string>;

/** How a definition is used, and how its provider behaves. */
interface Case {
  /** The credentials in the options. */
  readonly credentials?: (origin: string) => object;
  readonly play: (origin: string) => Partial<Play> & Pick<Play, 'form'>;
}

const ID = 'client-of-test';
const SECRET = `canary-${randomUUID()}`;
const opaque = (n: number): string =>
  `canary-${n}-${createHash('sha256').update(`${SECRET}${n}`).digest('hex')}`;
const basic = `Basic ${Buffer.from(`${ID}:${SECRET}`).toString('base64')}`;
const THUMBPRINT = 'x5t#S256';
const FORM = { grant_type: 'client_credentials' };
const POST = { ...FORM, client_id: ID, client_secret: SECRET };

const usual = (token: string) => ({ access_token: token, token_type: 'Bearer', expires_in: 3_600 });
const REFUSAL = { status: 401, body: { error: 'invalid_client' } };
const EXPIRED = { status: 401, body: { error: 'invalid_token' } };

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecPem = ec.privateKey.export({ format: 'pem', type: 'pkcs8' });

const rsa = await rsaClient();
const blocks = await codeBlocksOf('docs/providers.md');
const definitions = blocks.flatMap(({ name, language, text }) =>
  language === 'ts' && name !== undefined ? [[name, definitionIn(text)] as const] : [],
);

/** The definition of a block. Apart from `import` and `export`, the block is JavaScript. */
function definitionIn(text: string): Definition {
  const code = text.replace(/^import .*$/m, '').replace(/export const \w+ =/, 'return');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of the page, unchanged
  return (new Function('defineProvider', code) as (define: typeof defineProvider) => Definition)(
    defineProvider,
  );
}

/** An RSA key and its certificate, as one uploads to Entra ID. */
async function rsaClient(): Promise<{ readonly key: string; readonly certificate: string }> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const certificate = await (await ClientAuthority.create()).certify('client', privateKey);
  return { key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), certificate };
}

/** Checks an assertion as the provider would. */
const verifiedBy =
  (key: () => Parameters<typeof createPublicKey>[0], audience: string, header: () => object) =>
  async (assertion: string): Promise<void> => {
    const { payload } = await jwtVerify(assertion, createPublicKey(key()), {
      audience,
      issuer: ID,
      subject: ID,
      requiredClaims: ['jti', 'iat', 'exp'],
      maxTokenAge: 300,
    });
    expect(payload.aud).toBe(audience);
    expect(decodeProtectedHeader(assertion)).toEqual(header());
  };

const byKey =
  (audienceOf: (origin: string) => string, typ: string, form: object = {}) =>
  (origin: string) => ({
    form: { ...FORM, client_id: ID, ...form },
    verify: verifiedBy(
      () => ecPem,
      audienceOf(origin),
      () => ({ alg: 'ES256', typ, kid: 'key-7' }),
    ),
  });

const withKey = (issuerOf: (origin: string) => string) => (origin: string) => ({
  clientKey: ecPem,
  keyId: 'key-7',
  issuer: issuerOf(origin),
});

const CASES: Readonly<Record<string, Case>> = {
  auth0: {
    play: () => ({
      form: { ...POST, audience: 'https://orders.example' },
      grant: (token) => ({ ...usual(token), scope: 'read:orders', expires_in: 86_400 }),
      refusal: { status: 401, body: { error: 'access_denied', error_description: 'Unauthorized' } },
    }),
  },
  'auth0-key': {
    credentials: withKey((origin) => `${origin}/`),
    play: byKey((origin) => `${origin}/`, 'JWT', { audience: 'https://orders.example' }),
  },
  keycloak: {
    play: () => ({
      form: FORM,
      basic,
      grant: (token) => ({
        ...usual(token),
        expires_in: 300,
        refresh_expires_in: 0,
        'not-before-policy': 0,
        scope: 'email profile',
      }),
      refusal: {
        status: 401,
        body: {
          error: 'unauthorized_client',
          error_description: 'Invalid client or Invalid client credentials',
        },
      },
    }),
  },
  'keycloak-key': {
    credentials: withKey((origin) => `${origin}/realms/shop`),
    play: byKey((origin) => `${origin}/realms/shop`, 'JWT'),
  },
  entra: {
    play: () => ({
      form: { ...POST, scope: 'api://orders.example/.default' },
      grant: (token) => ({ ...usual(token), expires_in: 3_599, ext_expires_in: 3_599 }),
      refusal: {
        status: 401,
        body: { error: 'invalid_client', error_description: 'AADSTS7000215', error_codes: [7_000_215] },
      },
    }),
  },
  'entra-certificate': {
    credentials: () => ({ clientKey: rsa.key, clientCertificate: rsa.certificate }),
    play: (origin) => ({
      form: { ...FORM, client_id: ID, scope: 'api://orders.example/.default' },
      verify: verifiedBy(
        () => rsa.certificate,
        `${origin}/token`,
        () => ({
          alg: 'PS256',
          typ: 'JWT',
          [THUMBPRINT]: createHash('sha256')
            .update(new X509Certificate(rsa.certificate).raw)
            .digest('base64url'),
        }),
      ),
      refusal: { status: 401, body: { error: 'invalid_client', error_codes: [700_027] } },
    }),
  },
  'entra-two-apis': {
    play: () => ({ form: { ...POST, scope: 'api://orders.example/.default' } }),
  },
  okta: {
    play: () => ({
      form: { ...FORM, scope: 'orders.read' },
      basic,
      grant: (token) => ({ ...usual(token), scope: 'orders.read' }),
      refusal: {
        status: 401,
        body: { error: 'invalid_client', errorCode: 'invalid_client', errorLink: 'invalid_client' },
      },
    }),
  },
  cognito: {
    play: () => ({
      form: { ...FORM, scope: 'orders/read' },
      basic,
      refusal: { status: 400, body: { error: 'invalid_client' } },
    }),
  },
  ping: { play: () => ({ form: { ...FORM, scope: 'orders.read' }, basic }) },
  salesforce: {
    play: (origin) => ({
      form: POST,
      token: (n) => `00Dxx0000001gPL!${opaque(n)}`,
      grant: (token) => ({
        access_token: token,
        signature: 'c2lnbmF0dXJl',
        scope: 'api',
        instance_url: origin,
        id: `${origin}/id/00Dxx0000001gPLEAY/005xx000001SwiUAAS`,
        token_type: 'Bearer',
        issued_at: '1763900000000',
      }),
      refusal: {
        status: 400,
        body: { error: 'invalid_client', error_description: 'invalid client credentials' },
      },
      expired: {
        status: 401,
        body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
      },
    }),
  },
  ebay: {
    play: () => ({
      form: { ...FORM, scope: 'https://api.ebay.com/oauth/api_scope' },
      basic,
      token: (n) => `v^1.1#i^1#p^1#I^3#${opaque(n)}`,
      grant: (token) => ({ ...usual(token), expires_in: 7_200, token_type: 'Application Access Token' }),
    }),
  },
  apigee: {
    play: () => ({
      form: FORM,
      basic,
      grant: (token) => ({
        issued_at: '1763900000000',
        scope: 'READ',
        status: 'approved',
        api_product_list: '[orders]',
        expires_in: '1799',
        token_type: 'BearerToken',
        client_id: ID,
        access_token: token,
        refresh_count: '0',
      }),
      refusal: { status: 401, body: { ErrorCode: 'invalid_client', Error: 'ClientId is Invalid' } },
    }),
  },
  zoom: {
    play: () => ({
      form: { grant_type: 'account_credentials', account_id: 'ACCOUNT_ID' },
      basic,
      grant: (token) => ({
        ...usual(token),
        token_type: 'bearer',
        expires_in: 3_599,
        api_url: 'https://api.zoom.us',
      }),
      refusal: {
        status: 400,
        body: { reason: 'Invalid client_id or client_secret', error: 'invalid_client' },
      },
      expired: { status: 401, body: { code: 124, message: 'Access token is expired.' } },
    }),
  },
  paypal: {
    play: () => ({
      form: FORM,
      basic,
      grant: (token) => ({
        ...usual(token),
        app_id: 'APP-80W284485P519543T',
        expires_in: 31_668,
        nonce: 'n',
      }),
      refusal: {
        status: 401,
        body: { error: 'invalid_client', error_description: 'Client Authentication failed' },
      },
    }),
  },
  openiddict: {
    credentials: withKey((origin) => `${origin}/`),
    play: byKey((origin) => `${origin}/`, 'client-authentication+jwt', { scope: 'orders' }),
  },
};

/** An application with the definition, and the server that plays its provider. */
async function start(name: string, definition: Definition, wrong: object = {}) {
  const { play, credentials = () => ({ clientSecret: SECRET }) } = CASES[name]!;
  const played = await PlayedProvider.start((origin) => ({
    token: opaque,
    grant: usual,
    refusal: REFUSAL,
    expired: EXPIRED,
    ...play(origin),
  }));
  const { ca, url } = played.server;
  onTestFinished(() => played.server.close());
  const environment = {
    tokenUrl: `${url}/token`,
    baseUrl: `${url}/api`,
    clientId: ID,
    tls: { ca },
    ...credentials(url),
    ...wrong,
  };
  const [{ interface: of, environment: active }] = definition.pairs as [Definition['pairs'][number]];
  const options = { environment: active, interfaces: { [of]: { [active]: environment } } };
  const { app } = await bootWith([definition.Module.forRoot(options as never)]);
  const { axiosRef } = app.get<HttpService>(definition.httpToken(of));
  return { played, api: axiosRef };
}

it('B31: docs/providers.md has a case for each of its definitions, of twelve providers or more', () => {
  expect(definitions.map(([name]) => name)).toEqual(Object.keys(CASES));
  expect(new Set(definitions.map(([name]) => name.split('-')[0])).size).toBeGreaterThanOrEqual(12);
});

it('B31: docs/providers.md has only variables that its definitions have', async () => {
  const known = definitions.flatMap(([, definition]) => variablesOf(partsOf(definition)!.catalogue));
  const shown = (await textOfPage('docs/providers.md')).match(/(?<=^- `)[A-Z0-9_]+(?=`: )/gm) ?? [];
  expect(shown.filter((name) => !known.includes(name))).toEqual([]);
  expect(shown.length).toBeGreaterThan(40);
});

describe.each(definitions)('%s', (name, definition) => {
  it('B31: gets a token, calls the API, renews a token that has ended, and shows no token in an error', async () => {
    const { played, api } = await start(name, definition);
    expect((await api.get('/')).data).toEqual({ works: true });
    expect([played.faults, played.granted.length]).toEqual([[], 1]);
    played.endTokens();
    expect((await api.get('/')).status).toBe(200);
    expect([played.faults, played.granted.length]).toEqual([[], 2]);
    const error: unknown = await errorOf(api.get('/reflect'));
    expect(isAxiosError(error) && error.response?.data).toEqual({
      authorization: 'Bearer [redacted]',
      token: '[redacted]',
    });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(played.granted[1]);
  });

  it('B31: reports wrong credentials as refused, with the code of OAuth if the provider sends one', async () => {
    const hasKey = 'clientKey' in (CASES[name]!.credentials?.('https://a') ?? {});
    const wrong = hasKey ? { clientId: 'another-client' } : { clientSecret: 'canary-of-yesterday' };
    const { api } = await start(name, definition, wrong);
    const error = await errorOf(api.get('/'));
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(error).toMatchObject({ code: 'TOKEN_REJECTED' });
    const { body }: { body: { error?: string } } = CASES[name]!.play('https://a').refusal ?? REFUSAL;
    expect((error as TokenRequestError).oauthError).toBe(body.error);
    expect(String(error)).not.toContain('canary');
  });
});
