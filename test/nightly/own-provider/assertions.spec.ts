import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { NestFactory } from '@nestjs/core';
import { type DynamicModule, Module } from '@nestjs/common';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type AssertionTerms,
  defineProvider,
  ProviderAuthConfigError,
  Secret,
  type TokenProvider,
  TokenRequestError,
} from '../../../lib/index.js';
import { ProviderAuthTestingModule, ProviderSimulator } from '../../../lib/testing/index.js';
import { setVariables } from '../../support/application/variables.js';
import { AssertionChecker } from '../../support/authorization-servers/assertion-checker.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string) => () => generateKeyPairSync('ec', { namedCurve });
const KEYS: Readonly<Record<string, () => KeyPairKeyObjectResult>> = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  ES256: ec('P-256'),
  ES384: ec('P-384'),
  ES512: ec('P-521'),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

const AUDIENCES = ['tokenUrl', 'issuer'] as const;
const TYPES = ['JWT', 'client-authentication+jwt'] as const;
const CERTIFICATES = [undefined, 'x5t', 'x5t#S256', 'x5c'] as const;

/** Not in the form in which URLs are compared: it is sent as it is written. */
const ISSUER = 'https://Login.Example:443/tenant';

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

async function appWith(...imports: DynamicModule[]) {
  @Module({ imports })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  return app;
}

/** A problem has several spaces after its path, so that all messages begin in one column. */
const textOf = (error: unknown): string => String(error).replaceAll(/ +/g, ' ');

let definitions = 0;

/** A definition with one interface for each of these assertions. */
function definitionWith(assertions: Readonly<Record<string, AssertionTerms>>) {
  return defineProvider({
    name: `signed${(definitions += 1)}`,
    environments: ['live'],
    interfaces: Object.fromEntries(
      Object.entries(assertions).map(([name, assertion]) => [
        name,
        { clientAuth: 'private_key_jwt' as const, assertion },
      ]),
    ),
  });
}

/** The token provider of a client with these credentials, at this checker. */
async function tokensOf(
  checker: AssertionChecker,
  assertion: AssertionTerms,
  credentials: object,
): Promise<TokenProvider<string, string>> {
  const provider = definitionWith({ orders: assertion });
  const live = {
    tokenUrl: checker.tokenUrl,
    baseUrl: 'https://api.example',
    clientId: 'shop',
    ...credentials,
  };
  const httpsAgent = new Agent({ ca: checker.server.ca });
  const options = { environment: 'live', interfaces: { orders: { live } }, http: { httpsAgent } };
  // As a JavaScript file would: the types of the options are the subject of another spec.
  const app = await appWith(provider.Module.forRoot(options as never));
  return app.get(provider.tokenProviderToken('orders'));
}

/** The checker knows the key of this client, and demands these terms. */
function register(
  checker: AssertionChecker,
  publicKey: KeyObject,
  client: Partial<Parameters<AssertionChecker['clients']['set']>[1]> = {},
): void {
  checker.clients.set('shop', {
    publicKey,
    algorithm: 'ES256',
    audience: checker.tokenUrl,
    type: 'JWT',
    ...client,
  });
}

