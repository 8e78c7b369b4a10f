import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { expect, it } from 'vitest';
import {
  type AssertionTerms,
  defineProvider,
  type TokenProvider,
  TokenRequestError,
} from '../../../lib/index.js';
import { setVariables } from '../../support/application/variables.js';
import {
  AssertionChecker,
  type RegisteredClient,
} from '../../support/authorization-servers/assertion-checker.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { startSimulatorOf } from '../../support/application/simulator.js';
import { bootWith } from '../../support/application/boot.js';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const RSA_PSS = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const [P256, P384, P521] = ['P-256', 'P-384', 'P-521'].map((namedCurve) =>
  generateKeyPairSync('ec', { namedCurve }),
) as [KeyPairKeyObjectResult, KeyPairKeyObjectResult, KeyPairKeyObjectResult];
const ED25519 = generateKeyPairSync('ed25519');

const KEYS: readonly (readonly [NonNullable<AssertionTerms['algorithm']>, KeyPairKeyObjectResult])[] = [
  ['RS256', RSA],
  ['RS384', RSA],
  ['RS512', RSA],
  ['PS256', RSA],
  ['PS384', RSA],
  ['PS512', RSA],
  ['ES256', P256],
  ['ES384', P384],
  ['ES512', P521],
  ['EdDSA', ED25519],
];

/** Not in the form in which URLs are compared: it is sent as it is written. */
const ISSUER = 'https://Login.Example:443/tenant';

/** A client, the terms of its interface, and what the authorization server expects of it beyond the defaults. */
interface Client {
  readonly terms?: AssertionTerms;
  readonly credentials: object;
  readonly publicKey?: KeyObject;
  readonly expected?: Partial<RegisteredClient>;
}

const by = (algorithm: string, { publicKey, privateKey }: KeyPairKeyObjectResult): Client => ({
  credentials: { clientKey: privateKey },
  publicKey,
  expected: { algorithm },
});

const ofJwk = (clientKey: unknown): Client => ({ credentials: { clientKey }, expected: { keyId: 'of-jwk' } });

type Clients = Readonly<Record<string, Client>>;

let definitions = 0;

/** A definition with one interface for each of these terms. */
const definitionWith = (terms: Readonly<Record<string, AssertionTerms>>) =>
  defineProvider({
    name: `signed${(definitions += 1)}`,
    environments: ['live'],
    interfaces: Object.fromEntries(
      Object.entries(terms).map(([name, assertion]) => [
        name,
        { clientAuth: 'private_key_jwt' as const, assertion },
      ]),
    ),
  });

/** One application with all clients, at a server where each of them is registered by the name of its interface. */
async function appOf(clients: Clients) {
  const checker = await AssertionChecker.forTest();
  const all = Object.entries(clients);
  const definition = definitionWith(Object.fromEntries(all.map(([name, { terms = {} }]) => [name, terms])));
  const interfaces = all.map(([name, { credentials }]) => {
    const addresses = { tokenUrl: checker.tokenUrl, baseUrl: `https://${name.toLowerCase()}.example` };
    return [name, { live: { ...addresses, clientId: name, ...credentials } }] as const;
  });
  for (const [name, { publicKey = RSA.publicKey, expected }] of all)
    checker.clients.set(name, {
      publicKey,
      algorithm: 'RS256',
      audience: checker.tokenUrl,
      type: 'JWT',
      ...expected,
    });
  const options = {
    environment: 'live',
    interfaces: Object.fromEntries(interfaces),
    http: { httpsAgent: new Agent({ ca: checker.server.ca }) },
    token: { maxAttempts: 1 },
  };
  // As a JavaScript file would: the types of the options are the subject of another spec.
  const { app } = await bootWith([definition.Module.forRoot(options as never)]);
  const tokens = (name: string) =>
    app.get<TokenProvider<string, string>>(definition.tokenProviderToken(name));
  return { checker, tokens };
}

/** The verdict on the assertion of each client. */
async function verdictsOn(clients: Clients): Promise<Record<string, string | undefined>> {
  const { checker, tokens } = await appOf(clients);
  for (const name of Object.keys(clients)) await Promise.allSettled([tokens(name).getToken()]);
  const verdicts = Object.keys(clients).map((name, index) => [name, checker.verdicts[index]] as const);
  expect(checker.verdicts).toHaveLength(verdicts.length);
  expect(new Set(checker.claims.map(({ jti }) => jti)).size).toBe(verdicts.length);
  return Object.fromEntries(verdicts);
}

const allAccepted = (clients: Clients) =>
  Object.fromEntries(Object.keys(clients).map((name) => [name, undefined]));

