import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import {
  askForToken,
  openTokenRequest,
  startSimulator,
  statuses,
} from '../../support/application/simulator.js';

describe('a scripted fault of the token endpoint', () => {
  it('resets the connection before the answer, and serves the next request', async () => {
    const provider = await startSimulator();
    provider.token.next(2).reset();
    for (let call = 0; call < 2; call += 1) {
      await expect(askForToken(provider)).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
    }
    expect(await statuses(provider, 1)).toEqual([200]);
    expect(provider.tokenRequests.map(({ status }) => status)).toEqual([undefined, undefined, 200]);
  });

  it.each(['reset', 'hangUp'] as const)('breaks off in the middle of the body: %s', async (how) => {
    const provider = await startSimulator();
    provider.token.next()[how]('mid-body');
    const call = openTokenRequest(provider);
    const [response] = await once(call, 'response');
    const length = Number(response.headers['content-length']);
    let received = 0;
    response.on('data', (chunk: Buffer) => (received += chunk.length));
    const [error] = await once(response, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(length);
  });

  it('ends the connection without an answer', async () => {
    const provider = await startSimulator();
    provider.token.next().hangUp();
    // The error of Node for a regular end of the connection before the answer. The error of a reset names the system call.
    await expect(askForToken(provider)).rejects.toThrow('socket hang up');
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('never answers', async () => {
    const provider = await startSimulator();
    provider.token.next().hang();
    const call = openTokenRequest(provider);
    let settled = false;
    call.on('response', () => (settled = true));
    call.on('close', () => (settled = true));
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    expect(await statuses(provider, 2)).toEqual([200, 200]);
    expect(settled).toBe(false);
    call.destroy();
  });

  it('drips a body that stays valid JSON and never ends', async () => {
    const provider = await startSimulator();
    provider.token.next().drip('body', 1);
    const call = openTokenRequest(provider);
    const [response] = await once(call, 'response');
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await expect.poll(() => /\} {3}/.test(text), { timeout: 20_000 }).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ access_token: provider.tokenRequests[0]?.token });
    expect(response.complete).toBe(false);
    call.destroy();
  });

  it('drips headers until the client disconnects', async () => {
    const provider = await startSimulator();
    provider.token.next().drip('headers', 1);
    const call = openTokenRequest(provider);
    let received = 0;
    call.on('socket', (socket) => socket.on('data', (chunk: Buffer) => (received += chunk.length)));
    let answered = false;
    call.on('response', () => (answered = true));
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(200);
    expect(answered).toBe(false);
    call.destroy();
  });

  it('drips interim answers', async () => {
    const provider = await startSimulator();
    provider.token.next().drip('interim', 1);
    const call = openTokenRequest(provider);
    const seen: number[] = [];
    call.on('information', ({ statusCode }: { statusCode: number }) => seen.push(statusCode));
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(new Set(seen)).toEqual(new Set([102]));
    call.destroy();
  });

  it('sends a body without end', async () => {
    const provider = await startSimulator();
    provider.token.next().flood({ status: 401, headers: { 'X-Mood': 'tea' } });
    const call = openTokenRequest(provider);
    const [response] = await once(call, 'response');
    expect(response).toMatchObject({ statusCode: 401, headers: { 'x-mood': 'tea' } });
    let received = 0;
    response.on('data', (chunk: Buffer) => (received += chunk.length));
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(2 ** 20);
    call.destroy();
  });

  it.each([204, 304])('sends no body without end if the status %i allows none', async (status) => {
    const provider = await startSimulator();
    provider.token.next().flood({ status });
    const answer = await askForToken(provider);
    expect([answer.status, answer.text]).toEqual([status, '']);
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('sends bytes that are not HTTP', async () => {
    const provider = await startSimulator();
    provider.token.next().garbage();
    provider.token
      .next()
      .garbage('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\nConnection: close\r\n\r\n{}');
    expect(await statuses(provider, 3)).toEqual([
      expect.stringMatching(/^HPE_/),
      expect.stringMatching(/^HPE_/),
      200,
    ]);
  });

  it('switches protocols although the client did not ask', async () => {
    const provider = await startSimulator();
    provider.token.next().switchProtocols('tea');
    const call = openTokenRequest(provider);
    const [response, socket] = await once(call, 'upgrade');
    expect(response).toMatchObject({ statusCode: 101, headers: { upgrade: 'tea' } });
    socket.destroy();
  });

  it('runs a handler, which gets the regular answer', async () => {
    const provider = await startSimulator();
    provider.token.next().handler((_request, response) => {
      response.writeHead(207).end('mine');
    });
    provider.token.next().handler(async (request, response, exchange) => {
      const { body } = await exchange.regular();
      response.end(`${request.method} ${exchange.body.length} ${body.toString().includes('access_token')}`);
    });
    const first = await askForToken(provider);
    const second = await askForToken(provider);
    expect([first.status, first.text]).toEqual([207, 'mine']);
    expect(second.text).toMatch(/^POST \d+ true$/);
    await expect.poll(() => provider.tokenRequests.map(({ status }) => status)).toEqual([207, 200]);
  });

  it('continues after a handler that writes to a client that has disconnected', async () => {
    const provider = await startSimulator();
    const failure = new Promise((resolve) => {
      provider.token.next().handler(async (_request, response) => {
        response.write('half');
        await once(response, 'close');
        response.write('the other half', resolve);
      });
    });
    const call = openTokenRequest(provider);
    await once(call, 'response');
    call.destroy();
    expect(await failure).toMatchObject({ code: 'ERR_STREAM_DESTROYED' });
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it.each<[string, (provider: ProviderSimulator) => void]>([
    ['a reason that no status line can hold', ({ token }) => token.status(503, { reason: 'ü→' })],
    ['a reason of two lines', ({ token }) => token.status(503, { reason: 'Odd\r\nX-Mood: tea' })],
    ['a header that cannot be sent', ({ token }) => token.status(503, { headers: { mood: 'ü→' } })],
    [
      'a handler that fails after it chose reason and headers',
      ({ token }) =>
        token.handler((_request, response) => {
          response.setHeader('trailer', 'mood').setHeader('content-encoding', 'gzip');
          response.statusMessage = 'ü→';
          throw new Error('written in haste');
        }),
    ],
  ])('answers 500 and goes on: %s', async (_what, script) => {
    const provider = await startSimulator();
    script(provider);
    const { status, reason, headers, json } = await askForToken(provider);
    expect({ status, reason, json }).toMatchObject({
      status: 500,
      reason: 'Internal Server Error',
      json: { error: 'simulator_script_failed' },
    });
    expect(headers).not.toHaveProperty('content-encoding');
    provider.reset();
    expect(await statuses(provider, 1)).toEqual([200]);
  });
});
