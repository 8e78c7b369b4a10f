import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../../lib/secrets/access-token.js';
import type { ApiDestination } from '../../../../lib/testing/simulator/addresses.js';
import { ApiEndpoint } from '../../../../lib/testing/simulator/api-endpoint.js';
import type { AnyExchange } from '../../../../lib/testing/simulator/exchange.js';
import type { ObservedRequest } from '../../../../lib/testing/simulator/request-observers.js';
import { TokenMint } from '../../../../lib/testing/simulator/token-mint.js';
import { CATALOGUE } from '../../../support/application/built-in.js';
import { EASY, exchangeContext } from '../../../support/application/exchange-context.js';
import { ReceivedRequest, type WrittenRequest } from '../../../support/http/received-request.js';
import { NOW, settled } from '../../../support/token/fake-clock.js';

const ORIGINATIONS = { interface: 'originations', environment: 'sandbox' };
const PRODUCTION = { interface: 'easy', environment: 'production' };
const CHALLENGE = 'Bearer error="invalid_token"';

/** An endpoint, one valid token, and what an observer sees. */
function givenEndpoint({ catalogue = CATALOGUE, recordRequests = true } = {}) {
  const { context } = exchangeContext();
  const mint = new TokenMint(() => NOW);
  const issue = (pair = EASY, sub = 'canary-id') =>
    mint.issue(pair, { iss: '', aud: '', sub }, { seconds: 60 });
  const credentials = {
    ownerOf: (id: string) => (id === 'of-merchant' ? { ...EASY, account: 'merchant-42' } : undefined),
  };
  const endpoint = new ApiEndpoint({ catalogue, credentials, mint, context, recordRequests });
  const seen: ObservedRequest[] = [];
  context.observers.add((one) => seen.push(one));

  /** Sends a request to an address of this pair, or to an address that is not documented. */
  const receive = async (written: WrittenRequest, pair: typeof EASY | null = EASY) => {
    const received = await ReceivedRequest.with(written);
    const { request, response } = received;
    const destination: ApiDestination | undefined =
      pair === null ? undefined : { kind: 'api', ...pair, path: '/payments?a=b' };
    context.observers.begin(request, response, { kind: 'api' });
    endpoint.receive({ request, response, destination });
    return received;
  };
  const call = async (...args: Parameters<typeof receive>) => (await receive(...args)).answer();
  return { endpoint, mint, issue, receive, call, seen };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('an API of the simulator', () => {
  let given: ReturnType<typeof givenEndpoint>;
  beforeEach(() => {
    given = givenEndpoint();
  });

  it('S6: describes a request with a valid token, and records it', async () => {
    const { call, endpoint, issue, seen } = given;
    const { value, claims } = issue();
    const written = {
      method: 'POST',
      path: '/easy/sandbox/v1/payments?a=b',
      body: 'bytes',
      ...bearer(value),
    };
    const { body, status, headers } = await call(written);
    expect([status, headers]).toEqual([
      200,
      {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'content-length': String(body.length),
      },
    ]);
    expect(JSON.parse(body)).toEqual({
      ...EASY,
      method: 'POST',
      path: '/payments?a=b',
      bodyLength: 5,
      bodySha256: createHash('sha256').update('bytes').digest('hex'),
    });
    const [record] = endpoint.records;
    expect(record).toMatchObject({
      ...EASY,
      account: undefined,
      at: new Date(NOW),
      method: 'POST',
      path: '/payments?a=b',
      status: 200,
      claims,
    });
    expect(record?.body).toEqual(Buffer.from('bytes'));
    expect(record?.headers).toMatchObject({ authorization: `Bearer ${value}` });
    expect(endpoint.records).toHaveLength(1);
    expect(seen).toMatchObject([
      { reason: 'valid token', account: undefined, refusedWith: [401], status: 200 },
    ]);
  });

  it('S6: describes a request without a body', async () => {
    const { value } = given.issue();
    const { body } = await given.call(bearer(value));
    expect(JSON.parse(body)).toMatchObject({
      method: 'GET',
      bodyLength: 0,
      bodySha256: createHash('sha256').digest('hex'),
    });
  });

  it('S5: refuses the token of another interface or environment', async () => {
    const { call, endpoint, issue, seen } = given;
    for (const pair of [ORIGINATIONS, PRODUCTION]) {
      const { status, headers, body } = await call(bearer(issue(pair).value));
      expect([status, headers['www-authenticate'], body]).toEqual([
        401,
        CHALLENGE,
        '{"error":"invalid_token"}',
      ]);
    }
    expect(endpoint.records.map(({ claims, status }) => [claims, status])).toEqual([
      [undefined, 401],
      [undefined, 401],
    ]);
    expect(seen.map(({ reason }) => reason)).toEqual([
      'token of originations sandbox',
      'token of easy production',
    ]);
  });

  it.each([
    [{}, 'no token'],
    [bearer('canary-unknown'), 'token was not issued since the start'],
    [{ headers: { authorization: 'Basic canary' } }, 'the Authorization header is not "Bearer <token>"'],
  ])('S6: refuses a request with %j', async (written, reason) => {
    const { call, endpoint, seen } = given;
    expect(await call(written)).toMatchObject({ status: 401, headers: { 'www-authenticate': CHALLENGE } });
    expect(endpoint.records).toMatchObject([{ status: 401, claims: undefined }]);
    expect(seen).toMatchObject([{ reason }]);
  });

  it('S6: answers 404 at an address that is not documented, with or without a valid token', async () => {
    const { call, endpoint, issue, seen } = given;
    for (const written of [{}, bearer(issue().value)]) {
      const { status, headers, body } = await call({ ...written, path: '/elsewhere?x=1' }, null);
      expect([status, headers['www-authenticate'], JSON.parse(body)]).toEqual([
        404,
        undefined,
        { error: 'not_found', error_description: 'The provider documents no such address.' },
      ]);
    }
    expect(endpoint.records[0]).toMatchObject({
      interface: undefined,
      environment: undefined,
      path: '/elsewhere?x=1',
      claims: undefined,
      status: 404,
    });
    expect(seen.map(({ reason }) => reason)).toEqual(['no such address', 'no such address']);
  });

  it('B33: names the account of a token, valid or not', async () => {
    const { call, endpoint, issue, mint, seen } = given;
    const { value } = issue(EASY, 'of-merchant');
    await call(bearer(value));
    mint.revoke(value);
    await call(bearer(value));
    expect(endpoint.records.map(({ account, status }) => [account, status])).toEqual([
      ['merchant-42', 200],
      ['merchant-42', 401],
    ]);
    expect(seen.map(({ account, reason }) => [account, reason])).toEqual([
      ['merchant-42', 'valid token'],
      ['merchant-42', 'token revoked'],
    ]);
  });

  it('B31: reads and refuses tokens as the definition says', async () => {
    const entry = {
      ...CATALOGUE.entryOf('easy'),
      scheme: 'Easy-Token',
      refusedWith: [403] as [403],
    };
    const { call, endpoint, issue, seen } = givenEndpoint({
      catalogue: { ...CATALOGUE, entryOf: () => entry },
    });
    const { value } = issue();
    expect(await call(bearer(value))).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': 'Easy-Token error="invalid_token"' },
    });
    expect(await call({ headers: { authorization: `Easy-Token ${value}` } })).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([
      { reason: 'the Authorization header is not "Easy-Token <token>"', refusedWith: [403] },
      { reason: 'valid token' },
    ]);
    expect(endpoint.records.map(({ tokenFingerprint }) => tokenFingerprint)).toEqual([
      undefined,
      fingerprintOf(value),
    ]);
  });

  it('keeps no record without recordRequests', async () => {
    const { call, endpoint, issue } = givenEndpoint({ recordRequests: false });
    expect(await call(bearer(issue().value))).toMatchObject({ status: 200 });
    expect(endpoint.records).toEqual([]);
  });
});

