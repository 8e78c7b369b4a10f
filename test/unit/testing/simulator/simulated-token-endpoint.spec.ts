import { describe, expect, it } from 'vitest';
import type { InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import { Addresses, type TokenDestination } from '../../../../lib/testing/simulator/addresses.js';
import { CredentialBook } from '../../../../lib/testing/simulator/credential-book.js';
import type { ObservedRequest } from '../../../../lib/testing/simulator/request-observers.js';
import { SimulatedTokenEndpoint } from '../../../../lib/testing/simulator/simulated-token-endpoint.js';
import { TokenMint } from '../../../../lib/testing/simulator/token-mint.js';
import type { GrantedTerms } from '../../../../lib/testing/simulator/token-request-check.js';
import { CATALOGUE } from '../../../support/application/built-in.js';
import { exchangeContext } from '../../../support/application/exchange-context.js';
import { NOW } from '../../../support/token/fake-clock.js';
import { ReceivedRequest } from '../../../support/http/received-request.js';

const ORIGIN = 'https://127.0.0.1:4711';

interface Given {
  readonly terms?: Partial<InterfaceEntry>;
  readonly recordRequests?: boolean;
  readonly lifetimeSeconds?: number;
  readonly grants?: readonly GrantedTerms[];
}

function givenEndpoint({ terms = {}, recordRequests = true, lifetimeSeconds, grants = [] }: Given = {}) {
  const time = { now: NOW };
  const now = () => time.now;
  const { context } = exchangeContext({ now });
  const catalogue = { ...CATALOGUE, entryOf: (name: string) => ({ ...CATALOGUE.entryOf(name), ...terms }) };
  const addresses = new Addresses(ORIGIN, catalogue);
  const credentials = new CredentialBook(catalogue, { now, addresses });
  const mint = new TokenMint(now);
  const endpoint = new SimulatedTokenEndpoint({
    catalogue,
    addresses,
    credentials,
    mint,
    context,
    recordRequests,
    lifetimeSeconds,
    grants,
  });
  const seen: ObservedRequest[] = [];
  context.observers.add((one) => seen.push(one));

  /** Sends a form to the token endpoint of an interface, or of one of its environments. */
  const post = async (form: object, name = 'easy', environment?: string) => {
    const body = new URLSearchParams(Object.entries(form)).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const received = await ReceivedRequest.with({ method: 'POST', path: '/token?tenant=7', headers, body });
    const { request, response } = received;
    const destination: TokenDestination = {
      kind: 'token',
      interface: name,
      ...(environment !== undefined && { environment }),
    };
    context.observers.begin(request, response, { kind: 'token' });
    endpoint.receive({ request, response, destination });
    return received.answer();
  };
  const formOf = (name: string, environment: string, account?: string) => {
    const { clientId, clientSecret } = credentials.of(name, environment, account);
    return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  };
  /** A correct request of a client of easy sandbox, and the members of its answer. */
  const ask = async (account?: string) =>
    JSON.parse((await post(formOf('easy', 'sandbox', account), 'easy', 'sandbox')).body);
  return { endpoint, credentials, mint, post, formOf, ask, seen, time };
}

const REFUSED = '{"error":"invalid_client","error_description":"The credentials are not valid here."}';
const INVALID_CLIENT = {
  status: 401,
  reason: 'Unauthorized',
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'www-authenticate': 'Basic realm="token", charset="UTF-8"',
    'content-length': String(REFUSED.length),
  },
  body: REFUSED,
};

