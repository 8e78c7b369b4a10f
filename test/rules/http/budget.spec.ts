import type { Readable } from 'node:stream';
import axios, { type AxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { fetchTrusting } from '../../support/http/fetch-adapter.js';
import { given, TRANSPORT } from '../../support/http/given.js';
import { pathsTo } from '../../support/secrets/walk.js';
import { stopTime } from '../../support/token/stopped-time.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';
import { drip, flood, switchProtocols } from '../../support/http/endless-answers.js';

/** `tls` of a pair cannot go with axios' fetch adapter, and undici takes certificates from `tls` only. */
const everyAdapter: [string, (ca: string) => AxiosRequestConfig][] =
  TRANSPORT === 'undici'
    ? [['usual', () => ({})]]
    : [
        ['usual', () => ({})],
        ['fetch', fetchTrusting],
      ];

const withAgent = (provider: ProviderSimulator) =>
  provider.options({ http: { httpsAgent: provider.agent() } });

/** How the message ends if the caller waited for a token (B29). */
const FOR_A_TOKEN = ' while waiting for an access token of easy sandbox';

/** The requests that have arrived when the caller's time ends. */
interface Arrived {
  readonly tokens: number;
  readonly calls: number;
}

describe.each(everyAdapter)('timeout, by the %s adapter', (_, by) => {
  it.each<[string, Parameters<ReturnType<typeof given>['simulator']>[1], Arrived, string?]>([
    ['an API that never answers', ({ api }) => api.hang(), { tokens: 1, calls: 1 }],
    ['a body without end', ({ api }) => api.handler(drip('body')), { tokens: 1, calls: 1 }],
    ['a body without end that is a 401', ({ api }) => api.handler(flood(401)), { tokens: 1, calls: 1 }],
    ['headers without end', ({ api }) => api.handler(drip('headers')), { tokens: 1, calls: 1 }],
    ['an endless row of interim answers', ({ api }) => api.handler(drip('interim')), { tokens: 1, calls: 1 }],
    [
      'a token endpoint that never answers',
      ({ token }) => token.hang(),
      { tokens: 1, calls: 0 },
      FOR_A_TOKEN,
    ],
    [
      'a second attempt that never ends',
      ({ api }) => {
        api.next().unauthorized();
        api.hang();
      },
      { tokens: 2, calls: 2 },
    ],
    [
      'a renewal that never ends',
      ({ api, token }) => {
        token.next().regular();
        token.hang();
        api.unauthorized();
      },
      { tokens: 2, calls: 1 },
      FOR_A_TOKEN,
    ],
  ])('R22 B4: ends %s', async (_, script, arrived, waiting = '') => {
    const { easy, provider } = await given().simulator({}, script).app(withAgent).start();
    const time = stopTime();
    const ended = errorOf(lastValueFrom(easy.get('/things', { timeout: 800, ...by(provider.ca) })));
    const arrivedSoFar = () => ({
      tokens: provider.tokenRequests.length,
      calls: provider.apiRequests.length,
    });
    await expect.poll(arrivedSoFar).toEqual(arrived);
    await time.pass(800);
    const error = await ended;
    expect(error).toMatchObject({
      name: 'AxiosError',
      code: 'ECONNABORTED',
      message: `timeout of 800ms exceeded${waiting}`,
      config: { timeout: 800 },
    });
    const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
    expect(tokens.flatMap((token) => pathsTo(token, error))).toEqual([]);
  });
});

it('B4: ends a 101 without an Upgrade, on which plain axios hangs', async () => {
  const { error } = await given()
    .simulator({}, ({ api }) => api.handler(switchProtocols))
    .app()
    .call(({ easy }) => easy.get('/things'));
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

it('B4: gives the reader of a stream unlimited time', async () => {
  const { easy, provider } = await given()
    .simulator({}, ({ api }) => api.handler(drip('body', 10)))
    .app()
    .start();
  const time = stopTime();
  const { data: stream } = await easy.axiosRef.get<Readable>('/things', {
    responseType: 'stream',
    timeout: 800,
  });
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await time.pass(10_000);
  const soFar = bytes;
  await time.pass(100);
  await expect.poll(() => bytes).toBeGreaterThan(soFar);
  stream.destroy();
  expect(provider.apiRequests).toHaveLength(1);
});

describe.each(everyAdapter)('a caller who leaves, by the %s adapter', (_, by) => {
  it('R22 B5: by its signal: at once, also while it waits for the token, and the token still arrives', async () => {
    const { easy, provider } = await given().app(withAgent).start();
    const held = provider.token.next().hold();
    const abort = new AbortController();
    const leaving = new Watched(
      lastValueFrom(easy.get('/things', { signal: abort.signal, ...by(provider.ca) })),
    );
    const staying = new Watched(lastValueFrom(easy.get('/things', by(provider.ca))));
    await expect.poll(() => provider.tokenRequests).toHaveLength(1);
    abort.abort();
    await expect.poll(() => leaving.error).toMatchObject({ code: 'ERR_CANCELED' });
    expect(staying.state).toBe('waiting');
    held.release();
    await expect.poll(() => staying.result).toMatchObject({ status: 200 });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(provider.apiRequests).toHaveLength(1);
  });

  it('B5: by its cancel token during the request, and nothing is written into the shared reason', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => api.hang())
      .app(withAgent)
      .start();
    // oxlint-disable-next-line import/no-named-as-default-member -- no value of that name in the types
    const source = axios.CancelToken.source();
    const call = new Watched(
      lastValueFrom(easy.get('/things', { cancelToken: source.token, ...by(provider.ca) })),
    );
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    source.cancel('enough');
    await expect.poll(() => call.error).toMatchObject({ message: 'enough', code: 'ERR_CANCELED' });
    expect(pathsTo(provider.tokenRequests[0]?.token ?? '-', source.token)).toEqual([]);
  });

  it('R22 B5: by unsubscribing: the request ends on the wire', async () => {
    const { easy, provider } = await given().app(withAgent).start();
    let ended = false;
    provider.api.handler((request) => void request.socket.once('close', () => (ended = true)));
    const subscription = easy.get('/things', by(provider.ca)).subscribe();
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    subscription.unsubscribe();
    await expect.poll(() => ended).toBe(true);
  });

  it('B5: in the middle of a streamed body', async () => {
    const abort = new AbortController();
    const { answer } = await given()
      .simulator({}, ({ api }) => api.handler(drip('body', 10)))
      .app(withAgent)
      .call(({ easy, provider }) =>
        easy.get<AsyncIterable<unknown>>('/things', {
          responseType: 'stream',
          signal: abort.signal,
          timeout: 0,
          ...by(provider.ca),
        }),
      );
    const reading = (async () => {
      for await (const chunk of answer?.data ?? []) if (chunk) abort.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'CanceledError' });
  });
});
