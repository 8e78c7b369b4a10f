import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import type { AxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { fetchTrusting } from '../../support/http/fetch-adapter.js';
import { callByFetch, clientSettingsOf } from '../../support/http/fetch-call.js';
import { given, type RunningApp, TRANSPORT } from '../../support/http/given.js';
import { pathsTo } from '../../support/secrets/walk.js';
import { flood } from '../../support/http/endless-answers.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];
type Api = RunningApp['provider']['api'];
type Send = (running: RunningApp, request: AxiosRequestConfig) => Promise<{ data: unknown }>;

const byAxios: Send = ({ easy }, request) => lastValueFrom(easy.request(request));
const byFetch: Send = ({ easy }, request) => callByFetch(easy, request);

/** Sends one call to an API with a script, and returns the result with its facts. `fetch` takes some settings from its client. */
async function call(script: Script, request: AxiosRequestConfig = {}, send = byAxios) {
  const http = send === byFetch ? clientSettingsOf(request) : {};
  const result = await given()
    .simulator({}, script)
    .app({ http })
    .call((running) => send(running, { url: '/things', ...request }));
  const { provider, answer, error } = result;
  const { status } = (answer ?? (error as { response?: object }).response ?? {}) as { status?: number };
  const [calls, tokens] = [provider.apiRequests.length, provider.tokenRequests.length];
  return { ...result, status, calls, tokens, leaks: leaksOf(provider, [answer, error]) };
}

function leaksOf(provider: RunningApp['provider'], held: unknown): string[] {
  const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
  return tokens.flatMap((token) => [
    ...pathsTo(token, held),
    ...(inspect(held, { depth: null, showHidden: true }).includes(token) ? ['inspect'] : []),
  ]);
}

/** Repeats the headers of a request in each part of the response. */
const reflect =
  (status: number): Script =>
  ({ api }) =>
    api.handler((request, response) => {
      const seen = request.headers.authorization ?? '';
      response.writeHead(status, `Not with ${seen}`, { 'x-seen': seen });
      response.end(JSON.stringify({ headers: request.headers, text: JSON.stringify(request.headers) }));
    });

const unauthorizedThen =
  (then: (api: Api) => void): Script =>
  ({ api }) => {
    api.next().unauthorized();
    then(api);
  };

/** Errors of axios have a code. Those of `fetch` are a `TypeError`, with the code in its cause. */
const failsWith = (code: unknown) => [{ error: { code } }, { error: { name: 'TypeError', cause: { code } } }];
const same = (expected: object) => [expected, expected];

/** What an API does, and what a caller gets: by axios, and by `fetch`. */
const ROWS: [name: string, script: Script, expected: object[], request?: AxiosRequestConfig][] = [
  ['R01: 401 once, then 200', unauthorizedThen(() => {}), same({ status: 200, calls: 2, tokens: 2 })],
  ['R02: 401 always', ({ api }) => api.unauthorized(), same({ status: 401, calls: 2, tokens: 2 })],
  [
    'R03: 401 without WWW-Authenticate',
    ({ api }) => api.status(401),
    same({ status: 401, calls: 2, tokens: 2 }),
  ],
  [
    'R04: 401 with a Basic challenge',
    ({ api }) => api.status(401, { headers: { 'www-authenticate': 'Basic realm="x"' } }),
    same({ status: 401, calls: 2, tokens: 2 }),
  ],
  ...(
    [
      ['R08', 403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }],
      ['R09', 407, { 'proxy-authenticate': 'Basic' }],
      ...[421, 425, 429, 503].map((status) => ['R30', status, { 'retry-after': '1' }] as const),
    ] as const
  ).map(([id, status, headers]): (typeof ROWS)[number] => [
    `${id}: ${status}`,
    ({ api }) => api.status(status, { headers }),
    same({ status, calls: 1, tokens: 1 }),
  ]),
  [
    'R16: 401, then a reset',
    unauthorizedThen((api) => api.reset()),
    failsWith('ECONNRESET').map((error) => ({ ...error, calls: 2, tokens: 2 })),
  ],
  [
    'R16: 401, then a 500',
    unauthorizedThen((api) => api.status(500)),
    same({ status: 500, calls: 2, tokens: 2 }),
  ],
  [
    'R18: 401 while the token endpoint is down',
    ({ api, token }) => {
      api.unauthorized();
      token.next().regular();
      token.refuse('invalid_client');
    },
    same({ status: 401, calls: 1 }),
  ],
  [
    'R19: bytes that are not HTTP and hold the token',
    ({ api }) =>
      api.handler((request) => {
        request.socket.end(
          `HTTP/1.1 200 OK\r\nX-Seen: ${request.headers.authorization}\r\nno header\r\n\r\n`,
        );
      }),
    failsWith(expect.stringMatching(/^HPE_/)).map((error) => ({ ...error, calls: 1 })),
  ],
  [
    'R23 B4: a 401 that validateStatus accepts',
    unauthorizedThen(() => {}),
    same({ status: 200, calls: 2, tokens: 2 }),
    { validateStatus: () => true },
  ],
  [
    'R27: broken gzip',
    ({ api }) => api.answer({ headers: { 'content-encoding': 'gzip' }, body: 'no' }),
    same({ error: expect.any(Error) as Error, calls: 1 }),
  ],
  ['R27: half a body', ({ api }) => api.reset('mid-body'), same({ error: expect.any(Error), calls: 1 })],
];