describe('a token endpoint of the simulator', () => {
  it('S3: issues a token, and records the request', async () => {
    const { endpoint, formOf, mint, post, seen } = givenEndpoint({ lifetimeSeconds: 90 });
    const form = formOf('easy', 'sandbox');
    const { status, headers, body } = await post(form, 'easy', 'sandbox');
    const [record] = endpoint.records;
    const token = record?.token ?? '';
    expect([status, headers]).toEqual([
      200,
      {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-length': String(body.length),
      },
    ]);
    expect(JSON.parse(body)).toEqual({ access_token: token, token_type: 'Bearer', expires_in: 90 });
    expect(mint.find(token)).toMatchObject({
      expiresAt: NOW + 90_000,
      claims: {
        iss: ORIGIN,
        aud: `${ORIGIN}/easy/sandbox/v1`,
        sub: form.client_id,
        interface: 'easy',
        environment: 'sandbox',
      },
    });
    expect(endpoint.records).toHaveLength(1);
    expect(record).toMatchObject({
      interface: 'easy',
      environment: 'sandbox',
      account: undefined,
      at: new Date(NOW),
      method: 'POST',
      path: '/token?tenant=7',
      status: 200,
      fields: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(seen).toMatchObject([
      { environment: 'sandbox', account: undefined, reason: 'token issued, lives 90 s', isEarly: false },
    ]);
  });

  it('S5: finds the environment by the client id if environments share their token URL', async () => {
    const { endpoint, formOf, post, seen } = givenEndpoint();
    for (const environment of ['production', 'sandbox'])
      expect(await post(formOf('originations', environment), 'originations')).toMatchObject({ status: 200 });
    await post(formOf('easy', 'sandbox'), 'originations');
    await post({ grant_type: 'client_credentials' }, 'originations');
    const environments = ['production', 'sandbox', undefined, undefined];
    expect(endpoint.records.map(({ environment }) => environment)).toEqual(environments);
    expect(seen.map(({ environment }) => environment)).toEqual(environments);
  });

  it('S2: refuses a malformed request, and says why', async () => {
    const { endpoint, post, seen } = givenEndpoint();
    const { status, body } = await post({ grant_type: 'password' }, 'easy', 'sandbox');
    expect([status, JSON.parse(body)]).toEqual([
      400,
      {
        error: 'unsupported_grant_type',
        error_description: 'The grant type must be client_credentials.',
      },
    ]);
    expect(endpoint.records).toMatchObject([{ status: 400, token: undefined, environment: 'sandbox' }]);
    expect(seen).toMatchObject([{ reason: 'unsupported grant type', isEarly: false }]);
  });

  it.each([
    ['easy', 'production', 'easy', 'sandbox', 'credentials of easy production'],
    ['easy', 'sandbox', 'easy', 'production', 'credentials of easy sandbox'],
    ['originations', 'sandbox', 'easy', 'sandbox', 'credentials of originations sandbox'],
    ['easy', 'sandbox', 'originations', undefined, 'credentials of easy sandbox'],
  ])('S5: refuses the client of %s %s at %s %s', async (name, environment, atName, at, reason) => {
    const { endpoint, formOf, post, seen } = givenEndpoint();
    expect(await post(formOf(name, environment), atName, at)).toEqual(INVALID_CLIENT);
    expect(endpoint.records[0]?.token).toBeUndefined();
    expect(seen).toMatchObject([{ reason }]);
  });

  it('S5: refuses an unknown client and a wrong secret', async () => {
    const { formOf, post, seen } = givenEndpoint();
    const form = formOf('easy', 'sandbox');
    expect(await post({ ...form, client_id: 'unknown' }, 'easy', 'sandbox')).toEqual(INVALID_CLIENT);
    expect(await post({ ...form, client_secret: 'canary-wrong' }, 'easy', 'sandbox')).toEqual(INVALID_CLIENT);
    expect(seen.map(({ reason }) => reason)).toEqual(['unknown client id', 'wrong client secret']);
  });

  it('B33: issues tokens to accounts', async () => {
    const { ask, credentials, endpoint, mint, seen } = givenEndpoint();
    credentials.add('merchant-42');
    const { access_token: token } = await ask('merchant-42');
    expect(endpoint.records).toMatchObject([{ account: 'merchant-42', environment: 'sandbox' }]);
    expect(seen).toMatchObject([{ account: 'merchant-42' }]);
    expect(mint.clientOf(token)).toBe(credentials.of('easy', 'sandbox', 'merchant-42').clientId);
  });

  it('B32: accepts an assertion of the platform for its own address', async () => {
    const { credentials, post, seen } = givenEndpoint({ terms: { clientAuth: 'client_assertion' } });
    const form = (environment: string) => ({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: credentials.of('easy', environment).clientAssertion,
    });
    expect(await post(form('sandbox'), 'easy', 'sandbox')).toMatchObject({ status: 200 });
    expect(await post(form('production'), 'easy', 'sandbox')).toEqual(INVALID_CLIENT);
    expect(seen.map(({ reason }) => reason)).toEqual([
      'token issued, lives 3600 s',
      'credentials of easy production',
    ]);
  });

  it('B24: grants other terms if a test lists them', async () => {
    const { formOf, post } = givenEndpoint({ terms: { scope: 'read' }, grants: [{ scope: 'write' }] });
    const asked = [];
    for (const scope of ['read', 'write', 'none'])
      asked.push((await post({ ...formOf('easy', 'sandbox'), scope }, 'easy', 'sandbox')).status);
    expect(asked).toEqual([200, 200, 400]);
  });

  it('keeps no record without recordRequests', async () => {
    const { ask, endpoint } = givenEndpoint({ recordRequests: false });
    expect(await ask()).toMatchObject({ token_type: 'Bearer' });
    expect(endpoint.records).toEqual([]);
  });
});

describe('the answer of a token endpoint', () => {
  it.each<[what: string, given: Given, lifetime: number, members: object]>([
    ['of an hour', {}, 3600, { token_type: 'Bearer', expires_in: 3600 }],
    ['of the test', { lifetimeSeconds: 7 }, 7, { token_type: 'Bearer', expires_in: 7 }],
    ['of the definition', { terms: { expiresIn: 1800 } }, 1800, { token_type: 'Bearer' }],
    [
      'of the test, with a definition',
      { lifetimeSeconds: 7, terms: { expiresIn: 1800 } },
      7,
      { token_type: 'Bearer' },
    ],
    ['with any token type', { terms: { tokenTypes: 'any' } }, 3600, { expires_in: 3600 }],
    [
      'with a type of the definition',
      { terms: { tokenTypes: ['easy_token', 'Bearer'] } },
      3600,
      { token_type: 'easy_token', expires_in: 3600 },
    ],
  ])('B31: has a lifetime %s', async (_, given, lifetime, members) => {
    const { ask, mint } = givenEndpoint(given);
    const { access_token: token, ...rest } = await ask();
    expect(rest).toEqual(members);
    expect(mint.find(token)?.lifetimeMs).toBe(lifetime * 1000);
  });

  it('B31: has a token of visible characters if the definition allows them', async () => {
    const { ask } = givenEndpoint({ terms: { tokenCharacters: 'visible' } });
    expect((await ask()).access_token.slice(0, 18)).toBe(String.raw`v^1%2B\&lt;"#!eyJh`);
    expect((await givenEndpoint().ask()).access_token.slice(0, 4)).toBe('eyJh');
  });

  it('can have the lifetime and the expires_in of a script, even if the definition has one', async () => {
    const { ask, endpoint, mint } = givenEndpoint({ lifetimeSeconds: 60, terms: { expiresIn: 1800 } });
    endpoint.scripts.add({
      scope: {},
      action: async (exchange) => exchange.send(await exchange.regular({ seconds: 2, expiresIn: 9 })),
    });
    const { access_token: token, expires_in: expiresIn } = await ask();
    expect([expiresIn, mint.find(token)?.lifetimeMs]).toEqual([9, 2000]);
  });

  it('B25: is early while the last token has more than half of its life, unless that token is wanted again', async () => {
    const { ask, endpoint, mint, seen, time } = givenEndpoint({ lifetimeSeconds: 60 });
    await ask();
    time.now += 29_999;
    await ask();
    time.now += 30_000;
    const { access_token: token } = await ask();
    mint.revoke(token);
    await ask();
    time.now += 60_000;
    await ask();
    endpoint.scripts.add({
      scope: {},
      action: async (exchange) => exchange.send(await exchange.regular({ again: true })),
    });
    const { access_token: again } = await ask();
    expect(seen.map(({ isEarly }) => isEarly)).toEqual([false, true, false, false, false, false]);
    expect(endpoint.records.at(-1)?.token).toBe(again);
    expect(endpoint.records.at(-2)?.token).toBe(again);
  });
});

it('the scripts and the records of a token endpoint end with the reset', async () => {
  const { ask, endpoint } = givenEndpoint();
  endpoint.scripts.add({
    scope: {},
    action: (exchange) => exchange.send({ status: 200, headers: {}, body: `{"path":"${exchange.path}"}` }),
  });
  expect(await ask()).toEqual({ path: '/token?tenant=7' });
  const { records } = endpoint;
  expect(records).toHaveLength(1);
  endpoint.reset();
  expect([endpoint.records, endpoint.scripts.isEmpty]).toEqual([[], true]);
  expect(endpoint.records).toBe(records);
});
