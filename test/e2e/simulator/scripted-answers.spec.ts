import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  askForToken,
  callApi,
  startSimulator,
  statuses,
  tokenOf,
} from '../../support/application/simulator.js';

describe('a scripted answer of the token endpoint', () => {
  it('has the status, reason, headers and body of the script', async () => {
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

  it('may have no body', async () => {
    const provider = await startSimulator();
    provider.token.status(204);
    const { status, text } = await askForToken(provider);
    expect([status, text]).toEqual([204, '']);
  });

  it('can change the regular answer', async () => {
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

  it('stays a refusal if the regular answer is a refusal', async () => {
    const provider = await startSimulator();
    provider.token.members({ extra: true });
    const { status, json } = await askForToken(provider, 'easy', 'sandbox', {
      body: 'grant_type=client_credentials',
    });
    expect({ status, json }).toMatchObject({ status: 400, json: { error: 'invalid_request', extra: true } });
  });

  it('can have Retry-After', async () => {
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

  it('can be a redirect', async () => {
    const provider = await startSimulator();
    provider.token.redirect('https://elsewhere.invalid/', 307);
    const { status, headers } = await askForToken(provider);
    expect([status, headers.location]).toEqual([307, 'https://elsewhere.invalid/']);
  });

  it('can be an error in the form of RFC 6749', async () => {
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

  it('can be late', async () => {
    const provider = await startSimulator();
    provider.token.next().delay(200);
    provider.token.next().after(200).status(503);
    for (const expected of [200, 503]) {
      const start = performance.now();
      const { status } = await askForToken(provider);
      expect(status).toBe(expected);
      expect(performance.now() - start).toBeGreaterThanOrEqual(199); // a busy machine is only later
    }
  });

  it('works with fake timers', async () => {
    const provider = await startSimulator();
    provider.token.delay(1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('always takes at least the latency', async () => {
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

  it('waits until the test releases it', async () => {
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

  it('can issue tokens with another lifetime and a wrong expires_in', async () => {
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

  it('can return the last token of the pair again, revoked or not', async () => {
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