describe.each([
  ['axios', byAxios],
  ['fetch (B21)', byFetch],
])('an API that misbehaves, by %s', (_, send) => {
  it.each(ROWS)('%s', async (__, script, expected, request) => {
    const result = await call(script, request, send);
    expect(result).toMatchObject({ ...expected[send === byAxios ? 0 : 1], leaks: [] });
    expect(pathsTo('no header', result.error)).toEqual([]);
  });

  it('R29: a connection that closes when it is used again: a clean error, and no POST twice', async () => {
    const running = await given().app().start();
    const { provider } = running;
    await send(running, { url: '/things' });
    provider.api.reset();
    const error: unknown = await send(running, { url: '/things', method: 'POST', data: 'a' }).catch(
      (reason: unknown) => reason,
    );
    expect({ error }).toMatchObject(failsWith('ECONNRESET')[send === byAxios ? 0 : 1] ?? {});
    expect(provider.apiRequests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(leaksOf(provider, error)).toEqual([]);
  });
});

describe('an API that repeats the token', () => {
  it('R05: in body, header and reason phrase of a 401: redacted', async () => {
    const result = await call(reflect(401));
    expect(result).toMatchObject({ status: 401, calls: 2, leaks: [] });
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
    expect(await call(reflect(500), request)).toMatchObject({ status: 500, calls: 1, leaks: [] });
  });

  it.each([200, 302, 401, 500])(
    'B21 R05 R06: in headers and reason phrase of a %i, by fetch: redacted',
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
});

describe('an API that misbehaves, by options that only axios has', () => {
  it('R15 B4: 401 with an endless streamed body: the body is discarded, and the caller gets the second response', async () => {
    const result = await call(({ api }) => api.next().handler(flood(401)), { responseType: 'stream' });
    expect(result).toMatchObject({ status: 200, calls: 2, leaks: [] });
    const chunks = await (result.answer?.data as Readable | undefined)?.toArray();
    expect(Buffer.concat((chunks ?? []) as Buffer[]).toString()).toContain('/things');
  });

  it('R17: a 401 whose body is over maxContentLength: one renewal, one resend, the size error', async () => {
    const result = await call(({ api }) => api.handler(flood(401)), { maxContentLength: 1_000 });
    const message: unknown = expect.stringMatching(/^maxContentLength size of 1000 exceeded/);
    const error = { code: 'ERR_BAD_RESPONSE', message };
    expect(result).toMatchObject({ calls: 2, tokens: 2, leaks: [], error });
  });

  it.each<[string, Script]>([
    ['200', () => {}],
    ['500', ({ api }) => api.status(500)],
  ])('R26: a stream of %s: no token within reach', async (_, script) => {
    expect(await call(script, { responseType: 'stream' })).toMatchObject({ calls: 1, leaks: [] });
  });

  // The adapter 'fetch' cannot carry `tls`, which undici needs here.
  const OF_FETCH: [string, AxiosRequestConfig][] = [
    ['an answer', {}],
    ['a stream', { responseType: 'stream' }],
  ];
  it.each(TRANSPORT === 'axios' ? OF_FETCH : [])(
    'R26: %s by the fetch adapter: no token within reach',
    async (_, options) => {
      const result = await given()
        .app((provider) => provider.options({ http: { httpsAgent: provider.agent() } }))
        .call(({ easy, provider }) =>
          easy.get<unknown>('/things', { ...fetchTrusting(provider.ca), ...options }),
        );
      expect(result.provider.apiRequests).toHaveLength(1);
      expect(leaksOf(result.provider, [result.answer, result.error])).toEqual([]);
    },
  );

  it.each<[string, Script, AxiosRequestConfig]>([
    [
      'strict JSON',
      ({ api }) =>
        api.handler((request, response) => void response.end(`no json: ${request.headers.authorization}`)),
      { responseType: 'json', transitional: { silentJSONParsing: false } },
    ],
    ['a transformResponse that throws', () => {}, { transformResponse: failing }],
  ])('R27: %s: a clean error', async (_, script, request) => {
    expect(await call(script, request)).toMatchObject({ calls: 1, leaks: [], error: expect.any(Error) });
  });
});

function failing(): never {
  throw new Error('mine');
}
