import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import axios, { type AxiosRequestConfig, toFormData } from 'axios';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { fetchTrusting } from '../support/http/fetch-adapter.js';
import { callByFetch, clientSettingsOf } from '../support/http/fetch-call.js';
import { given, type RunningApp, TRANSPORT } from '../support/http/given.js';
import { pathsTo } from '../support/secrets/reachable.js';
import { Watched } from '../support/token/token-fixtures.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];

type Send = (running: RunningApp, request: AxiosRequestConfig) => Promise<{ data: unknown }>;

const byAxios: Send = ({ easy }, request) => lastValueFrom(easy.request(request));
const byFetch: Send = ({ easy }, request) => callByFetch(easy, request);

/** Sends one call to an API with a script, and returns the result with a summary. */
async function call(script: Script, request: AxiosRequestConfig = {}, http = {}, send = byAxios) {
  const result = await given()
    .simulator({}, script)
    .app((provider) => provider.options({ http }))
    .warm(request.timeout !== undefined)
    .call((running) => send(running, { url: '/things', ...request }));
  return { ...result, ...summaryOf(result), leaks: leaksOf(result.provider, [result.answer, result.error]) };
}

/** Sends one call by `fetch`. Settings that `fetch` takes from its client are set there. */
function fetched(script: Script, request: AxiosRequestConfig = {}, http = {}) {
  return call(script, request, { ...http, ...clientSettingsOf(request) }, byFetch);
}

/** The facts about a call that most tests compare. */
function summaryOf({
  provider,
  answer,
  error,
}: {
  provider: RunningApp['provider'];
  answer: unknown;
  error: unknown;
}) {
  const { status } = (answer ?? (error as { response?: object }).response ?? {}) as { status?: number };
  return { status, calls: provider.apiRequests.length, tokens: provider.tokenRequests.length };
}

function leaksOf(provider: RunningApp['provider'], held: unknown): string[] {
  const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
  return tokens.flatMap((token) => [
    ...pathsTo(token, held),
    ...(inspect(held, { depth: null, showHidden: true }).includes(token) ? ['inspect'] : []),
  ]);
}

const CLEAN: string[] = [];

/** Repeats the headers of a request in each part of the response. */
const reflect =
  (status: number): Script =>
  ({ api }) =>
    api.handler((request, response) => {
      const seen = request.headers.authorization ?? '';
      response.writeHead(status, `Not with ${seen}`, { 'x-seen': seen });
      response.end(JSON.stringify({ headers: request.headers, text: JSON.stringify(request.headers) }));
    });

/** A 401 while the token endpoint refuses every renewal. */
const UNAUTHORIZED_WITHOUT_RENEWAL: Script = ({ api, token }) => {
  api.unauthorized();
  token.next().regular();
  token.refuse('invalid_client');
};

/** Bytes that are not HTTP and hold the token. */
const NOT_HTTP: Script = ({ api }) =>
  api.handler((request) => {
    request.socket.end(`HTTP/1.1 200 OK\r\nX-Seen: ${request.headers.authorization}\r\nno header\r\n\r\n`);
  });

/** Requests that can be sent again after a 401. */
const REPEATABLE: [name: string, request: AxiosRequestConfig][] = [
  ['HEAD', { method: 'HEAD' }],
  ['DELETE with a body', { method: 'DELETE', data: { a: 1 } }],
  ['FormData', { method: 'POST', data: new FormData() }],
  ['a Blob', { method: 'POST', data: new Blob(['bytes']) }],
];

