import type { ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { given, type RunningApp } from '../../support/http/given.js';
import { stopTime } from '../../support/token/stopped-time.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';
import { flood } from '../../support/http/endless-answers.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];

const nothing: Script = () => {};

async function start(script: Script = nothing, http = {}): Promise<RunningApp> {
  return given()
    .simulator({}, script)
    .app((provider) => provider.options({ http }))
    .start();
}

/** A body that never ends. */
const endless = (): ReadableStream =>
  new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });

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

describe('the errors of fetch', () => {
  it('B21: a signal that was aborted before rejects with its reason, and nothing is sent', async () => {
    const { easy, provider } = await start();
    const reason = new Error('The reason of the caller.');
    expect(await errorOf(easy.fetch('/x', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const request = new Request(`${easy.baseUrl}/x`, { signal: AbortSignal.abort() });
    expect(await errorOf(easy.fetch(request))).toMatchObject({ name: 'AbortError' });
    expect([...provider.apiRequests, ...provider.tokenRequests]).toEqual([]);
  });

  it.each<[string, Script]>([
    ['while the call waits for a token', ({ token }) => token.hang()],
    ['while the call waits for the API', ({ api }) => api.hang()],
    [
      'while the call waits for another token',
      ({ api, token }) => {
        api.unauthorized();
        token.next().regular();
        token.hang();
      },
    ],
  ])('B21 B5: an abort %s rejects with the reason', async (_, script) => {
    const { easy } = await start(script);
    const abort = new AbortController();
    const call = easy.fetch('/x', { signal: abort.signal });
    const watched = new Watched(call);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(watched.state).toBe('waiting');
    const reason = { any: 'value' };
    abort.abort(reason);
    expect(await errorOf(call)).toBe(reason);
  });

  it.each<[string, Script]>([
    ['for a token', ({ token }) => token.hang()],
    ['for the API', ({ api }) => api.hang()],
    ['for the rest of a body', ({ api }) => api.handler((_, response) => void response.write('a part'))],
  ])(
    'B21 B5: a call that waits %s is ended by the signal of a Request that is garbage',
    async (_, script) => {
      const { easy } = await start(script);
      const abort = new AbortController();
      // In its own function: the last values of this function stay on its stack.
      const text = async (): Promise<string> => {
        const answer = await easy.fetch(new Request(`${easy.baseUrl}/x`, { signal: abort.signal }));
        return answer.text();
      };
      const ended = errorOf(text());
      for (let round = 0; round < 10; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        collectGarbage();
      }
      abort.abort(new Error('enough'));
      expect(await ended).toMatchObject({ message: 'enough' });
    },
  );

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

  it('B21: a signal that was aborted before ends an async iterable that was not read', async () => {
    const { easy } = await start();
    const { body, ends } = watchedIterable();
    const init = { method: 'POST', body, duplex: 'half' as const, signal: AbortSignal.abort('enough') };
    expect(await errorOf(easy.fetch('/x', init))).toBe('enough');
    await expect.poll(() => ends).toHaveLength(1);
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

  it('B21: signal null removes the signal of a Request', async () => {
    const { easy } = await start();
    const request = new Request(`${easy.baseUrl}/x`, { signal: AbortSignal.abort() });
    expect((await easy.fetch(request, { signal: null })).status).toBe(200);
  });

  it.each<[string, Script, number, string]>([
    ['no answer', ({ api }) => api.hang(), 1, 'timeout of 4000ms exceeded'],
    [
      'no token',
      ({ token }) => token.hang(),
      0,
      'timeout of 4000ms exceeded while waiting for an access token of easy sandbox',
    ],
  ])('B21 B29: %s in time is a TimeoutError', async (_, script, calls, message) => {
    // Less than the time of a token request.
    const { easy, provider } = await start(script, { timeoutMs: 4_000 });
    const time = stopTime();
    const ended = errorOf(easy.fetch('/x'));
    await expect.poll(() => provider.tokenRequests).toHaveLength(1);
    await expect.poll(() => provider.apiRequests).toHaveLength(calls);
    await time.pass(4_000);
    const error = await ended;
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject({ name: 'TimeoutError', message });
  });

  it('B21: the time of the call covers the reading of a Request', async () => {
    const { easy, provider } = await start();
    const time = stopTime();
    const init = { method: 'POST', body: endless(), duplex: 'half' as const };
    const ended = errorOf(easy.fetch(new Request(`${easy.baseUrl}/x`, init)));
    await time.pass(30_000);
    expect(await ended).toMatchObject({
      name: 'TimeoutError',
      message: 'timeout of 30000ms exceeded while reading the body of the request',
    });
    expect(provider.apiRequests).toEqual([]);
  });

  it('B21: the time that the reading took is missing for the answer', async () => {
    let arrive: () => void;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { easy } = await start(({ api }) => api.handler(() => arrive()));
    const time = stopTime();
    const body = new ReadableStream({
      async start(controller) {
        await new Promise((resolve) => setTimeout(resolve, 20_000));
        controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' as const };
    const call = new Watched(easy.fetch(new Request(`${easy.baseUrl}/x`, init)));
    await time.pass(20_000);
    // Not by `expect.poll`, which lets time pass.
    await arrived;
    await time.pass(9_900);
    expect(call.state).toBe('waiting');
    await time.pass(100);
    await expect.poll(() => call.error).toMatchObject({ name: 'TimeoutError' });
    expect(String(call.error)).toMatch(/^TimeoutError: timeout of 30000ms exceeded/);
  });

  it('B21: the time of the call does not cover the body of the answer', async () => {
    let sent: ServerResponse | undefined;
    const { easy } = await start(({ api }) =>
      api.handler((_, response) => {
        response.write('first ');
        sent = response;
      }),
    );
    const time = stopTime();
    const answer = await easy.fetch('/x');
    await time.pass(60_000);
    sent?.end('last');
    expect(await answer.text()).toBe('first last');
  });

  it.each<[string, Script, string]>([
    ['a reset', ({ api }) => api.reset(), 'ECONNRESET'],
    ['no HTTP', ({ api }) => api.garbage(), 'HPE_INVALID_CONSTANT'],
  ])('B21: %s is a TypeError with a clean cause', async (_, script, code) => {
    const { easy } = await start(script);
    const error = (await errorOf(easy.fetch('/x'))) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe('fetch failed');
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.cause).toMatchObject({ code, message: expect.stringMatching(/./) });
    const members = Reflect.ownKeys(error.cause as Error).filter((name) => name !== 'stack');
    expect(members).toEqual(expect.arrayContaining(['message', 'code']));
    expect(members).toHaveLength(2);
  });

  it('B21: a dead port is a TypeError', async () => {
    const { easy } = await given()
      .app((provider) => {
        const options = provider.options();
        const sandbox = { ...options.interfaces.easy?.sandbox, baseUrl: 'https://127.0.0.1:1/v1' };
        return { ...options, interfaces: { easy: { sandbox: sandbox as never } } };
      })
      .start();
    expect(await errorOf(easy.fetch('/x'))).toMatchObject({
      name: 'TypeError',
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it.each<[string, Script, object]>([
    ['a refused credential', ({ token }) => token.refuse('invalid_client'), { code: 'TOKEN_REJECTED' }],
    ['garbage', ({ token }) => token.body('no json'), { code: 'TOKEN_RESPONSE_INVALID' }],
  ])('B21: %s of the token endpoint arrives as the error of the module', async (_, script, error) => {
    const { easy, provider } = await start(script);
    expect(await errorOf(easy.fetch('/x'))).toMatchObject({ name: 'TokenRequestError', ...error });
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
});

describe('a body that breaks off while it is read', () => {
  it('B21: rejects with a clean TypeError', async () => {
    const { easy } = await start(({ api }) => api.reset('mid-body'));
    const answer = await easy.fetch('/x');
    const error = await errorOf(answer.text());
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated', cause: { code: 'ECONNRESET' } });
  });

  it('B21: rejects with a TypeError if it cannot be decoded', async () => {
    const { easy } = await start(({ api }) =>
      api.body('no gzip', { headers: { 'content-encoding': 'gzip' } }),
    );
    const ended = easy.fetch('/x').then((answer) => answer.text());
    expect(await errorOf(ended)).toBeInstanceOf(TypeError);
  });

  it('B21 B5: rejects with the reason of the signal', async () => {
    const { easy } = await start(({ api }) => api.handler(flood()));
    const abort = new AbortController();
    const answer = await easy.fetch('/x', { signal: abort.signal });
    const reading = answer.arrayBuffer();
    setTimeout(() => abort.abort(new Error('enough')), 50);
    expect(await errorOf(reading)).toMatchObject({ message: 'enough' });
  });

  it.each<[string, (answer: Response) => Promise<unknown>]>([
    ['text()', (answer) => answer.text()],
    ['json()', (answer) => answer.json()],
    ['blob()', (answer) => answer.blob()],
    ['its stream', async ({ body }) => body?.getReader().read()],
    ['text() of Node', (answer) => Reflect.apply(Response.prototype.text, answer, [])],
  ])('B21 B5: a short body that an abort came before is not read by %s', async (_, read) => {
    const { easy } = await start(({ api }) => api.body({ short: true }));
    const abort = new AbortController();
    const answer = await easy.fetch('/x', { signal: abort.signal });
    abort.abort('enough');
    expect(await errorOf(read(answer))).toBe('enough');
  });

  it('B21 B5: an abort ends an upload', async () => {
    const { easy, provider } = await start();
    const abort = new AbortController();
    let isCancelled = false;
    let pulls = 0;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        controller.enqueue(new Uint8Array(1000));
        pulls += 1;
      },
      cancel: () => void (isCancelled = true),
    });
    const init = { method: 'POST', body, duplex: 'half' as const, signal: abort.signal };
    const ended = errorOf(easy.fetch('/x', init));
    await expect.poll(() => pulls).toBeGreaterThan(5);
    abort.abort();
    expect(await ended).toMatchObject({ name: 'AbortError' });
    await expect.poll(() => isCancelled).toBe(true);
    expect(provider.tokenRequests).toHaveLength(1);
  });
});
