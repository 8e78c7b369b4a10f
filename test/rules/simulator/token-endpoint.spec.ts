import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { ASSERTION_TYPE } from '../../../lib/catalogue/wire.js';
import { defineProvider } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import type { ReceivedRequest } from '../../../lib/testing/simulator/records.js';
import { callHttps } from '../../support/http/https-call.js';
import {
  ALL_PAIRS,
  askForToken,
  callApi,
  formOf,
  outcome,
  statuses,
  tokenOf,
} from '../../support/application/simulator.js';
import { cluster } from '../../support/application/warehouse.js';
import { NOW } from '../../support/token/fake-clock.js';

let now = NOW;
const provider = await ProviderSimulator.start({ lifetimeSeconds: 90, now: () => now });
const seen: ReceivedRequest<string, string>[] = [];
provider.simulation.observers.push((request) => void seen.push(request));
afterEach(() => {
  provider.reset();
  seen.length = 0;
  now = NOW;
});
afterAll(() => provider.close());

/** A new secret has every character that wrong encoding breaks. */
const NEW_SECRET: unknown = expect.stringMatching(/^[\w-]{20}&=\+% ü[\w-]{8}$/);

const encoded = (fields: object): string => new URLSearchParams(Object.entries(fields)).toString();

/** What the observer says about the last request, once its answer has ended. */
async function reasonOfLast(): Promise<string | undefined> {
  await expect.poll(() => seen.length, { interval: 5 }).toBe(provider.tokenRequests.length);
  return seen.at(-1)?.findings.reason;
}

it.each(ALL_PAIRS)(
  'S3 S5: a token of %s %s has claims for this pair and the time of the clock',
  async (name, environment) => {
    const { status, headers, json } = await askForToken(provider, name, environment);
    expect([status, await reasonOfLast()]).toEqual([200, 'token issued, lives 90 s']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    });
    expect(json).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 90 });
    const token = String(json['access_token']);
    expect(decodeJwt(token)).toEqual({
      interface: name,
      environment,
      iss: provider.origin,
      aud: provider.baseUrl(name, environment),
      sub: provider.credentials(name, environment).clientId,
      iat: Math.floor(NOW / 1000),
      exp: Math.ceil(NOW / 1000 + 90),
      jti: expect.any(String),
    });
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt' });
    expect(await tokenOf(provider, name, environment)).not.toBe(token);
  },
);

it('S8: a token ends by the clock of the test, and its state is known', async () => {
  const pair = { interface: 'originations', environment: 'sandbox' } as const;
  const token = await tokenOf(provider, 'originations', 'sandbox');
  const use = () => outcome(callApi(provider, token, '/', { name: 'originations' }));
  const state = () => provider.simulation.tokens.newestOf(pair);
  now += 89_999;
  expect([await use(), state()]).toEqual([
    200,
    {
      state: 'valid',
      fingerprint: expect.stringMatching(/^\w{16}$/),
      expiresAt: NOW + 90_000,
      lifetimeMs: 90_000,
    },
  ]);
  now += 1;
  expect([await use(), state()]).toMatchObject([401, { state: 'expired' }]);
  provider.token.revoke(await tokenOf(provider, 'originations', 'sandbox'));
  expect(state()).toMatchObject({ state: 'revoked' });
  expect(provider.simulation.tokens.newestOf({ ...pair, account: 'nobody' })).toBeUndefined();
});