describe('an API that misbehaves', () => {
  it('R01: 401 once, then 200: two calls, two tokens', async () => {
    const result = await call(({ api }) => api.next().unauthorized());
    expect(result).toMatchObject({ status: 200, calls: 2, tokens: 2, leaks: CLEAN });
    const [first, second] = result.provider.apiRequests;
    expect(first?.tokenFingerprint).not.toBe(second?.tokenFingerprint);
  });

  it('R02: 401 always: exactly two calls, one forced token, the 401', async () => {
    const result = await call(({ api }) => api.unauthorized());
    expect(result).toMatchObject({ status: 401, calls: 2, tokens: 2, leaks: CLEAN });
  });

  it.each<[string, Script]>([
    ['R03: 401 without WWW-Authenticate', ({ api }) => api.status(401)],
    [
      'R04: 401 with a Basic challenge',
      ({ api }) => api.status(401, { headers: { 'www-authenticate': 'Basic realm="x"' } }),
    ],
  ])('%s: as any 401', async (_, script) => {
    expect(await call(script)).toMatchObject({ status: 401, calls: 2, tokens: 2, leaks: CLEAN });
  });

  it('R05: 401 that reflects the token in body, header and reason phrase: redacted', async () => {
    const result = await call(reflect(401));
    expect(result).toMatchObject({ status: 401, calls: 2, leaks: CLEAN });
    expect(result.error).toMatchObject({
      response: {
        statusText: 'Not with Bearer [redacted]',
        headers: { 'x-seen': 'Bearer [redacted]' },
        data: { headers: { authorization: 'Bearer [redacted]' } },
      },
    });
  });

  it.each<[string, AxiosRequestConfig]>([
    ['R06: as JSON', {}],
    ['R07: as bytes', { responseType: 'arraybuffer' }],
  ])('%s: a 500 that echoes request headers is redacted', async (_, request) => {
    expect(await call(reflect(500), request)).toMatchObject({ status: 500, calls: 1, leaks: CLEAN });
  });

  it.each([
    ['R08', 403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }],
    ['R09', 407, { 'proxy-authenticate': 'Basic' }],
  ])('%s: %d leads to no renewal', async (_, status, headers) => {
    const result = await call(({ api }) => api.status(status, { headers }));
    expect(result).toMatchObject({ status, calls: 1, tokens: 1, leaks: CLEAN });
  });

  it('R15 B4: 401 with an endless streamed body: the body is discarded, and the caller gets the second response', async () => {
    const result = await call(({ api }) => api.next().flood({ status: 401 }), { responseType: 'stream' });
    expect(result).toMatchObject({ status: 200, calls: 2, leaks: CLEAN });
    const chunks = await (result.answer?.data as Readable | undefined)?.toArray();
    expect(Buffer.concat((chunks ?? []) as Buffer[]).toString()).toContain('/things');
  });

  it.each<[string, (api: RunningApp['provider']['api']) => void, object]>([
    ['a reset', (api) => api.reset(), { error: { code: 'ECONNRESET' } }],
    ['a 500', (api) => api.status(500), { status: 500 }],
  ])('R16: 401, then %s: the second outcome surfaces', async (_, then, expected) => {
    const result = await call(({ api }) => {
      api.next().unauthorized();
      then(api);
    });
    expect(result).toMatchObject({ calls: 2, tokens: 2, leaks: CLEAN, ...expected });
  });

  it('R17: a 401 whose body is over maxContentLength: one renewal, one resend, the size error', async () => {
    const result = await call(({ api }) => api.flood({ status: 401 }), { maxContentLength: 1_000 });
    expect(result).toMatchObject({
      calls: 2,
      tokens: 2,
      leaks: CLEAN,
      error: {
        code: 'ERR_BAD_RESPONSE',
        message: expect.stringMatching(/^maxContentLength size of 1000 exceeded/),
      },
    });
  });

  it('R18: 401 while the token endpoint is down: the 401', async () => {
    const result = await call(UNAUTHORIZED_WITHOUT_RENEWAL);
    expect(result).toMatchObject({ status: 401, calls: 1, leaks: CLEAN, error: { name: 'AxiosError' } });
  });

  it('R19: bytes that are not HTTP and hold the token: nothing of them in the error', async () => {
    const result = await call(NOT_HTTP);
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error: { code: expect.stringMatching(/^HPE_/) } });
    expect(pathsTo('no header', result.error)).toEqual([]);
  });

  it.each(REPEATABLE)('R20 B4: 401 to %s: repeated intact', async (_, request) => {
    const result = await call(({ api }) => api.next().unauthorized(), request);
    expect(result).toMatchObject({ status: 200, calls: 2, leaks: CLEAN });
    const [first, second] = result.provider.apiRequests;
    expect(second?.body.equals(first?.body ?? Buffer.alloc(1))).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['a stream', () => Readable.from([Buffer.alloc(256 * 1024)])],
    ['a legacy form', () => toFormData({ a: 1 })],
  ])('R21: 401 to the upload of %s: one call, and its 401', async (_, data) => {
    const result = await call(({ api }) => api.next().unauthorized(), { method: 'POST', data: data() });
    expect(result).toMatchObject({ status: 401, calls: 1, leaks: CLEAN });
  });

  it('R22: no answer, and a timeout: settled, clean', async () => {
    const result = await call(({ api }) => api.hang(), { timeout: 1_000 });
    const error = { message: 'timeout of 1000ms exceeded' };
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error });
  });

  it('R22: no answer, and an abort: settled, clean', async () => {
    const abort = new AbortController();
    const result = await call(({ api }) => api.handler(() => abort.abort()), { signal: abort.signal });
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error: { code: 'ERR_CANCELED' } });
  });

  it('R22: no answer, and the subscriber leaves', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => api.hang())
      .app()
      .start();
    const errors: unknown[] = [];
    const subscription = easy.get('/things').subscribe({ error: (error) => errors.push(error) });
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    subscription.unsubscribe();
    provider.reset();
    expect((await lastValueFrom(easy.get('/things'))).status).toBe(200);
    expect(errors).toEqual([]);
  });

  it('R23 B4: a 401 that validateStatus accepts: repeated all the same', async () => {
    const result = await call(({ api }) => api.next().unauthorized(), { validateStatus: () => true });
    expect(result).toMatchObject({ status: 200, calls: 2, tokens: 2, leaks: CLEAN });
  });

  it('R24: ten parallel 401s on one old token: one renewal', async () => {
    const { easy, provider } = await given().app().start();
    await lastValueFrom(easy.get('/things'));
    provider.token.revokeAll();
    await Promise.all(Array.from({ length: 10 }, () => lastValueFrom(easy.get('/things'))));
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it.each<[string, AxiosRequestConfig]>([
    ['Authorization', { headers: { Authorization: 'Bearer own' } }],
    ['auth', { auth: { username: 'own', password: 'secret' } }],
  ])("R25: 401 to a caller's own %s: untouched", async (_, own) => {
    expect(await call(() => {}, own)).toMatchObject({ status: 401, calls: 1, tokens: 0 });
  });

  it.each<[string, Script]>([
    ['200', () => {}],
    ['500', ({ api }) => api.status(500)],
  ])('R26: a stream of %s: no token within reach', async (_, script) => {
    const result = await call(script, { responseType: 'stream' });
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN });
  });

  // Only beside an agent, because the adapter 'fetch' cannot carry `tls`, which undici needs here.
  it.runIf(TRANSPORT === 'axios').each<[string, AxiosRequestConfig]>([
    ['an answer', {}],
    ['a stream', { responseType: 'stream' }],
  ])('R26: %s by the fetch adapter: no token within reach', async (_, options) => {
    const result = await given()
      .app((provider) => provider.options({ http: { httpsAgent: provider.agent() } }))
      .call(({ easy, provider }) =>
        easy.get<unknown>('/things', { ...fetchTrusting(provider.ca), ...options }),
      );
    expect(result.provider.apiRequests).toHaveLength(1);
    expect(leaksOf(result.provider, [result.answer, result.error])).toEqual([]);
  });

  it.each<[string, Script, AxiosRequestConfig]>([
    ['broken gzip', ({ api }) => api.answer({ headers: { 'content-encoding': 'gzip' }, body: 'no' }), {}],
    ['half a body', ({ api }) => api.reset('mid-body'), {}],
    [
      'strict JSON',
      ({ api }) =>
        api.handler((request, response) => void response.end(`no json: ${request.headers.authorization}`)),
      { responseType: 'json', transitional: { silentJSONParsing: false } },
    ],
    [
      'a transformResponse that throws',
      () => {},
      {
        transformResponse: () => {
          throw new Error('mine');
        },
      },
    ],
  ])('R27: %s: a clean error', async (_, script, request) => {
    const result = await call(script, request);
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error: expect.any(Error) });
  });

  it('R28: an unrelated axios error, during our call and after it, knows nothing of it', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => api.path('/slow').hang())
      .app()
      .start();
    await lastValueFrom(easy.get('/things'));
    const abort = new AbortController();
    const pending = new Watched(lastValueFrom(easy.get('/slow', { signal: abort.signal })));
    const unrelated = await axios
      .get(`${provider.origin}/x`, { maxRedirects: 0 })
      .catch((error: unknown) => error);
    expect(pending.state).toBe('waiting');
    expect(unrelated).toBeInstanceOf(Error);
    expect(leaksOf(provider, unrelated)).toEqual([]);
    abort.abort();
  });

  it('R29: a connection that closes when it is used again: a clean error, and no POST twice', async () => {
    const { easy, provider } = await given().app().start();
    await lastValueFrom(easy.get('/things'));
    provider.api.reset();
    const error = await lastValueFrom(easy.post('/things', { a: 1 })).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(provider.apiRequests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(leaksOf(provider, error)).toEqual([]);
  });

  it.each([421, 425, 429, 503])('R30: %d with Retry-After is passed on', async (status) => {
    const result = await call(({ api }) => api.retryAfter(1, status));
    expect(result).toMatchObject({ status, calls: 1, tokens: 1, leaks: CLEAN });
  });
});

