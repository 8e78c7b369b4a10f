import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalogue } from '../../../lib/catalogue/catalogue.js';
import type { Profile } from '../../../lib/config/options/profile.js';
import { readDefinition } from '../../../lib/config/read-definition.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { sameSecretProblem } from '../../../lib/errors/troubles.js';
import { ProviderAuthConfigError } from '../../../lib/index.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const [KEY, OTHER_KEY] = [0, 1].map(() => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
});

let own: ClientCertificate;
let foreign: ClientCertificate;

beforeAll(async () => {
  const authority = await ClientAuthority.create();
  [own, foreign] = await Promise.all([authority.issue('own'), authority.issue('foreign')]);
});

const keyed = (assertion: object = {}): Catalogue =>
  readDefinition({
    name: 'bank',
    environments: ['live', 'test'],
    interfaces: { pay: { clientAuth: 'private_key_jwt', assertion } },
  });

const certified = readDefinition({
  name: 'bank',
  environments: ['live'],
  interfaces: { pay: { clientAuth: 'tls_client_auth' } },
});

/** Options of the environment `live`, right but for these members. */
const optionsOf = (live: object, others: object = {}) => ({
  environment: 'live',
  interfaces: {
    pay: {
      live: { tokenUrl: 'https://a.example/token', baseUrl: 'https://a.example/v1', clientId: 'id', ...live },
    },
  },
  ...others,
});

async function profileFor(catalogue: Catalogue, live: object): Promise<Profile> {
  const { profiles } = await validateOptions(catalogue, optionsOf(live), {});
  const [profile] = profiles;
  if (profile === undefined) throw new Error('no profile');
  return profile;
}

async function problemsFor(catalogue: Catalogue, live: object, others?: object): Promise<string[]> {
  const error = await errorOf(validateOptions(catalogue, optionsOf(live, others), {}));
  if (!(error instanceof ProviderAuthConfigError)) throw error;
  return error.problems.map(({ path, message }) => `${path} ${message}`);
}

const LIVE = 'interfaces.pay.live';

describe('B31: a client with a private key', () => {
  it('B31: has the names of the settings that it has', async () => {
    const { names } = await profileFor(keyed(), { clientKey: KEY });
    expect(names).toMatchObject({ clientSecret: `${LIVE}.clientKey`, keyId: `${LIVE}.keyId` });
    expect([names.clientCertificate, names.issuer]).toEqual([undefined, undefined]);
    const all = { clientKey: own.key, clientCertificate: own.cert, issuer: 'https://a.example' };
    const assertion = { certificate: 'x5t', audience: 'issuer' };
    expect((await profileFor(keyed(assertion), all)).names).toMatchObject({
      keyId: `${LIVE}.keyId`,
      clientCertificate: `${LIVE}.clientCertificate`,
      issuer: `${LIVE}.issuer`,
    });
  });

  it('C4: has one problem for each part that is wrong, and none about what they are together', async () => {
    const catalogue = keyed({ certificate: 'x5t' });
    const NONE =
      'holds no certificate in PEM form. A PEM certificate starts with -----BEGIN CERTIFICATE-----.';
    expect(await problemsFor(catalogue, { clientKey: own.key, clientCertificate: 'none' })).toEqual([
      `${LIVE}.clientCertificate ${NONE}`,
    ]);
    expect(await problemsFor(catalogue, { clientKey: 'none', clientCertificate: foreign.cert })).toEqual([
      `${LIVE}.clientKey holds no private key in PEM form.`,
    ]);
  });

  it('C4: has a problem at boot if its parts do not fit, unless a function gives one of them', async () => {
    const catalogue = keyed({ certificate: 'x5t' });
    const misfit = { clientKey: own.key, clientCertificate: foreign.cert };
    expect(await problemsFor(catalogue, misfit)).toEqual([
      `${LIVE}.clientCertificate does not belong to the key in ${LIVE}.clientKey. Set both to the same pair.`,
    ]);
    expect(await problemsFor(catalogue, { clientKey: own.key })).toEqual([
      `${LIVE}.clientCertificate is missing. Set it to the certificate of the client key.`,
    ]);
    expect(await problemsFor(keyed({ algorithm: 'RS256' }), { clientKey: own.key })).toEqual([
      `${LIVE}.clientKey cannot sign with RS256, the algorithm in the definition. Use a key that can, or change the algorithm.`,
    ]);
    for (const later of [{ clientKey: () => own.key }, { clientCertificate: () => foreign.cert }])
      expect(await profileFor(catalogue, { ...misfit, ...later })).toMatchObject({ credential: 'key' });
  });

  it('S5: may not have one key in two environments', async () => {
    const test = { tokenUrl: 'https://b.example/token', baseUrl: 'https://b.example/v1', clientId: 'other' };
    const { interfaces, ...rest } = optionsOf({ clientKey: KEY });
    const pairs = async (clientKey: string | undefined) => {
      const pay = { ...interfaces.pay, test: { ...test, clientKey } };
      return (await validateOptions(keyed(), { ...rest, interfaces: { pay } }, {})).profiles;
    };
    expect((await pairs(KEY)).map(({ sameSecretAs }) => sameSecretAs)).toEqual([
      'interfaces.pay.test.clientKey',
      `${LIVE}.clientKey`,
    ]);
    expect((await pairs(OTHER_KEY)).map(({ sameSecretAs }) => sameSecretAs)).toEqual([undefined, undefined]);
  });
});

