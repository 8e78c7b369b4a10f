import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { askForToken, callApi, startSimulator, statuses } from '../../support/application/simulator.js';

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
});