it('B31: client assertions sign with each algorithm, and have every audience, type, lifetime and name of the certificate', async () => {
  const authority = await ClientAuthority.create();
  const terms = (['tokenUrl', 'issuer'] as const).flatMap((audience) =>
    (['JWT', 'client-authentication+jwt'] as const).flatMap((type) =>
      ([undefined, 'x5t', 'x5t#S256', 'x5c'] as const).map((certificate) => ({
        audience,
        type,
        ...(certificate && { certificate }),
        lifetimeSeconds: type === 'JWT' ? 10 : 600,
      })),
    ),
  );
  const clients = await Promise.all(
    terms.map(async (one, index): Promise<[string, Client]> => {
      const [algorithm, { publicKey, privateKey }] = KEYS[index % KEYS.length] ?? ['RS256', RSA];
      const chain = [await authority.certify('shop', privateKey), authority.ca];
      const { audience, ...others } = { ...one, algorithm };
      const credentials = {
        clientKey: privateKey,
        keyId: 'key-1',
        ...('certificate' in one && { clientCertificate: chain.join('\n') }),
        ...(audience === 'issuer' && { issuer: ISSUER }),
      };
      const ofIssuer = audience === 'issuer' && { audience: ISSUER };
      const expected = { ...others, keyId: 'key-1', chain, ...ofIssuer };
      return [`case${index}`, { terms: { ...one, algorithm }, credentials, publicKey, expected }];
    }),
  );
  expect(clients.length).toBeGreaterThan(KEYS.length);
  const all = Object.fromEntries(clients);
  expect(await verdictsOn(all)).toEqual(allAccepted(all));
});

it('B24 B31: client assertions sign with what the key can, take the key in each form, and have the kid and alg of a JWK', async () => {
  const jwk = { ...RSA.privateKey.export({ format: 'jwk' }), kid: 'of-jwk' };
  const ofPem = (clientKey: unknown): Client => ({ ...by('ES256', P256), credentials: { clientKey } });
  const given = { credentials: { clientKey: { ...jwk, alg: 'PS384' }, keyId: 'given' } };
  const clients: Clients = {
    rsa: by('RS256', RSA),
    rsaPss: by('PS256', RSA_PSS),
    p256: by('ES256', P256),
    p384: by('ES384', P384),
    p521: by('ES512', P521),
    ed25519: by('EdDSA', ED25519),
    functionOfPromiseOfKeyObject: ofPem(() => Promise.resolve(P256.privateKey)),
    functionOfJwk: ofJwk(() => jwk),
    functionOfKeyWithKid: ofJwk(() => ({ key: jwk })),
    algOfJwkAndGivenKeyId: { ...given, expected: { algorithm: 'PS384', keyId: 'given' } },
    sameAlgInDefinition: {
      ...given,
      terms: { algorithm: 'PS384' },
      expected: { algorithm: 'PS384', keyId: 'given' },
    },
  };
  expect(await verdictsOn(clients)).toEqual(allAccepted(clients));
});

it('B24: client assertions are new for each attempt, retries included', async () => {
  const definition = definitionWith({ orders: {} });
  const provider = await startSimulatorOf(definition);
  provider.token.next(2).status(503);
  const { app } = await bootWith([definition.Module.forRoot(provider.options())]);
  await app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders')).getToken();
  expect(provider.tokenRequests.map(({ status }) => status)).toEqual([503, 503, 200]);
  expect(new Set(provider.tokenRequests.map(({ fields }) => fields['client_assertion'])).size).toBe(3);
});

it('B31: a key that is rotated has its certificate file read again with it, and half a change sends nothing', async () => {
  const definition = definitionWith({ orders: { certificate: 'x5t', audience: 'issuer' } });
  const provider = await startSimulatorOf(definition);
  const variables = provider.env();
  setVariables(variables);
  const http = { httpsAgent: provider.agent() };
  const { app } = await bootWith([
    definition.Module.forRootAsync({ useFactory: () => Object.assign({}, definition.config(), { http }) }),
  ]);
  const tokens = app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders'));
  const first = await tokens.getToken();
  provider.rotateSecret('orders', 'live');
  const { clientKey = '', clientCertificate = '' } = provider.credentials('orders', 'live');
  const prefix = `${definition.name.toUpperCase()}_ORDERS_LIVE_CLIENT`;
  writeFileSync(variables[`${prefix}_CERTIFICATE_FILE`] ?? '', clientCertificate);
  const error = await errorOf(tokens.renew(first));
  expect(error).toBeInstanceOf(TokenRequestError);
  expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(String(error)).toContain(
    `${prefix}_CERTIFICATE_FILE does not belong to the key in ${prefix}_KEY_FILE`,
  );
  expect(provider.tokenRequests).toHaveLength(1);
  writeFileSync(variables[`${prefix}_KEY_FILE`] ?? '', clientKey);
  await expect
    .poll(() => tokens.renew(first).then(() => 'renewed', String), { timeout: 10_000 })
    .toBe('renewed');
});