describe('B31: client assertions, checked by jose', { timeout: 60_000 }, () => {
  it.each(Object.entries(KEYS))(
    'B31: %s, with every audience, type and name of the certificate',
    async (algorithm, make) => {
      const checker = await AssertionChecker.forTest();
      const { publicKey, privateKey } = make();
      const authority = await ClientAuthority.create();
      const chain = [await authority.certify('shop', privateKey), authority.ca];
      const cases = AUDIENCES.flatMap((audience) =>
        TYPES.flatMap((type) =>
          CERTIFICATES.map((certificate) => ({
            audience,
            type,
            ...(certificate && { certificate }),
            lifetimeSeconds: type === 'JWT' ? 10 : 600,
          })),
        ),
      ).map((terms, index) => [`case${index}`, { ...terms, algorithm } as AssertionTerms] as const);
      const provider = definitionWith(Object.fromEntries(cases));
      const interfaces = cases.map(([name, { audience, type = '', certificate, lifetimeSeconds = 0 }]) => {
        checker.clients.set(name, {
          publicKey,
          chain,
          keyId: 'key-1',
          algorithm,
          audience: audience === 'issuer' ? ISSUER : checker.tokenUrl,
          type,
          certificate,
          lifetimeSeconds,
        });
        const live = {
          tokenUrl: checker.tokenUrl,
          baseUrl: `https://${name}.example`,
          clientId: name,
          clientKey: privateKey,
          keyId: 'key-1',
          ...(certificate && { clientCertificate: chain.join('\n') }),
          ...(audience === 'issuer' && { issuer: ISSUER }),
        };
        return [name, { live }] as const;
      });
      const httpsAgent = new Agent({ ca: checker.server.ca });
      const options = {
        environment: 'live',
        interfaces: Object.fromEntries(interfaces),
        http: { httpsAgent },
      } as never;
      const app = await appWith(provider.Module.forRoot(options));
      for (const tokens of app.get(provider.Service).providers()) await tokens.getToken();
      expect(checker.verdicts).toEqual(cases.map(() => undefined));
    },
  );

  it.each([
    ['RSA', 'RS256', rsa],
    ['RSA-PSS', 'PS256', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
    ['P-256', 'ES256', ec('P-256')],
    ['P-384', 'ES384', ec('P-384')],
    ['P-521', 'ES512', ec('P-521')],
    ['Ed25519', 'EdDSA', KEYS['EdDSA'] ?? rsa],
  ])('B31: a key of %s signs with %s if the definition says nothing', async (_, algorithm, make) => {
    const checker = await AssertionChecker.forTest();
    const { publicKey, privateKey } = make();
    register(checker, publicKey, { algorithm });
    await (await tokensOf(checker, {}, { clientKey: privateKey })).getToken();
    expect(checker.verdicts).toEqual([undefined]);
  });
});

describe('B31: a JWK as client key', () => {
  const { publicKey, privateKey } = rsa();
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'of-jwk' };

  it.each([
    ['an object', () => jwk],
    ['a text', () => JSON.stringify(jwk)],
    ['a Secret', () => new Secret(JSON.stringify(jwk, null, 2))],
    ['a function', () => () => jwk],
    ['a function of a promise of a text', () => () => Promise.resolve(`${JSON.stringify(jwk)}\n`)],
    ['a function of a key with its kid', () => () => ({ key: jwk })],
  ])('B31: is accepted as %s, and its kid is the key id', async (_, make) => {
    const checker = await AssertionChecker.forTest();
    register(checker, publicKey, { algorithm: 'RS256', keyId: 'of-jwk' });
    await (await tokensOf(checker, {}, { clientKey: make() })).getToken();
    expect(checker.verdicts).toEqual([undefined]);
  });

  it('B31: counts with its alg, and a given key id counts before its kid', async () => {
    const checker = await AssertionChecker.forTest();
    register(checker, publicKey, { algorithm: 'PS384', keyId: 'given' });
    const clientKey = { ...jwk, alg: 'PS384' };
    await (await tokensOf(checker, {}, { clientKey, keyId: 'given' })).getToken();
    await (await tokensOf(checker, { algorithm: 'PS384' }, { clientKey, keyId: 'given' })).getToken();
    expect(checker.verdicts).toEqual([undefined, undefined]);
  });

  it('B31: can be in a file, in place of a PEM text', async () => {
    const provider = await ProviderSimulator.start({ provider: definitionWith({ orders: {} }) });
    onTestFinished(() => provider.close());
    const { clientId } = provider.credentials('orders', 'live');
    provider.rotateSecret('orders', 'live', pemOf(privateKey));
    const { key } = filesOf({ key: JSON.stringify(jwk) });
    const own = defineProvider({
      name: 'jwkFile',
      environments: ['live'],
      interfaces: { orders: { clientAuth: 'private_key_jwt' } },
    });
    const variables = {
      JWK_FILE_ENVIRONMENT: 'live',
      JWK_FILE_ORDERS_LIVE_TOKEN_URL: provider.tokenUrl('orders', 'live'),
      JWK_FILE_ORDERS_LIVE_BASE_URL: provider.baseUrl('orders', 'live'),
      JWK_FILE_ORDERS_LIVE_CLIENT_ID: clientId,
      JWK_FILE_ORDERS_LIVE_CLIENT_KEY_FILE: key,
    };
    setVariables(variables);
    const app = await appWith(
      own.Module.forRootAsync({
        useFactory: () => Object.assign({}, own.config(), { http: { httpsAgent: provider.agent() } }),
      }),
    );
    await app.get<TokenProvider<string, string>>(own.tokenProviderToken('orders')).getToken();
    const [head = ''] = String(provider.tokenRequests[0]?.fields['client_assertion']).split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'RS256',
      kid: 'of-jwk',
      typ: 'JWT',
    });
  });
});

