import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { given, type RunningApp, TRANSPORT } from '../../support/http/given.js';
import { pathsTo } from '../../support/secrets/reachable.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];

/** The places at which the caller's objects lead to a token that was issued. */
function leaksOf({ provider }: Pick<RunningApp, 'provider'>, ...held: unknown[]): string[] {
  const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
  if (tokens.length === 0) return ['No token was issued.'];
  return tokens.flatMap((token) => [
    ...pathsTo(token, held),
    ...(inspect(held, { depth: null, showHidden: true }).includes(token) ? ['inspect'] : []),
  ]);
}

/** The error with which reading a stream ends. */
async function readingFails(stream: Readable | undefined): Promise<unknown> {
  try {
    await stream?.resume().toArray();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** An API that answers with the headers that it got. */
const reflecting =
  (status: number): Script =>
  ({ api }) =>
    api.handler(({ headers: { authorization } }, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ seen: authorization }));
    });

it('B12: a success is passed on unchanged', async () => {
  const { answer, provider } = await given()
    .simulator({}, reflecting(200))
    .app()
    .call(({ easy }) => easy.get<{ seen: string }>('/things'));
  expect(answer?.data.seen).toBe(`Bearer ${provider.tokenRequests[0]?.token}`);
});

it("B12: results show the caller's own config, the same one everywhere", async () => {
  const { error } = await given()
    .simulator({}, ({ api }) => api.status(500))
    .app()
    .call(({ easy }) => easy.get('/things', { headers: { 'X-Mine': '1' } }));
  const { config, response } = error as { config: object; response: { config: object } };
  expect(response.config).toBe(config);
  expect(config).toMatchObject({ url: '/things', headers: { 'X-Mine': '1' } });
  expect(config).not.toHaveProperty('httpsAgent');
  expect(Object.isFrozen((error as { request: object }).request)).toBe(true);
});

it('B12: request is a frozen snapshot', async () => {
  const { answer, provider } = await given()
    .app()
    .call(({ easy }) => easy.get('/things', { params: { a: 1 } }));
  const base = new URL(provider.baseUrl('easy', 'sandbox'));
  expect(answer?.request).toEqual({
    method: 'GET',
    host: base.hostname,
    path: `${base.pathname}/things?a=1`,
    res: { responseUrl: `${base.href}/things?a=1`, statusCode: 200 },
  });
  expect(Object.isFrozen(answer?.request)).toBe(true);
  expect(Object.isFrozen(answer?.request.res)).toBe(true);
});

it.skipIf(TRANSPORT === 'undici')("B12: the application's own agent keeps no token in its pool", async () => {
  const { easy, provider } = await given().app().start();
  const agent = provider.agent();
  await firstValueFrom(easy.get('/things', { httpsAgent: agent }));
  await firstValueFrom(easy.get('/things', { httpsAgent: agent, maxRedirects: 3 }));
  expect(leaksOf({ provider }, agent)).toEqual([]);
});

it('B12: a stream does not lead to other open requests', async () => {
  const { easy, provider } = await given().app().start();
  provider.api.path('/slow').hang();
  const pending = easy.get('/slow').subscribe({ error: () => {} });
  const answer = await firstValueFrom(easy.get<Readable>('/things', { responseType: 'stream' }));
  expect(leaksOf({ provider }, answer)).toEqual([]);
  answer.data.destroy();
  pending.unsubscribe();
});

describe('a sealed stream', () => {
  it('B12: gives every byte, at the pace of its reader', async () => {
    const body = Buffer.alloc(3_000_000, 'x');
    const { answer } = await given()
      .simulator({}, ({ api }) => api.body(body))
      .app()
      .call(({ easy }) => easy.get<Readable>('/things', { responseType: 'stream' }));
    const chunks: Buffer[] = [];
    for await (const chunk of answer?.data ?? []) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(body)).toBe(true);
  });

  it('B12: fails if the answer is incomplete, with a clean error', async () => {
    const outcome = await given()
      .simulator({}, ({ api }) => api.hangUp('mid-body'))
      .app()
      .call(({ easy }) => easy.get<Readable>('/things', { responseType: 'stream' }));
    const error = await readingFails(outcome.answer?.data);
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(leaksOf(outcome, error)).toEqual([]);
  });

  describe('that ends while no code listens ends no process, and gives its error to a later reader', () => {
    it('B9: when its caller aborts', async () => {
      const abort = new AbortController();
      const { answer } = await given()
        .simulator({}, ({ api }) => api.drip('body'))
        .app()
        .call(({ easy }) => easy.get<Readable>('/things', { responseType: 'stream', signal: abort.signal }));
      abort.abort();
      await pause(50);
      expect(await readingFails(answer?.data)).toMatchObject({ code: 'ERR_CANCELED' });
    });

    it('B9: when the server breaks off', async () => {
      const { answer } = await given()
        .simulator({}, ({ api }) =>
          api.handler((request, response) => {
            response.writeHead(200, { 'content-length': '100' }).write('some');
            setTimeout(() => request.socket.destroy(), 20);
          }),
        )
        .app()
        .call(({ easy }) => easy.get<Readable>('/things', { responseType: 'stream' }));
      // undici looks at the connection only at a read. So with undici the reader gets the error first.
      await pause(100);
      expect(await readingFails(answer?.data)).toMatchObject({ code: 'ECONNRESET' });
    });
  });

  it('B12: fails beyond maxContentLength as axios does, with a clean error', async () => {
    const outcome = await given()
      .simulator({}, ({ api }) => api.flood())
      .app()
      .call(({ easy }) =>
        easy.get<Readable>('/things', { responseType: 'stream', maxContentLength: 100_000 }),
      );
    const error = await readingFails(outcome.answer?.data);
    expect(error).toMatchObject({ name: 'AxiosError', message: 'maxContentLength size of 100000 exceeded' });
    expect(leaksOf(outcome, error)).toEqual([]);
  });
});