describe('an API that misbehaves, by fetch', () => {
  it('B21 R01: 401 once, then 200: two calls, two tokens', async () => {
    const result = await fetched(({ api }) => api.next().unauthorized());
    expect(result).toMatchObject({ status: 200, calls: 2, tokens: 2, leaks: CLEAN });
  });

  it.each<[string, Script]>([
    ['R02: 401 always', ({ api }) => api.unauthorized()],
    ['R03: 401 without WWW-Authenticate', ({ api }) => api.status(401)],
    [
      'R04: 401 with a Basic challenge',
      ({ api }) => api.status(401, { headers: { 'www-authenticate': 'Basic realm="x"' } }),
    ],
  ])('B21 %s: two calls, one forced token, the 401', async (_, script) => {
    expect(await fetched(script)).toMatchObject({ status: 401, calls: 2, tokens: 2, leaks: CLEAN });
  });

  it.each([200, 201, 302, 401, 403, 500])(
    'B21 R05 R06: %i that reflects the token in headers and reason phrase: redacted',
    async (status) => {
      const { easy, provider } = await given().simulator({}, reflect(status)).app().start();
      const answer = await easy.fetch('/things');
      expect([answer.status, answer.statusText, answer.headers.get('x-seen')]).toEqual([
        status,
        'Not with Bearer [redacted]',
        'Bearer [redacted]',
      ]);
      expect(leaksOf(provider, [answer, [...answer.headers]])).toEqual([]);
      // The body passes as it is.
      expect(await answer.text()).toContain('authorization');
    },
  );

  it.each([
    ['R08', 403, {}],
    ['R09', 407, { 'proxy-authenticate': 'Basic' }],
    ['R30', 421, { 'retry-after': '1' }],
    ['R30', 429, { 'retry-after': '1' }],
    ['R30', 503, { 'retry-after': '1' }],
  ])('B21 %s: %d leads to no renewal', async (_, status, headers) => {
    const result = await fetched(({ api }) => api.status(status, { headers }));
    expect(result).toMatchObject({ status, calls: 1, tokens: 1, leaks: CLEAN });
  });

  it('B21 R12: a redirect loop is ended', async () => {
    const result = await fetched(({ api }) => api.redirect('things'), {}, { maxRedirects: 4 });
    expect(result).toMatchObject({ calls: 5, leaks: CLEAN, error: { name: 'TypeError' } });
  });

  it.each<[string, (api: RunningApp['provider']['api']) => void, object]>([
    ['a reset', (api) => api.reset(), { error: { cause: { code: 'ECONNRESET' } } }],
    ['a 500', (api) => api.status(500), { status: 500 }],
  ])('B21 R16: 401, then %s: the second outcome surfaces', async (_, then, expected) => {
    const result = await fetched(({ api }) => {
      api.next().unauthorized();
      then(api);
    });
    expect(result).toMatchObject({ calls: 2, tokens: 2, leaks: CLEAN, ...expected });
  });

  it('B21 R18: 401 while the token endpoint is down: the 401', async () => {
    const result = await fetched(UNAUTHORIZED_WITHOUT_RENEWAL);
    expect(result).toMatchObject({ status: 401, calls: 1, leaks: CLEAN });
  });

  it('B21 R19: bytes that are not HTTP and hold the token: nothing of them in the error', async () => {
    const result = await fetched(NOT_HTTP);
    expect(result).toMatchObject({
      calls: 1,
      leaks: CLEAN,
      error: { name: 'TypeError', cause: { code: expect.stringMatching(/^HPE_/) } },
    });
    expect(pathsTo('no header', result.error)).toEqual([]);
  });

  it.each(REPEATABLE)('B21 R20: 401 to %s: repeated intact', async (_, request) => {
    const result = await fetched(({ api }) => api.next().unauthorized(), request);
    expect(result).toMatchObject({ status: 200, calls: 2, leaks: CLEAN });
    const [first, second] = result.provider.apiRequests;
    expect(second?.body.equals(first?.body ?? Buffer.alloc(1))).toBe(true);
  });

  it('B21 R21: 401 to the upload of a stream: one call, and its 401', async () => {
    const data = Readable.from([Buffer.alloc(256 * 1024)]);
    const result = await fetched(({ api }) => api.next().unauthorized(), { method: 'POST', data });
    expect(result).toMatchObject({ status: 401, calls: 1, leaks: CLEAN });
  });

  it('B21 R22: no answer, and a timeout: settled, clean', async () => {
    const result = await fetched(({ api }) => api.hang(), { timeout: 1_000 });
    const error = { name: 'TimeoutError', message: 'timeout of 1000ms exceeded' };
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error });
  });

  it('B21 R22: no answer, and an abort: settled, clean', async () => {
    const abort = new AbortController();
    const result = await fetched(({ api }) => api.handler(() => abort.abort()), { signal: abort.signal });
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error: { name: 'AbortError' } });
    expect(result.error).toBe(abort.signal.reason);
  });

  it("B21 R25: 401 to a caller's own Authorization: untouched", async () => {
    const own = { headers: { Authorization: 'Bearer own' } };
    expect(await fetched(() => {}, own)).toMatchObject({ status: 401, calls: 1, tokens: 0 });
  });

  it.each<[string, Script]>([
    ['broken gzip', ({ api }) => api.answer({ headers: { 'content-encoding': 'gzip' }, body: 'no' })],
    ['half a body', ({ api }) => api.reset('mid-body')],
  ])('B21 R27: %s: a clean error', async (_, script) => {
    const result = await fetched(script);
    expect(result).toMatchObject({ calls: 1, leaks: CLEAN, error: { name: 'TypeError' } });
  });

  it('B21 R29: a connection that closes when it is used again: a clean error, and no POST twice', async () => {
    const { easy, provider } = await given().app().start();
    await (await easy.fetch('/things')).text();
    provider.api.reset();
    const error = await easy
      .fetch('/things', { method: 'POST', body: 'a' })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
    expect(provider.apiRequests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(leaksOf(provider, error)).toEqual([]);
  });
});