describe('a token request', () => {
  it('S8 S10: is recorded with its bytes, pair, time and token, and prints no secret', async () => {
    const form = formOf(provider, 'originations', 'production');
    const { json } = await askForToken(provider, 'originations', 'production', {
      headers: { 'x-call': '7' },
    });
    await askForToken(provider, 'originations', 'sandbox', {
      body: 'grant_type=client_credentials&client_id=unknown',
    });
    const [good, bad] = provider.tokenRequests;
    expect(good).toMatchObject({
      interface: 'originations',
      environment: 'production',
      account: undefined,
      at: new Date(NOW),
      method: 'POST',
      path: '/originations/oauth/token',
      status: 200,
      fields: form,
      headers: { 'x-call': '7', 'content-type': 'application/x-www-form-urlencoded' },
      token: json['access_token'],
    });
    expect(good?.body.toString()).toBe(encoded(form));
    expect(bad).toMatchObject({
      interface: 'originations',
      environment: undefined,
      status: 400,
      token: undefined,
    });
    expect(JSON.parse(JSON.stringify(good))).toEqual({
      interface: 'originations',
      environment: 'production',
      at: new Date(NOW).toISOString(),
      method: 'POST',
      path: '/originations/oauth/token',
      status: 200,
    });
  });

  it.each<[what: string, body: () => object, status: number, reason: string]>([
    [
      'without a secret',
      () => ({ ...formOf(provider, 'easy', 'sandbox'), client_secret: '' }),
      400,
      'missing client_secret',
    ],
    [
      'of an unknown client',
      () => ({ ...formOf(provider, 'easy', 'sandbox'), client_id: 'x' }),
      401,
      'unknown client id',
    ],
    [
      'with a wrong secret',
      () => ({ ...formOf(provider, 'easy', 'sandbox'), client_secret: 'x' }),
      401,
      'wrong client secret',
    ],
    [
      'of another environment',
      () => formOf(provider, 'easy', 'production'),
      401,
      'credentials of easy production',
    ],
    [
      'of another interface',
      () => formOf(provider, 'originations', 'sandbox'),
      401,
      'credentials of originations sandbox',
    ],
  ])('S5 S2 B25: %s is refused, and an observer knows why', async (_, body, status, reason) => {
    const got = await askForToken(provider, 'easy', 'sandbox', { body: encoded(body()) });
    expect([got.status, await reasonOfLast()]).toEqual([status, reason]);
    expect(got.json).toMatchObject({ error: status === 401 ? 'invalid_client' : 'invalid_request' });
    const challenge = status === 401 ? 'Basic realm="token", charset="UTF-8"' : undefined;
    expect(got.headers['www-authenticate']).toBe(challenge);
    // A member that a script adds leaves it a refusal.
    provider.token.next().members({ extra: true });
    const changed = await askForToken(provider, 'easy', 'sandbox', { body: encoded(body()) });
    expect([changed.status, changed.json['extra']]).toEqual([status, true]);
  });

  it.each(['a&b=c', '+ %2B', 'ünï©ødé 🗝', '"\\\n', undefined])(
    'S2 B8: the new secret %j is accepted once it is encoded, and the old one is refused at once',
    async (given) => {
      const before = encoded(formOf(provider, 'easy', 'sandbox'));
      const secret = provider.rotateSecret('easy', 'sandbox', given);
      expect(provider.credentials('easy', 'sandbox').clientSecret).toBe(secret);
      expect(secret).toEqual(given ?? NEW_SECRET);
      const old = await askForToken(provider, 'easy', 'sandbox', { body: before });
      const other = await askForToken(provider, 'easy', 'production');
      expect([old.status, ...(await statuses(provider, 1)), other.status]).toEqual([401, 200, 200]);
    },
  );
});

it('B33: an account has credentials for each pair, and is named in the records of its token and API requests', async () => {
  expect(provider.options()).not.toHaveProperty('accounts');
  provider.addAccount('merchant-42');
  provider.addAccount('merchant-42');
  const { accounts } = provider.options() as {
    accounts?: (account: string, pair: object) => object | undefined;
  };
  const pair = { interface: 'easy', environment: 'sandbox' };
  const own = provider.credentials('easy', 'sandbox', 'merchant-42');
  expect([accounts?.('merchant-42', pair), accounts?.('merchant-7', pair)]).toEqual([own, undefined]);
  expect(own.clientId).not.toBe(provider.credentials('easy', 'sandbox').clientId);
  const body = encoded({
    grant_type: 'client_credentials',
    client_id: own.clientId,
    client_secret: own.clientSecret,
  });
  const { json } = await askForToken(provider, 'easy', 'sandbox', { body });
  const token = String(json['access_token']);
  const first = await outcome(callApi(provider, token));
  provider.token.revoke(token);
  expect([first, await outcome(callApi(provider, token))]).toEqual([200, 401]);
  const all = [...provider.tokenRequests, ...provider.apiRequests];
  expect(all.map(({ account }) => account)).toEqual(['merchant-42', 'merchant-42', 'merchant-42']);
  const secret = provider.rotateSecret('easy', 'sandbox', undefined, 'merchant-42');
  expect(provider.credentials('easy', 'sandbox', 'merchant-42').clientSecret).toBe(secret);
  expect(await statuses(provider, 1)).toEqual([200]);
  const mine = vi.fn<() => undefined>();
  expect(provider.options({ accounts: mine })).toMatchObject({ accounts: mine });
});