const status = (code: number) => (exchange: AnyExchange) =>
  exchange.send({ status: code, headers: {}, body: '' });

describe('the scripts of an API', () => {
  it('get only requests with a valid token, at a documented address', async () => {
    const { call, endpoint, issue } = givenEndpoint();
    endpoint.scripts.add({ scope: { times: 1 }, action: status(503) });
    const { value } = issue();
    const answers = [
      await call(bearer('unknown')),
      await call(bearer(value), null),
      await call(bearer(value)),
      await call(bearer(value)),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([401, 404, 503, 200]);
    expect(endpoint.records.map((record) => record.status)).toEqual([401, 404, 503, 200]);
  });

  it('wait for the body', async () => {
    const { endpoint, issue, receive } = givenEndpoint();
    endpoint.scripts.add({ scope: {}, action: status(503) });
    const headers = { ...bearer(issue().value).headers, 'content-length': '5' };
    const received = await receive({ method: 'POST', headers });
    await settled();
    expect([received.response.headersSent, endpoint.records.length]).toEqual([false, 0]);
    received.write('bytes');
    expect(await received.answer()).toMatchObject({ status: 503 });
    expect(endpoint.records[0]?.body).toEqual(Buffer.from('bytes'));
  });

  it('B4: can answer before the body has arrived', async () => {
    const { endpoint, issue, receive } = givenEndpoint();
    endpoint.earlyScripts.add({ scope: { times: 1 }, action: status(401) });
    const headers = { ...bearer(issue().value).headers, 'content-length': '5' };
    const received = await receive({ method: 'POST', headers });
    await settled();
    expect(await received.sent()).toContain('HTTP/1.1 401 Unauthorized');
    expect(endpoint.records).toMatchObject([{ status: 401, method: 'POST' }]);
    expect(endpoint.records[0]?.body).toEqual(Buffer.alloc(0));
  });

  it('B4: leave a request to the other scripts if no early script is for it', async () => {
    const { call, endpoint, issue } = givenEndpoint();
    endpoint.earlyScripts.add({ scope: { path: '/other' }, action: status(401) });
    endpoint.scripts.add({ scope: {}, action: status(503) });
    const { value } = issue();
    expect(await call({ method: 'POST', body: 'bytes', ...bearer(value) })).toMatchObject({ status: 503 });
    expect(await call(bearer('unknown'))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': CHALLENGE },
    });
    expect(endpoint.records.map((record) => record.status)).toEqual([503, 401]);
  });

  it('B4: an early script does not get a request without a valid token', async () => {
    const { call, endpoint } = givenEndpoint();
    endpoint.earlyScripts.add({ scope: {}, action: status(503) });
    expect(await call(bearer('unknown'))).toMatchObject({ status: 401 });
  });

  it('end with the reset, as the records do', async () => {
    const { call, endpoint, issue } = givenEndpoint();
    for (const queue of [endpoint.scripts, endpoint.earlyScripts])
      queue.add({ scope: {}, action: status(503) });
    const { records } = endpoint;
    await call(bearer(issue().value));
    endpoint.reset();
    expect([endpoint.records, endpoint.scripts.isEmpty, endpoint.earlyScripts.isEmpty]).toEqual([
      [],
      true,
      true,
    ]);
    expect(endpoint.records).toBe(records);
  });
});