describe('B31: a key that is rotated', () => {
  it('B31: brings its id and its certificate with it, without a restart', async () => {
    const checker = await AssertionChecker.forTest();
    const authority = await ClientAuthority.create();
    const versions = await Promise.all(
      [rsa(), rsa()].map(async ({ publicKey, privateKey }, index) => ({
        publicKey,
        parts: {
          key: pemOf(privateKey),
          keyId: `version-${index}`,
          certificate: await authority.certify('shop', privateKey),
        },
      })),
    );
    let current = 0;
    const clientKey = () => versions[current]?.parts;
    const tokens = await tokensOf(
      checker,
      { certificate: 'x5t#S256', algorithm: 'PS256' },
      { clientKey, keyId: 'of the options' },
    );
    for (const { publicKey, parts } of versions) {
      register(checker, publicKey, {
        algorithm: 'PS256',
        keyId: parts.keyId,
        chain: [parts.certificate],
        certificate: 'x5t#S256',
      });
      await (current === 0 ? tokens.getToken() : tokens.renew(await tokens.getToken()));
      current += 1;
    }
    expect(checker.verdicts).toEqual([undefined, undefined]);
    // A refusal asks the function again. The key is the same, and its id is another: that is worth one more request.
    const [first] = versions;
    if (first === undefined) throw new Error('There are two versions.');
    const ids = ['old', 'new'];
    register(checker, first.publicKey, { algorithm: 'RS256', keyId: 'new' });
    const renamed = await tokensOf(
      checker,
      {},
      { clientKey: () => ({ ...first.parts, keyId: ids.shift() ?? 'new' }) },
    );
    await renamed.getToken();
    expect(checker.verdicts).toEqual([undefined, undefined, 'key id', undefined]);
  });

  it('B31: a certificate file is read again with the key', async () => {
    const definition = definitionWith({ orders: { certificate: 'x5t', audience: 'issuer' } });
    const provider = await ProviderSimulator.start({ provider: definition });
    onTestFinished(() => provider.close());
    const variables = provider.env();
    setVariables(variables);
    const http = { httpsAgent: provider.agent() };
    const app = await appWith(
      definition.Module.forRootAsync({
        useFactory: () => Object.assign({}, definition.config(), { http }),
      }),
    );
    const tokens = app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders'));
    const first = await tokens.getToken();
    provider.rotateSecret('orders', 'live');
    const { clientKey = '', clientCertificate = '' } = provider.credentials('orders', 'live');
    const prefix = `${definition.name.toUpperCase()}_ORDERS_LIVE_CLIENT`;
    // Half a change: the certificate of another key.
    writeFileSync(variables[`${prefix}_CERTIFICATE_FILE`] ?? '', clientCertificate);
    const sent = provider.tokenRequests.length;
    const error = await errorOf(tokens.renew(first));
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).toContain(
      `${prefix}_CERTIFICATE_FILE does not belong to the key in ${prefix}_KEY_FILE`,
    );
    expect(provider.tokenRequests).toHaveLength(sent);
    writeFileSync(variables[`${prefix}_KEY_FILE`] ?? '', clientKey);
    await expect
      .poll(() => tokens.renew(first).then(() => 'renewed', String), { timeout: 10_000 })
      .toBe('renewed');
  });

  it.each([
    [
      'another curve',
      { algorithm: 'ES256' },
      () => pemOf(ec('P-384')().privateKey),
      'cannot sign with ES256',
    ],
    [
      'another alg',
      { algorithm: 'RS256' },
      () => ({ ...rsa().privateKey.export({ format: 'jwk' }), alg: 'PS256' }),
      'alg is not RS256',
    ],
    [
      'an alg of another key',
      {},
      () => ({ ...rsa().privateKey.export({ format: 'jwk' }), alg: 'ES256' }),
      'alg does not fit its key',
    ],
    ['no certificate', { certificate: 'x5t' }, () => pemOf(rsa().privateKey), 'clientCertificate is missing'],
    [
      'no text as key id',
      {},
      () => ({ key: pemOf(rsa().privateKey), keyId: '' }),
      'has a keyId which is empty',
    ],
    [
      'no certificate as certificate',
      { certificate: 'x5t' },
      () => ({ key: pemOf(rsa().privateKey), certificate: 'pem' }),
      'has a certificate which holds no certificate',
    ],
  ] as const)('B31: with %s sends nothing, and names the setting', async (_, assertion, clientKey, words) => {
    const checker = await AssertionChecker.forTest();
    const error = await errorOf((await tokensOf(checker, assertion, { clientKey })).getToken());
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).toContain(words);
    expect(String(error)).toContain('interfaces.orders.live.client');
    expect(checker.server.seen).toEqual([]);
  });

  it('B31: with the certificate of another key sends nothing, and names the setting', async () => {
    const checker = await AssertionChecker.forTest();
    const certificate = await (await ClientAuthority.create()).certify('shop', rsa().privateKey);
    const parts = { key: pemOf(rsa().privateKey), certificate };
    const error = await errorOf(
      (await tokensOf(checker, { certificate: 'x5c' }, { clientKey: () => parts })).getToken(),
    );
    expect(String(error)).toContain(
      'interfaces.orders.live.clientKey has a certificate that does not belong',
    );
    expect(checker.server.seen).toEqual([]);
  });
});

