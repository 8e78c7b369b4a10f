import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];

const nothing: Script = () => {};

async function start(script: Script = nothing, http = {}): Promise<RunningApp> {
  return given().simulator({}, script).app({ http }).start();
}

/** A stream that is not read ahead, and why it was cancelled. */
function watchedBody() {
  const ends: unknown[] = [];
  const source = {
    pull: (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.from('some text')),
    cancel: (reason: unknown) => void ends.push(reason),
  };
  return { body: new ReadableStream(source, { highWaterMark: 0 }), ends };
}

function formWithFile(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['some text']), 'file.txt');
  return form;
}

/** An iterable of the caller's own, and how often it was ended. */
function watchedIterable() {
  const ends = vi.fn<() => Promise<IteratorReturnResult<undefined>>>(() =>
    Promise.resolve({ done: true, value: undefined }),
  );
  const iterator = { next: () => Promise.resolve({ done: false, value: Buffer.from('a') }), return: ends };
  const iterable = { [Symbol.asyncIterator]: () => iterator };
  return { body: iterable as unknown as ReadableStream, ends: ends.mock.calls };
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(10);
  throw new Error('The mistake of the caller.');
}

it.each<[string, Script]>([
  ['for a token', ({ token }) => token.hang()],
  ['for the API', ({ api }) => api.hang()],
  ['for the rest of a body', ({ api }) => api.handler((_, response) => void response.write('a part'))],
])('B21 B5: a call that waits %s is ended by the signal of a Request that is garbage', async (_, script) => {
  const { easy } = await start(script);
  const abort = new AbortController();
  // In its own function: the last values of this function stay on its stack.
  const text = async (): Promise<string> => {
    const answer = await easy.fetch(new Request(`${easy.baseUrl}/x`, { signal: abort.signal }));
    return answer.text();
  };
  const ended = errorOf(text());
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
  }
  abort.abort(new Error('enough'));
  expect(await ended).toMatchObject({ message: 'enough' });
});

it('B21: an abort while the body of a Request is read rejects with the reason', async () => {
  const { easy, provider } = await start();
  const abort = new AbortController();
  let isCancelled = false;
  const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
  const init = { method: 'POST', body, duplex: 'half' as const, signal: abort.signal };
  const call = easy.fetch(new Request(`${easy.baseUrl}/x`, init));
  setTimeout(() => abort.abort(), 50);
  expect(await errorOf(call)).toMatchObject({ name: 'AbortError' });
  await expect.poll(() => isCancelled).toBe(true);
  expect(provider.apiRequests).toEqual([]);
});

it('B21: the rest of a large Request is cancelled if there is no token', async () => {
  const { easy, provider } = await start(({ token }) => token.status(401));
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
    cancel: () => void (isCancelled = true),
  });
  const init = { method: 'POST', body, duplex: 'half' as const };
  const error = await errorOf(easy.fetch(new Request(`${easy.baseUrl}/x`, init)));
  expect(error).toMatchObject({ code: 'TOKEN_REJECTED' });
  await expect.poll(() => isCancelled).toBe(true);
  expect(provider.apiRequests).toEqual([]);
});

it.each<[string, (init: RequestInit, baseUrl: string) => [string | Request, RequestInit]]>([
  ['a stream', (init) => ['/x', init]],
  ['the stream of a Request', (init, baseUrl) => [new Request(`${baseUrl}/x`, init), {}]],
])('B21: a signal that was aborted before cancels %s with the reason', async (_, write) => {
  const { easy, provider } = await start();
  const { body, ends } = watchedBody();
  const init = { method: 'POST', body, duplex: 'half' as const, signal: AbortSignal.abort('enough') };
  expect(await errorOf(easy.fetch(...write(init, easy.baseUrl)))).toBe('enough');
  await expect.poll(() => ends).toEqual(['enough']);
  expect([...provider.apiRequests, ...provider.tokenRequests]).toEqual([]);
});

it.each([
  ['cancels its stream with the reason', watchedBody, ['enough']],
  ['ends an async iterable that was not read', watchedIterable, [[]]],
])('B21: an abort while a call waits for a token %s', async (_, watched, expected) => {
  const { easy, provider } = await start(({ token }) => token.hang());
  const { body, ends } = watched();
  const abort = new AbortController();
  const call = easy.fetch('/x', { method: 'POST', body, duplex: 'half', signal: abort.signal });
  await expect.poll(() => provider.tokenRequests).toHaveLength(1);
  abort.abort('enough');
  expect(await errorOf(call)).toBe('enough');
  await expect.poll(() => ends).toEqual(expected);
});

