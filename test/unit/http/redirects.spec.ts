import { Readable } from 'node:stream';
import { Agent } from 'node:https';
import type { AxiosAdapter, AxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import type { Outgoing } from '../../../lib/wire/outgoing.js';
import { answerTo, steeredClient } from '../../support/http/http-client.js';
import { givenOutcomes } from '../../support/http/unauthorized-outcomes.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const BEARER = 'Bearer canary-token-1';
const HOST = 'https://api.example.com';

type Answer = readonly [status: number, location?: string];

/** A client whose source brings these answers in turn, and what the source sent. */
function given(answers: readonly Answer[], ...settings: Parameters<typeof steeredClient>) {
  const client = steeredClient(...settings);
  const sent: Outgoing[] = [];
  client.stub.source.send = (outgoing, end) => {
    const [status, location] = answers[sent.length] ?? [200];
    sent.push(outgoing);
    const headers = location === undefined ? {} : { location };
    end({ response: { ...answerTo(outgoing.config as never, status, '{}'), headers, request: {} } });
  };
  const header = (name: string): unknown[] =>
    sent.map(({ headers }) => headers[headers.findIndex((one) => one.toLowerCase() === name) + 1 || -1]);
  return { ...client, sent, header, addresses: () => sent.map(({ url, path }) => url.origin + path) };
}

const five = { maxRedirects: 5 };
const OVER_ORIGINS: readonly Answer[] = [
  [307, '/v1/b'],
  [307, 'https://cdn.example/x'],
];

const redirectedBy = async (answers: readonly Answer[]): Promise<boolean> =>
  (await given(answers, five).fetch('/a')).redirected;

describe('a redirect of an API request', () => {
  it.each<[string, object, AxiosRequestConfig]>([
    ['by default', {}, {}],
    ['with maxRedirects 0 of the request', { maxRedirects: 5 }, { maxRedirects: 0 }],
  ])('S6: is the answer %s', async (_, http, config) => {
    const { axios, sent } = given([[302, '/v1/b']], http);
    const { status } = await axios.get('/a', { validateStatus: null, ...config });
    expect([status, sent.length]).toEqual([302, 1]);
  });

  it.each<[string, object, AxiosRequestConfig]>([
    ['http.maxRedirects', five, {}],
    ["the request's own maxRedirects", {}, five],
  ])('S6: is followed with %s, under the base URL with the token', async (_, http, config) => {
    const { axios, addresses, header, tokens } = given(
      [
        [302, 'b?c=d'],
        [307, `${HOST}/v1/e`],
      ],
      http,
    );
    expect((await axios.get('/a', { params: { x: 1 }, ...config })).status).toBe(200);
    expect(addresses()).toEqual([`${HOST}/v1/a?x=1`, `${HOST}/v1/b?c=d`, `${HOST}/v1/e`]);
    expect(header('authorization')).toEqual([BEARER, BEARER, BEARER]);
    expect(tokens.accepts).toHaveLength(1);
  });

  it('S6: to any other https address is followed without the token, which does not come back', async () => {
    const answers: Answer[] = [
      [302, 'https://cdn.example/x'],
      [302, `${HOST}/v1/back`],
      [302, `${HOST}/other`],
    ];
    const { axios, sent, header, addresses } = given(answers, five);
    await axios.get('/a');
    expect(addresses()).toEqual([
      `${HOST}/v1/a`,
      'https://cdn.example/x',
      `${HOST}/v1/back`,
      `${HOST}/other`,
    ]);
    expect(header('authorization')).toEqual([BEARER, undefined, undefined, undefined]);
    expect(sent.map(({ isUnderBase }) => isUnderBase)).toEqual([true, false, true, false]);
  });

  it.each(['tls of the pair', 'an agent', 'an agent of the call', 'an agent of the call for an adapter'])(
    'S9: is refused outside the base URL if %s has a client certificate',
    async (owner) => {
      const pem = await (await ClientAuthority.create()).issue('client');
      const tls = owner === 'tls of the pair' ? new ClientTls(pem) : undefined;
      const httpsAgent = new Agent(pem);
      const { axios, sent } = given(
        OVER_ORIGINS,
        { ...five, ...(owner === 'an agent' && { httpsAgent }) },
        undefined,
        tls && { tls },
      );
      const seen: unknown[] = sent;
      const adapter: AxiosAdapter = async (config) => {
        const [status, location] = OVER_ORIGINS[seen.push(config) - 1] ?? [200];
        return { ...answerTo(config, status), headers: { location }, request: {} };
      };
      const error = await errorOf(
        axios.get('/a', {
          ...(owner.includes('of the call') && { httpsAgent }),
          ...(owner.includes('adapter') && { adapter }),
        }),
      );
      expect(error).toMatchObject({
        code: 'INSECURE_REDIRECT',
        message: expect.stringContaining('certificate'),
      });
      expect(seen).toHaveLength(2);
    },
  );

  it('S6: to the same host outside the base URL is followed without the token', async () => {
    const { axios, header } = given([[302, `${HOST}/other`]], five);
    await axios.get('/a');
    expect(header('authorization')).toEqual([BEARER, undefined]);
  });

  it('B12: takes secrets over no origin, nor what sensitiveHeaders names', async () => {
    const secrets = { Cookie: 'a=1', 'Proxy-Authorization': 'Basic x', 'X-Api-Key': 'key', 'X-Kept': 'kept' };
    const { axios, header } = given(OVER_ORIGINS, five);
    await axios.get('/a', {
      headers: { ...secrets, Host: 'api.example.com' },
      sensitiveHeaders: ['x-api-KEY'],
    });
    expect(header('x-kept')).toEqual(['kept', 'kept', 'kept']);
    expect(header('x-api-key')).toEqual(['key', 'key', undefined]);
    for (const name of ['cookie', 'proxy-authorization']) expect(header(name)[2]).toBeUndefined();
    expect(header('host')).toEqual(['api.example.com', undefined, undefined]);
  });

  it("B12: takes the caller's own credentials over no origin", async () => {
    const own: AxiosRequestConfig[] = [
      { headers: { Authorization: 'Basic own' } },
      { auth: { username: 'me', password: 'mine' } },
    ];
    for (const config of own) {
      const { axios, header } = given(OVER_ORIGINS, five);
      await axios.get('/a', config);
      expect(header('authorization')).toEqual([expect.any(String), expect.any(String), undefined]);
    }
  });

  it.each<[string, Answer]>([
    ['without a location', [302]],
    ['of another status', [304, '/v1/b']],
    ['of another status', [300, '/v1/b']],
  ])('S6: %s is the answer', async (_, answer) => {
    const { axios, sent } = given([answer], five);
    expect((await axios.get('/a', { validateStatus: null })).status).toBe(answer[0]);
    expect(sent).toHaveLength(1);
  });

  it.each<[string, string[], unknown]>([
    ['ERR_FR_REDIRECTION_FAILURE', ['https://'], 'Invalid redirect'],
    ['INSECURE_REDIRECT', ['http://api.example.com/v1/b'], expect.stringContaining('https')],
    ['ERR_FR_TOO_MANY_REDIRECTS', ['/v1/b', '/v1/c'], 'Maximum number of redirects exceeded'],
  ])('S6 S9: is the error %s for the addresses %j', async (code, addresses, message) => {
    const answers = addresses.map((address): Answer => [302, address]);
    const { axios, sent } = given(answers, { maxRedirects: 1 });
    expect(await errorOf(axios.get('/a'))).toMatchObject({ code, message });
    expect(sent).toHaveLength(answers.length);
  });
});

describe('the method and the body after a redirect', () => {
  it.each([
    [301, 'post', 'GET'],
    [302, 'post', 'GET'],
    [303, 'post', 'GET'],
    [303, 'put', 'GET'],
    [303, 'head', 'HEAD'],
    [303, 'get', 'GET'],
    [301, 'put', 'PUT'],
    [302, 'delete', 'DELETE'],
    [307, 'post', 'POST'],
    [308, 'patch', 'PATCH'],
  ])(
    'B4: a %i after %s is followed by %s, with the body if the method stays',
    async (status, method, next) => {
      const { axios, sent, header } = given([[status, '/v1/b']], five);
      const headers = { 'X-Content-Id': '1', 'Transfer-Encodings': '2' };
      await axios.request({ url: '/a', method, headers, ...(method !== 'head' && { data: { a: 1 } }) });
      expect([...header('x-content-id'), ...header('transfer-encodings')]).toEqual(['1', '1', '2', '2']);
      expect(sent.map((one) => one.method)).toEqual([method.toUpperCase(), next]);
      const stays = next === method.toUpperCase() && method !== 'head';
      expect(sent[1]?.body).toEqual(stays ? Buffer.from('{"a":1}') : null);
      const hasHeaders = ['content-type', 'content-length'].map((name) => header(name)[1] !== undefined);
      expect(hasHeaders).toEqual([stays, stays]);
    },
  );

  it.each([
    [307, 'post', false],
    [308, 'post', false],
    [301, 'put', false],
    [302, 'patch', false],
    [303, 'get', false],
    [303, 'post', true],
    [301, 'post', true],
    [302, 'post', true],
  ])(
    'B4: with a body that can be read once, a %i after %s is followed: %s',
    async (status, method, isFollowed) => {
      const { axios, sent } = given([[status, '/v1/b']], five);
      const data = Readable.from(['x']);
      const answer = await axios.request({ url: '/a', method, data, validateStatus: null });
      expect(answer.status).toBe(isFollowed ? 200 : status);
      expect(sent.slice(1)).toMatchObject(isFollowed ? [{ method: 'GET', body: null }] : []);
    },
  );

  it('B4: a Blob is opened anew for each request', async () => {
    const { axios, sent } = given([[307, '/v1/b']], five);
    await axios.post('/a', new Blob(['x']));
    const [first, second] = sent;
    expect(first?.body).not.toBe(second?.body);
    for (const one of sent) expect(await Readable.from(one.body ?? []).toArray()).toHaveLength(1);
  });
});

describe('a 401 after a redirect', () => {
  it('C3: begins again at the first address', async () => {
    const { axios, addresses, header } = given([[307, '/v1/b'], [401], [307, '/v1/c']], five);
    expect((await axios.post('/a', { a: 1 })).status).toBe(200);
    expect(addresses()).toEqual([`${HOST}/v1/a`, `${HOST}/v1/b`, `${HOST}/v1/a`, `${HOST}/v1/c`]);
    const other = 'Bearer canary-token-2';
    expect(header('authorization')).toEqual([BEARER, BEARER, other, other]);
  });

  it('B21: a fetch that was sent again says whether its last attempt was redirected', async () => {
    expect(await redirectedBy([[307, '/v1/b'], [401], [200]])).toBe(false);
    expect(await redirectedBy([[401], [307, '/v1/b'], [200]])).toBe(true);
  });

  it('C3: that changed the method renews for the next call, and is not sent again', async () => {
    const outcomes = givenOutcomes();
    const { axios, tokens, sent } = given([[303, '/v1/b'], [401]], five);
    const error = await errorOf(axios.post('/a', { a: 1 }));
    expect(error).toMatchObject({ message: expect.stringContaining('already answered it with a redirect') });
    expect([tokens.renewals.length, sent.length]).toEqual([1, 2]);
    expect(outcomes).toEqual(['not_replayable']);
  });
});
