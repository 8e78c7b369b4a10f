import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { given } from '../../support/http/given.js';
import { drip } from '../../support/http/endless-answers.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];

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

describe('a sealed stream', () => {
  describe('that ends while no code listens ends no process, and gives its error to a later reader', () => {
    it('B9: when its caller aborts', async () => {
      const abort = new AbortController();
      const { answer } = await given()
        .simulator({}, ({ api }) => api.handler(drip('body')))
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
});