describe('B31: what does not fit at boot', () => {
  const { privateKey } = rsa();
  const jwk = privateKey.export({ format: 'jwk' });

  it.each([
    ['an issuer that is missing', { audience: 'issuer' }, { clientKey: privateKey }, 'issuer is missing'],
    [
      'an issuer without https',
      { audience: 'issuer' },
      { clientKey: privateKey, issuer: 'http://a.example' },
      'issuer is not https',
    ],
    ['an issuer that is not used', {}, { clientKey: privateKey, issuer: ISSUER }, 'issuer is not used'],
    [
      'a certificate that is missing',
      { certificate: 'x5c' },
      { clientKey: privateKey },
      'clientCertificate is missing',
    ],
    [
      'a certificate that is none',
      { certificate: 'x5c' },
      { clientKey: privateKey, clientCertificate: 'pem' },
      'clientCertificate holds no certificate',
    ],
    [
      'a certificate that is not used',
      {},
      { clientKey: privateKey, clientCertificate: 'pem' },
      'clientCertificate is not used',
    ],
    [
      'a key of another kind',
      { algorithm: 'EdDSA' },
      { clientKey: privateKey },
      'clientKey cannot sign with EdDSA',
    ],
    [
      'an alg that is not that of the definition',
      { algorithm: 'RS512' },
      { clientKey: { ...jwk, alg: 'RS256' } },
      'clientKey is a JWK whose alg is not RS512',
    ],
    [
      'an alg of another kind of key',
      {},
      { clientKey: JSON.stringify({ ...jwk, alg: 'ES256' }) },
      'clientKey is a JWK whose alg does not fit its key',
    ],
    [
      'a kid that is no text',
      {},
      { clientKey: { ...jwk, kid: 7 } },
      'clientKey is a JWK whose kid must be a string, not a number',
    ],
    [
      'a public JWK',
      {},
      { clientKey: { kty: jwk.kty, n: jwk.n, e: jwk.e } },
      'clientKey holds no private key: it is a JWK',
    ],
    ['JSON text that is no JWK', {}, { clientKey: '{"a":1}' }, 'clientKey holds no private key: it is a JWK'],
  ] as const)('B31: %s is an error that says so', async (_, assertion, credentials, words) => {
    const checker = await AssertionChecker.forTest();
    const error = await errorOf(tokensOf(checker, assertion, credentials));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(textOf(error)).toContain(`interfaces.orders.live.${words}`);
  });

  it('B31: a certificate of another key is an error that says so', async () => {
    const checker = await AssertionChecker.forTest();
    const clientCertificate = await (await ClientAuthority.create()).certify('shop', rsa().privateKey);
    const error = await errorOf(
      tokensOf(checker, { certificate: 'x5t' }, { clientKey: privateKey, clientCertificate }),
    );
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(textOf(error)).toContain(
      'interfaces.orders.live.clientCertificate does not belong to the key in interfaces.orders.live.clientKey',
    );
  });
});