it.each<[string, () => NonNullable<RequestInit['body']>]>([
  ['text', () => 'some text'],
  ['a Blob', () => new Blob(['some text'])],
  ['a stream', () => watchedBody().body],
  ['a form with a file', () => formWithFile()],
])('B21 B5: a signal that was aborted before sends nothing of %s, also with a token', async (_, make) => {
  const { easy, provider, tokens } = await given()
    .app((simulator) => {
      const httpsAgent = new Agent({ ca: simulator.ca, maxSockets: 1, keepAlive: true });
      return simulator.options({ http: { httpsAgent } });
    })
    .start();
  await tokens.getToken();
  const init = { method: 'POST', body: make(), duplex: 'half' as const };
  const aborted = easy.fetch('/aborted', { ...init, signal: AbortSignal.abort('enough') });
  expect(await errorOf(aborted)).toBe('enough');
  // Also the only connection stays free.
  expect((await easy.fetch('/next')).status).toBe(200);
  expect(provider.apiRequests.map(({ path }) => path)).toEqual([expect.stringContaining('/next')]);
});

it.each<[string, () => unknown]>([
  [
    'that cannot be opened',
    () => {
      throw new Error('The mistake of the caller.');
    },
  ],
  [
    'whose end throws',
    () => ({
      return() {
        throw new Error('The mistake of the caller.');
      },
    }),
  ],
  ['whose end rejects', () => ({ return: () => Promise.reject(new Error('The mistake of the caller.')) })],
  ['without an end', () => ({})],
])('B21: an aborted call with an async iterable %s rejects with the reason', async (_, open) => {
  const { easy } = await start();
  const body = { [Symbol.asyncIterator]: open } as unknown as ReadableStream;
  const init = { method: 'POST', body, duplex: 'half' as const, signal: AbortSignal.abort('enough') };
  expect(await errorOf(easy.fetch('/x', init))).toBe('enough');
});

it('B21: a stream of a call that failed before it was sent can be sent by another call', async () => {
  const { easy, provider } = await start(({ token }) => token.next().status(401));
  const body = Readable.toWeb(Readable.from([Buffer.from('some text')])) as ReadableStream;
  const init = { method: 'POST', body, duplex: 'half' as const };
  expect(await errorOf(easy.fetch('/x', init))).toMatchObject({ code: 'TOKEN_REJECTED' });
  expect(await errorOf(easy.fetch('https://example.com/x', init))).toMatchObject({
    code: 'OUTSIDE_BASE_URL',
  });
  expect(body.locked).toBe(false);
  expect(await new Response(body).text()).toBe('some text');
  expect(provider.apiRequests).toEqual([]);
});

it('B21: a pair without configuration rejects and has no base URL', async () => {
  const { originations } = await given()
    .app((provider) => {
      const { easy } = provider.options().interfaces;
      return { ...provider.options(), interfaces: { ...(easy && { easy }) } };
    })
    .start();
  expect(originations.baseUrl).toBe('');
  expect(originations.fetch.baseUrl).toBe('');
  expect(await errorOf(originations.fetch('/x'))).toMatchObject({
    name: 'ProviderAuthConfigError',
    code: 'NOT_CONFIGURED',
  });
});

it('B21: a body of the caller that fails is the cause', async () => {
  const { easy } = await start();
  for (const body of [Readable.from(failing()), failing()]) {
    const init = { method: 'POST', body: body as unknown as ReadableStream, duplex: 'half' as const };
    expect(await errorOf(easy.fetch('/x', init))).toMatchObject({
      name: 'TypeError',
      cause: { message: 'The mistake of the caller.' },
    });
  }
});

it.each<[string, (answer: Response) => Promise<unknown>]>([
  ['text()', (answer) => answer.text()],
  ['json()', (answer) => answer.json()],
  ['blob()', (answer) => answer.blob()],
  ['its stream', async ({ body }) => body?.getReader().read()],
])('B21 B5: a short body that an abort came before is not read by %s', async (_, read) => {
  const { easy } = await start(({ api }) => api.body({ short: true }));
  const abort = new AbortController();
  const answer = await easy.fetch('/x', { signal: abort.signal });
  abort.abort('enough');
  expect(await errorOf(read(answer))).toBe('enough');
});
