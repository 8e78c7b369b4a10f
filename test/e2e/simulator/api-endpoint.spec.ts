import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callHttps } from '../../support/http/https-call.js';
import { ALL_PAIRS, callApi, startSimulator, tokenOf } from '../../support/application/simulator.js';

const CHALLENGE = 'Bearer error="invalid_token"';

describe('the API of the simulator', () => {
  it.each(ALL_PAIRS)(
    'S6: answers %s %s with what arrived and without the token',
    async (name, environment) => {
      const provider = await startSimulator();
      const token = await tokenOf(provider, name, environment);
      const body = Buffer.from([0, 255, 10, 13, 128]);
      const { status, text, json } = await callApi(provider, token, '/payments/7?expand=all', {
        name,
        environment,
        method: 'POST',
        body,
      });
      expect(status).toBe(200);
      expect(json).toEqual({
        interface: name,
        environment,
        method: 'POST',
        path: '/payments/7?expand=all',
        bodyLength: 5,
        bodySha256: createHash('sha256').update(body).digest('hex'),
      });
      expect(text).not.toContain(token);
    },
  );

  it('S5: accepts a token only in its interface and environment', async () => {
    const provider = await startSimulator();
    const tokens = await Promise.all(ALL_PAIRS.map((pair) => tokenOf(provider, ...pair)));
    const table = await Promise.all(
      tokens.map((token) =>
        Promise.all(
          ALL_PAIRS.map(async ([name, environment]) => {
            const { status, headers } = await callApi(provider, token, '/', { name, environment });
            return status === 401 ? headers['www-authenticate'] : status;
          }),
        ),
      ),
    );
    expect(table).toEqual([
      [200, CHALLENGE, CHALLENGE, CHALLENGE],
      [CHALLENGE, 200, CHALLENGE, CHALLENGE],
      [CHALLENGE, CHALLENGE, 200, CHALLENGE],
      [CHALLENGE, CHALLENGE, CHALLENGE, 200],
    ]);
  });

  it.each([
    ['no Authorization', undefined],
    ['an unknown token', 'Bearer unknown'],
    ['an empty token', 'Bearer '],
    ['another scheme', 'Basic %'],
    ['another spelling of the scheme', 'bearer %'],
    ['two spaces', 'Bearer  %'],
    ['a token with something behind it', 'Bearer %x'],
  ])('S6: refuses %s', async (_, header) => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    const authorization = header?.replace('%', token);
    const { status, headers } = await callHttps(`${provider.baseUrl('easy', 'sandbox')}/payments`, {
      agent: provider.httpsAgent,
      headers: authorization === undefined ? {} : { authorization },
    });
    expect([status, headers['www-authenticate']]).toEqual([401, CHALLENGE]);
  });

  it('S6: resolves dot segments before it reads the path', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    const { origin, pathname } = new URL(provider.baseUrl('easy', 'sandbox'));
    const other = new URL(provider.baseUrl('easy', 'production')).pathname;
    // As `path`, because a URL would be resolved before it is sent.
    const sent = async (path: string): Promise<number> => {
      const { status } = await callHttps(origin, {
        agent: provider.httpsAgent,
        path,
        headers: { authorization: `Bearer ${token}` },
      });
      return status;
    };
    expect(await sent(`${pathname}/a/../b`)).toBe(200);
    expect(await sent(`${pathname}/../../..${other}/payments`)).toBe(401);
    expect(await sent(`${pathname}/%2e%2e/%2E%2E/..${other}/payments`)).toBe(401);
    expect(await sent(`${pathname}0/payments`)).toBe(404);
  });

  it('S6: records each request with its bytes, and a request to an undocumented address without an interface', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    await callApi(provider, token, '/a?b=c', { method: 'PUT', body: 'bytes', headers: { 'x-call': '7' } });
    await callApi(provider, 'unknown');
    await callHttps(`${provider.origin}/elsewhere`, { agent: provider.httpsAgent });
    const [good, bad, stray] = provider.apiRequests;
    expect(good).toMatchObject({
      interface: 'easy',
      environment: 'sandbox',
      method: 'PUT',
      path: '/a?b=c',
      headers: { 'x-call': '7', authorization: `Bearer ${token}` },
      status: 200,
      claims: { interface: 'easy', environment: 'sandbox' },
      tokenFingerprint: createHash('sha256').update(token).digest('hex').slice(0, 16),
    });
    expect(good?.body).toEqual(Buffer.from('bytes'));
    expect(bad).toMatchObject({ status: 401, claims: undefined, tokenFingerprint: expect.any(String) });
    expect(stray).toMatchObject({ interface: undefined, path: '/elsewhere', status: 404 });
    provider.reset();
    expect(provider.apiRequests).toEqual([]);
  });
});