describe('B31: the testing kit plays a definition with assertions', () => {
  const terms = {
    audience: 'issuer',
    type: 'client-authentication+jwt',
    certificate: 'x5t#S256',
    algorithm: 'PS256',
    lifetimeSeconds: 60,
  } as const;

  it('B31: the simulator gives issuer, key and certificate, and accepts an application with them', async () => {
    const definition = definitionWith({ orders: terms });
    const provider = await ProviderSimulator.start({ provider: definition });
    onTestFinished(() => provider.close());
    const app = await appWith(definition.Module.forRoot(provider.options()));
    const tokens = app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders'));
    await tokens.getToken();
    expect(provider.tokenRequests).toMatchObject([{ status: 200 }]);
    expect(provider.env()).toMatchObject({
      [`${definition.name.toUpperCase()}_ORDERS_LIVE_ISSUER`]: expect.stringContaining('/issuer'),
    });
  });

  /** Another definition, whose assertions differ in one member. */
  it.each([
    ['audience', { ...terms, audience: 'tokenUrl' }],
    ['type', { ...terms, type: 'JWT' }],
    ['certificate', { ...terms, certificate: 'x5t' }],
    ['algorithm', { ...terms, algorithm: 'PS384' }],
    ['lifetime', { ...terms, lifetimeSeconds: 61 }],
  ] as const)('B31: the simulator refuses another %s', async (member, others) => {
    const provider = await ProviderSimulator.start({ provider: definitionWith({ orders: terms }) });
    onTestFinished(() => provider.close());
    const other = definitionWith({ orders: others });
    const { issuer, ...live } = (
      provider.options() as unknown as { interfaces: { orders: { live: Record<string, unknown> } } }
    ).interfaces.orders.live;
    const options = {
      environment: 'live',
      interfaces: { orders: { live: { ...live, ...(member !== 'audience' && { issuer }) } } },
      http: { httpsAgent: provider.agent() },
    } as never;
    const app = await appWith(other.Module.forRoot(options));
    const tokens = app.get<TokenProvider<string, string>>(other.tokenProviderToken('orders'));
    expect(await errorOf(tokens.getToken())).toMatchObject({ code: 'TOKEN_REJECTED' });
    expect(provider.tokenRequests).toMatchObject([{ status: 401 }]);
  });

  it('B31: the testing module needs nothing of it', async () => {
    const definition = definitionWith({ orders: terms });
    const app = await appWith(ProviderAuthTestingModule.forRoot({ provider: definition }));
    const tokens = app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders'));
    expect((await tokens.getToken()).reveal()).toBe(`fake-${definition.name}-orders-live-1`);
  });

  it('B31: the error of a refusal names key, id, certificate and issuer', async () => {
    const definition = definitionWith({ orders: terms });
    const provider = await ProviderSimulator.start({ provider: definition });
    onTestFinished(() => provider.close());
    const app = await appWith(definition.Module.forRoot(provider.options()));
    provider.rotateSecret('orders', 'live');
    const tokens = app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders'));
    const error = String(await errorOf(tokens.getToken()));
    for (const member of ['clientKey', 'keyId', 'clientCertificate', 'issuer'])
      expect(error).toContain(`interfaces.orders.live.${member}`);
  });
});