it.each([
  ['esy', 'sandbox', undefined, 'The provider has no interface "esy" with an environment "sandbox".'],
  [
    'easy',
    'sandbox',
    'merchant-7',
    'The provider has no interface "easy" with an environment "sandbox" and an account "merchant-7". Call addAccount() first.',
  ],
] as const)(
  'C4 B29 B33: an unknown name has no credentials: %s %s %s',
  (name, environment, account, message) => {
    expect(() => provider.credentials(name as 'easy', environment as never, account)).toThrow(
      new RangeError(message),
    );
  },
);

/** The status of a token request with these fields, or the error in its answer. */
async function ask(
  simulated: { tokenUrl: string; agent: ProviderSimulator['httpsAgent'] },
  body: object,
  headers = {},
): Promise<unknown> {
  const { status, json } = await callHttps(simulated.tokenUrl, {
    agent: simulated.agent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: encoded({ grant_type: 'client_credentials', ...body }),
  });
  return json['error'] ?? status;
}

/** What a client of `orders` sends with an assertion of its platform. */
const byAssertion = (client_assertion = '', scope = 'orders.read') => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion,
  scope,
});

describe('the simulator of a definition', () => {
  it('B24: grants what the test lists, too', async () => {
    const simulated = await ProviderSimulator.start({
      provider: cluster,
      grants: [{ scope: 'orders.write' }],
    });
    const { clientAssertion } = simulated.credentials('orders', 'live');
    const at = { tokenUrl: simulated.tokenUrl('orders', 'live'), agent: simulated.httpsAgent };
    const got = [];
    for (const scope of ['orders.read', 'orders.write', 'orders.other'])
      got.push(await ask(at, byAssertion(clientAssertion, scope)));
    expect(got).toEqual([200, 200, 'invalid_scope']);
    await simulated.close();
  });

  it('B31: leaves out what the definition says, unless a script wants it', async () => {
    const terms = { expiresIn: 1800, tokenTypes: 'any' } as const;
    const plain = defineProvider({ name: 'plain', environments: ['live'], interfaces: { stock: terms } });
    const simulated = await ProviderSimulator.start({ provider: plain });
    const { clientId: client_id, clientSecret: client_secret } = simulated.credentials('stock', 'live');
    const call = {
      agent: simulated.httpsAgent,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encoded({ grant_type: 'client_credentials', client_id, client_secret }),
    };
    const { json } = await callHttps(simulated.tokenUrl('stock', 'live'), call);
    const pair = { interface: 'stock', environment: 'live' };
    expect([Object.keys(json), simulated.simulation.tokens.newestOf(pair)?.lifetimeMs]).toEqual([
      ['access_token'],
      1_800_000,
    ]);
    simulated.token.next().lifetime(2, { expiresIn: 9 });
    const { json: scripted } = await callHttps(simulated.tokenUrl('stock', 'live'), call);
    expect([scripted['expires_in'], simulated.simulation.tokens.newestOf(pair)?.lifetimeMs]).toEqual([
      9, 2_000,
    ]);
    await simulated.close();
  });

  it('B32: knows a client by the certificate of its connection', async () => {
    const simulated = await ProviderSimulator.start({ provider: cluster });
    const {
      clientId: client_id,
      clientCertificate: cert,
      clientKey: key,
    } = simulated.credentials('stock', 'live');
    const other = simulated.credentials('stock', 'test');
    const tokenUrl = simulated.tokenUrl('stock', 'live');
    const got = [];
    for (const tls of [{ cert, key }, { cert: other.clientCertificate, key: other.clientKey }, {}])
      got.push(await ask({ tokenUrl, agent: simulated.agent(tls) }, { client_id }));
    expect(got).toEqual([200, 'invalid_client', 'invalid_client']);
    await simulated.close();
  });

  it('B32: gives out assertions of the platform, which are accepted until the key is another', async () => {
    const simulated = await ProviderSimulator.start({ provider: cluster, now: () => now });
    const at = { tokenUrl: simulated.tokenUrl('orders', 'live'), agent: simulated.httpsAgent };
    const { clientAssertion } = simulated.credentials('orders', 'live');
    const { clientAssertion: foreign } = simulated.credentials('orders', 'test');
    const got = [];
    for (const assertion of [clientAssertion, clientAssertion, foreign])
      got.push(await ask(at, byAssertion(assertion)));
    const rotated = simulated.rotateSecret('orders', 'live');
    for (const assertion of [clientAssertion, rotated]) got.push(await ask(at, byAssertion(assertion)));
    now += 31 * 24 * 3_600_000;
    got.push(await ask(at, byAssertion(rotated)));
    expect(got).toEqual([200, 200, 'invalid_client', 'invalid_client', 200, 'invalid_client']);
    await simulated.close();
  });
});
