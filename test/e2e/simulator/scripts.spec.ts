import { once } from 'node:events';
import { request } from 'node:https';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import {
  askForToken,
  callApi,
  formOf,
  startSimulator,
  tokenOf,
} from '../../support/application/simulator.js';

/** What became of a call: its status, or the code of its error. */
async function outcome(call: Promise<{ status: number }>): Promise<number | string> {
  return call.then(
    ({ status }) => status,
    (error: { code: string }) => error.code,
  );
}

const statuses = async (provider: ProviderSimulator, count: number): Promise<(number | string)[]> => {
  const all: (number | string)[] = [];
  for (let call = 0; call < count; call += 1) all.push(await outcome(askForToken(provider)));
  return all;
};

/** Opens a token request and hands out what arrives, for answers that never end. */
function openTokenRequest(provider: ProviderSimulator) {
  const call = request(provider.tokenUrl('easy', 'sandbox'), {
    agent: provider.httpsAgent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  call.on('error', () => undefined);
  call.end(new URLSearchParams(formOf(provider, 'easy', 'sandbox')).toString());
  return call;
}

describe('the queue of scripts', () => {
  it('stands until it is reset, unless a number is given', async () => {
    const provider = await startSimulator();
    provider.token.status(503);
    expect(await statuses(provider, 3)).toEqual([503, 503, 503]);
    provider.api.status(503);
    provider.api.early().status(503);
    provider.reset();
    const { status } = await callApi(provider, await tokenOf(provider));
    expect(status).toBe(200);
  });

  it('uses numbered scripts up in the order they were written, before those that stand', async () => {
    const provider = await startSimulator();
    provider.token.status(500);
    provider.token.next().status(503);
    provider.token.next(2).status(429);
    provider.token.next(0).status(418);
    expect(await statuses(provider, 4)).toEqual([503, 429, 429, 500]);
    provider.token.status(502);
    expect(await statuses(provider, 1)).toEqual([502]);
  });

  it('lets a regular answer stand between two scripts', async () => {
    const provider = await startSimulator();
    provider.token.next().status(503);
    provider.token.next().regular();
    provider.token.next().status(502);
    expect(await statuses(provider, 4)).toEqual([503, 200, 502, 200]);
  });

  it('leaves a script for one interface and environment to those', async () => {
    const provider = await startSimulator();
    provider.token.for('easy', 'sandbox').next().status(503);
    provider.token.for('originations').status(502);
    const answers = [
      await askForToken(provider, 'easy', 'production'),
      await askForToken(provider, 'originations', 'sandbox'),
      await askForToken(provider, 'easy', 'sandbox'),
      await askForToken(provider, 'easy', 'sandbox'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 502, 503, 200]);
  });

  it('tells the environments of originations apart by the credentials', async () => {
    const provider = await startSimulator();
    provider.token.for('originations', 'production').status(503);
    const answers = [
      await askForToken(provider, 'originations', 'sandbox'),
      await askForToken(provider, 'originations', 'production'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 503]);
  });

  it('does not carry a scope over to the next script', async () => {
    const provider = await startSimulator();
    provider.token.for('easy').next().status(503);
    provider.token.next().status(502);
    expect(await outcome(askForToken(provider, 'originations', 'sandbox'))).toBe(502);
  });
});

describe('a scripted answer of the token endpoint', () => {
  it('has the status, reason, headers and body that were written', async () => {
    const provider = await startSimulator();
    provider.token.answer({
      status: 999,
      reason: 'Odd',
      headers: {
        'X-Mood': 'tea',
        'Content-Type': 'text/html',
        'set-cookie': ['a=1', 'b=2'],
        'Cache-Control': undefined,
      },
      body: '<h1>Login</h1>',
    });
    const { status, reason, headers, text } = await askForToken(provider);
    expect({ status, reason, text }).toEqual({ status: 999, reason: 'Odd', text: '<h1>Login</h1>' });
    expect(headers).toMatchObject({
      'x-mood': 'tea',
      'content-type': 'text/html',
      'set-cookie': ['a=1', 'b=2'],
    });
    expect(headers).not.toHaveProperty('cache-control');
    expect(provider.tokenRequests[0]).toMatchObject({ status: 999, token: undefined });
  });

  it('may have no body at all', async () => {
    const provider = await startSimulator();
    provider.token.status(204);
    const { status, text } = await askForToken(provider);
    expect([status, text]).toEqual([204, '']);
  });

  it('builds upon the regular answer', async () => {
    const provider = await startSimulator();
    provider.token.next().body((regular) => `\ufeff${regular}`);
    provider.token.next().body((regular) => gzipSync(regular), { headers: { 'content-encoding': 'gzip' } });
    provider.token.next().members({ expires_in: 'soon', token_type: undefined, extra: [1] });
    const marked = await askForToken(provider);
    const zipped = await askForToken(provider);
    const { json } = await askForToken(provider);
    const [first] = provider.tokenRequests;
    expect(marked.text).toMatch(/^\ufeff\{/);
    expect(JSON.parse(marked.text.slice(1))).toMatchObject({ access_token: first?.token });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json' });
    expect(json).toEqual({ access_token: provider.tokenRequests[2]?.token, expires_in: 'soon', extra: [1] });
  });

  it('stays a refusal when it builds upon one', async () => {
    const provider = await startSimulator();
    provider.token.members({ extra: true });
    const { status, json } = await askForToken(provider, 'easy', 'sandbox', {
      body: 'grant_type=client_credentials',
    });
    expect({ status, json }).toMatchObject({ status: 400, json: { error: 'invalid_request', extra: true } });
  });

  it('asks to come back later', async () => {
    const provider = await startSimulator();
    const date = new Date('2030-01-02T03:04:05Z');
    provider.token.next().retryAfter(7);
    provider.token.next().retryAfter(date, 429);
    provider.token.next().retryAfter('whenever');
    const answers = [await askForToken(provider), await askForToken(provider), await askForToken(provider)];
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '7'],
      [429, 'Wed, 02 Jan 2030 03:04:05 GMT'],
      [503, 'whenever'],
    ]);
  });

  it('redirects', async () => {
    const provider = await startSimulator();
    provider.token.redirect('https://elsewhere.invalid/', 307);
    const { status, headers } = await askForToken(provider);
    expect([status, headers.location]).toEqual([307, 'https://elsewhere.invalid/']);
  });

  it('refuses as RFC 6749 words it', async () => {
    const provider = await startSimulator();
    provider.token.next().refuse();
    provider.token.next().refuse('unauthorized_client', { description: 'not you' });
    const first = await askForToken(provider);
    const second = await askForToken(provider);
    expect([first.status, first.json]).toEqual([401, { error: 'invalid_client' }]);
    expect(first.headers['www-authenticate']).toMatch(/^Basic /);
    expect([second.status, second.json]).toEqual([
      400,
      { error: 'unauthorized_client', error_description: 'not you' },
    ]);
  });

  it('comes late', async () => {
    const provider = await startSimulator();
    provider.token.next().delay(200);
    provider.token.next().after(200).status(503);
    for (const expected of [200, 503]) {
      const start = performance.now();
      const { status } = await askForToken(provider);
      expect(status).toBe(expected);
      expect(performance.now() - start).toBeGreaterThanOrEqual(199); // a busy machine is only ever later
    }
  });

  it('goes on under a faked clock', async () => {
    const provider = await startSimulator();
    provider.token.delay(1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('takes as long as the latency says, whatever it is', async () => {
    const provider = await startSimulator({ latencyMs: 200 });
    provider.token.next().status(503);
    for (const call of [
      () => askForToken(provider),
      () => askForToken(provider),
      () => callApi(provider, 'no'),
    ]) {
      const start = performance.now();
      await call();
      expect(performance.now() - start).toBeGreaterThanOrEqual(199);
    }
  });

  it('waits until the test lets it go', async () => {
    const provider = await startSimulator();
    const held = provider.token.hold();
    const calls = Promise.all([askForToken(provider), askForToken(provider)]);
    await held.arrived;
    await expect.poll(() => provider.tokenRequests.length).toBe(2);
    expect(provider.tokenRequests.map(({ status }) => status)).toEqual([undefined, undefined]);
    held.release();
    expect((await calls).map(({ status }) => status)).toEqual([200, 200]);
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('gives tokens of another lifetime, and may lie about it', async () => {
    let now = Date.now();
    const provider = await startSimulator({ now: () => now });
    provider.token.next().lifetime(0.5);
    provider.token.next().lifetime(1, { expiresIn: 3600 });
    const short = await askForToken(provider);
    const lie = await askForToken(provider);
    expect([short.json['expires_in'], lie.json['expires_in']]).toEqual([0.5, 3600]);
    const [first, second] = provider.tokenRequests.map(({ token }) => token ?? '');
    const use = async (): Promise<number[]> => {
      const answers = [await callApi(provider, first ?? ''), await callApi(provider, second ?? '')];
      return answers.map(({ status }) => status);
    };
    expect(await use()).toEqual([200, 200]);
    now += 500;
    expect(await use()).toEqual([401, 200]);
    now += 500;
    expect(await use()).toEqual([401, 401]);
  });

  it('gives the same token again, to the same pair, revoked or not', async () => {
    const provider = await startSimulator();
    provider.token.next(4).sameTokenAgain();
    const first = await tokenOf(provider);
    provider.token.revokeAll();
    const again = await tokenOf(provider);
    const other = await tokenOf(provider, 'easy', 'production');
    const { status } = await callApi(provider, again);
    expect([again === first, other === first, status]).toEqual([true, false, 401]);
  });
});

describe('a scripted fault of the token endpoint', () => {
  it('resets the connection before anything was said, and serves the next request', async () => {
    const provider = await startSimulator();
    provider.token.next(2).reset();
    for (let call = 0; call < 2; call += 1) {
      await expect(askForToken(provider)).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
    }
    expect(await statuses(provider, 1)).toEqual([200]);
    expect(provider.tokenRequests.map(({ status }) => status)).toEqual([undefined, undefined, 200]);
  });

  it.each(['reset', 'hangUp'] as const)('breaks off in mid-body: %s', async (how) => {
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

  it('hangs up without a word', async () => {
    const provider = await startSimulator();
    provider.token.next().hangUp();
    // What Node says of an orderly end where an answer was due; a reset would name the system call.
    await expect(askForToken(provider)).rejects.toThrow('socket hang up');
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('hangs', async () => {
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

  it('drips a body that is valid at any time after its end and never ends', async () => {
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

  it('drips headers until the client has had enough', async () => {
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

  it('floods', async () => {
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

  it('talks garbage, its own or mine', async () => {
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

  it('switches protocols unasked', async () => {
    const provider = await startSimulator();
    provider.token.next().switchProtocols('tea');
    const call = openTokenRequest(provider);
    const [response, socket] = await once(call, 'upgrade');
    expect(response).toMatchObject({ statusCode: 101, headers: { upgrade: 'tea' } });
    socket.destroy();
  });

  it('does whatever a handler does, with the regular answer at hand', async () => {
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

  it('survives a handler that goes on writing to a client that has gone', async () => {
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

  it('shows the mistake of a handler to whoever wrote it', async () => {
    const provider = await startSimulator();
    provider.token.next().handler(() => {
      throw new Error('written in haste');
    });
    const { status, text } = await askForToken(provider);
    expect(status).toBe(500);
    expect(text).toContain('written in haste');
  });
});

describe('a script of the API', () => {
  it('speaks to requests with a valid token only, and is used up by no others', async () => {
    const provider = await startSimulator();
    provider.api.next().body({ id: 7 }, { status: 201 });
    const token = await tokenOf(provider);
    const refused = await callApi(provider, 'unknown');
    const { status, json } = await callApi(provider, token);
    expect([refused.status, status, json]).toEqual([401, 201, { id: 7 }]);
  });

  it('may be meant for one path, with any query, or for an expression', async () => {
    const provider = await startSimulator();
    provider.api.path('/payments').status(202);
    provider.api
      .for('easy')
      .path(/\?state=open$/g)
      .status(203);
    const token = await tokenOf(provider);
    const got: number[] = [];
    for (const path of ['/payments', '/payments?page=2', '/payments/7', '/x?state=open', '/x?state=open']) {
      const { status } = await callApi(provider, token, path);
      got.push(status);
    }
    expect(got).toEqual([202, 202, 200, 203, 203]);
  });

  it('B3: refuses valid tokens, for a while or always', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    provider.api.next(2).unauthorized();
    const got: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const { status, headers } = await callApi(provider, token);
      got.push(status === 401 ? headers['www-authenticate'] : status);
    }
    expect(got).toEqual(['Bearer error="invalid_token"', 'Bearer error="invalid_token"', 200]);
  });

  it('has the same faults as the token endpoint', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    provider.api.next().reset();
    provider.api.next().reset('mid-body');
    provider.api.next().garbage();
    provider.api.next().redirect('/elsewhere');
    provider.api.next().retryAfter(1);
    provider.api.next().body((regular) => regular.toUpperCase());
    const got: (number | string)[] = [];
    for (let call = 0; call < 5; call += 1) got.push(await outcome(callApi(provider, token)));
    expect(got).toEqual(['ECONNRESET', 'ECONNRESET', expect.stringMatching(/^HPE_/), 302, 503]);
    const { text } = await callApi(provider, token);
    expect(text).toContain('"METHOD":"GET"');
  });

  it('holds an answer while the token is revoked', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    const held = provider.api.hold();
    const call = callApi(provider, token);
    await held.arrived;
    provider.token.revokeAll();
    held.release();
    const [during, after] = [await call, await callApi(provider, token)];
    expect([during.status, after.status]).toEqual([200, 401]);
  });

  it('B4: may answer before the body of an upload has arrived', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    provider.api.early().next().unauthorized();
    const upload = request(provider.baseUrl('easy', 'sandbox'), {
      agent: provider.httpsAgent,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    upload.write('the first of many bytes');
    const [response] = await once(upload, 'response');
    expect(response.statusCode).toBe(401);
    upload.end();
    response.resume();
    await once(response, 'end');
    const { status } = await callApi(provider, token, '/', { method: 'POST', body: 'all' });
    expect(status).toBe(200);
    expect(provider.apiRequests.map(({ body }) => body.toString())).toEqual(['', 'all']);
  });
});