describe('B32: a client with a certificate', () => {
  it('B32: has the certificate as its credential', async () => {
    const { clientSecret, credential, names } = await profileFor(certified, { tls: own });
    expect([credential, names.clientSecret]).toEqual(['certificate', `${LIVE}.tls.cert`]);
    expect((await clientSecret.read()).reveal()).toContain(own.cert.trim());
  });

  it('B32: may have it from a function', async () => {
    const { clientSecret } = await profileFor(certified, { tls: () => own });
    expect((await clientSecret.read()).reveal()).toContain(own.cert.trim());
  });
});

type Row = [of: Catalogue, credentials: object, problem: string, next?: string];

const asserted = readDefinition({
  name: 'bank',
  environments: ['live'],
  interfaces: { pay: { clientAuth: 'client_assertion' } },
});
const secret = readDefinition({ name: 'bank', environments: ['live'], interfaces: { pay: {} } });
const ISSUER = 'https://issuer.example';

it.each<Row>([
  [keyed({ audience: 'issuer' }), { clientKey: KEY }, 'issuer is missing'],
  [keyed({ audience: 'issuer' }), { clientKey: KEY, issuer: 'http://a.example' }, 'issuer is not https'],
  [keyed(), { clientKey: KEY, issuer: ISSUER }, 'issuer is not used'],
  [keyed(), { clientKey: KEY, clientCertificate: 'pem' }, 'clientCertificate is not used'],
  [
    asserted,
    { clientAssertion: 'x.y.z', clientSecret: 'canary' },
    'clientSecret is not used: this interface authenticates with clientAssertion',
  ],
  [asserted, { clientAssertion: 'x.y.z', clientKey: 'canary' }, 'clientKey is not used'],
  [asserted, {}, 'clientAssertion is missing. Set it to a function'],
  [asserted, { clientAssertion: '' }, 'clientAssertion is empty'],
  [certified, { tls: () => own, clientAssertion: 'canary' }, 'clientAssertion is not used'],
  [certified, {}, 'tls.cert is missing. This client authenticates with its TLS', 'tls.key is missing'],
  [certified, { tls: { servername: 'a.example' } }, 'tls.cert is missing', 'tls.key is missing'],
  [certified, { tls: () => own, clientId: undefined }, 'clientId is missing'],
  [
    secret,
    { clientSecret: 'abcdefgh', clientAssertion: 'canary' },
    'clientAssertion is not used: this interface authenticates with clientSecret',
  ],
])(
  'B31 B32 C4: credentials of another kind, or none, are named by their settings and without their values: %#',
  async (catalogue, credentials, ...expected) => {
    const problems = await problemsFor(catalogue, credentials);
    expect(problems).toEqual(expected.map((problem) => expect.stringContaining(`${LIVE}.${problem}`)));
    expect(problems.join()).not.toContain('canary');
  },
);

const noKey = (pairs: string) =>
  `store has no sealKey. It needs one for ${pairs} neither a secret nor a private key to seal its tokens with. Pass new RedisTokenStore(client, { sealKey }), or leave the store out.`;

describe('B32: a store for clients without a key', () => {
  const store = { claim: () => {}, publish: () => {}, release: () => {} };
  const SEALED = { ...store, sealKey: () => Promise.resolve('') };

  it('B32: needs a key to seal with, and the problem names the pairs', async () => {
    expect(await problemsFor(certified, { tls: own }, { store })).toEqual([
      noKey('bank pay live, which has'),
    ]);
    const both = readDefinition({
      name: 'bank',
      environments: ['live'],
      interfaces: { pay: { clientAuth: 'client_assertion' }, stock: { clientAuth: 'client_assertion' } },
    });
    const { interfaces, ...rest } = optionsOf({ clientAssertion: () => 'an assertion' }, { store });
    const options = { ...rest, interfaces: { ...interfaces, stock: interfaces.pay } };
    await expect(validateOptions(both, options, {})).rejects.toThrow(
      'for bank pay live, bank stock live, which have neither',
    );
  });

  it('B32: needs none for a client with a key, or if the store has one', async () => {
    const settings = await validateOptions(keyed(), optionsOf({ clientKey: KEY }, { store }), {});
    expect(settings.store).toBe(store);
    const sealed = await validateOptions(certified, optionsOf({ tls: own }, { store: SEALED }), {});
    expect(sealed.store).toBe(SEALED);
  });
});

describe('one client for two environments of a definition', () => {
  const catalogue = readDefinition({
    name: 'shared-client',
    environments: ['test', 'live'],
    interfaces: { each: {}, one: { tokenUrlPer: 'interface' } },
  });
  const tokenUrl = 'https://login.example/token';
  const client = { baseUrl: 'https://api.example', clientId: 'canary-id', clientSecret: 'canary-secret-1' };
  const optionsWith = (live: object) => ({
    environment: 'test',
    interfaces: {
      each: { test: { ...client, tokenUrl }, live: { ...client, tokenUrl, ...live } },
      one: { tokenUrl, test: client, live: { ...client, ...live } },
    },
  });

  it('B31: is right, with the same token URL, and is no reason for advice', async () => {
    const { profiles } = await validateOptions(catalogue, optionsWith({}), {});
    expect(profiles.map((profile) => [profile.tokenUrl, profile.clientId?.reveal()])).toEqual(
      Array.from({ length: 4 }, () => [tokenUrl, 'canary-id']),
    );
    expect(profiles.map(sameSecretProblem)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('B31: another client with the same secret is still a reason for advice', async () => {
    const { profiles } = await validateOptions(catalogue, optionsWith({ clientId: 'canary-other' }), {});
    for (const profile of profiles) expect(sameSecretProblem(profile)).toContain('has the same value as');
  });
});
