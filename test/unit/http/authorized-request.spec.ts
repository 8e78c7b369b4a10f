import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { steeredClient } from '../../support/http/http-client.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

describe('the token of a request', () => {
  it.each([
    ['an Authorization header', { headers: { Authorization: 'Bearer own' } }],
    ['a header in lower case', { headers: { authorization: 'Basic own' } }],
    ['auth', { auth: { username: 'me', password: 'mine' } }],
    ['userinfo', { url: 'https://me:mine@api.example.com/v1/payments' }],
  ])("R25: leaves a caller's own credentials alone: %s", async (_, own) => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    const { status } = await axios.request({ url: '/payments', ...own, ...everyStatus });
    expect(status).toBe(401);
    expect(stub.seen).toHaveLength(1);
    expect(JSON.stringify(stub.authorizations)).not.toContain('canary');
    expect(tokens.renewals).toEqual([]);
    expect(tokens.accepts).toEqual([]);
  });

  it.each([[false], [null], [undefined]])(
    'S7: an Authorization header of %s is no credential, so the token is sent',
    async (value) => {
      const { axios, stub } = steeredClient();
      await axios.get('/payments', { headers: { Authorization: value as never } });
      expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    },
  );
});

describe('a refused request', () => {
  it('S6: is sent if its Host header names the host of the base URL', async () => {
    const { axios, stub } = steeredClient();
    await axios.get('/x', { headers: { host: 'API.example.com' } });
    expect(stub.seen).toHaveLength(1);
  });

  it('S6: is refused if the serializer of its params leads it elsewhere', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      config.paramsSerializer = { serialize: () => (config.headers.set('Host', 'evil.example'), 'a=1') };
      return config;
    });
    const error = await errorOf(axios.get('/x', { params: { a: 1 } }));
    expect([error, stub.seen]).toMatchObject([{ code: 'OUTSIDE_BASE_URL' }, []]);
  });

  it('S6: is refused if its form leads it elsewhere while its length is awaited', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      const getHeaders = (): object => (config.headers.set('Host', 'evil.example'), {});
      return Object.assign(config, { data: Object.assign(Readable.from(['x']), { getHeaders }) });
    });
    expect([await errorOf(axios.post('/x')), stub.seen]).toMatchObject([{ code: 'OUTSIDE_BASE_URL' }, []]);
  });
});

/** Two calls that wait for one token request of 2 s. The first has half of that time. */
function twoCallers({
  axios,
  tokens,
  clock,
}: Pick<ReturnType<typeof steeredClient>, 'axios' | 'tokens' | 'clock'>) {
  const shared = new Promise<AccessToken>((resolve) => clock.after(2_000, () => resolve(tokens.another())));
  tokens.fetch = () => shared;
  const leaving = new Watched(axios.get('/payments', { timeout: 1_000 }));
  const staying = new Watched(axios.get('/payments', { timeout: 3_000 }));
  return { leaving, staying };
}

describe('the deadline of a call', () => {
  it.each([
    ['token', []],
    ['renewal', [401, 401, 200]],
  ])('B5: ends the wait of one caller for a %s, and of no other', async (what, statuses) => {
    const { axios, stub, tokens, clock } = steeredClient();
    if (what === 'token') tokens.inMemory = undefined;
    stub.statuses = [...statuses, 200];
    const { leaving, staying } = twoCallers({ axios, tokens, clock });
    await clock.advance(1_000);
    expect([leaving.state, staying.state]).toEqual(['failed', 'waiting']);
    // The provider must know who has left.
    expect(tokens.signals.map((signal) => signal?.aborted)).toEqual([true, false]);
    await clock.advance(1_000);
    expect(staying.result?.status).toBe(200);
  });

  it('B4: is the setting if the request has no timeout, and unlimited if the timeout is 0', async () => {
    const { axios, stub, clock } = steeredClient({ timeoutMs: 77 });
    stub.respond = () => new Promise(() => {});
    void new Watched(axios.get('/payments'));
    void new Watched(axios.get('/payments', { timeout: 0 }));
    await settled();
    expect(clock.history).toEqual([{ ms: 77 }]);
  });

  it('B9: leaves no timer', async () => {
    const { axios, clock, stub } = steeredClient();
    await axios.get('/payments');
    stub.respond = () => Promise.reject(new Error('no'));
    await errorOf(axios.get('/payments'));
    expect(clock.pending()).toEqual([]);
  });

  it('B12: gives an adapter another reason, into which the adapter may write its config', async () => {
    const { axios, stub, clock } = steeredClient();
    stub.respond = (config) =>
      new Promise((_, reject) => {
        const rejectWith = (reason?: unknown): void => reject(Object.assign(reason as Error, { config }));
        config.cancelToken?.subscribe(rejectWith);
      });
    const call = new Watched(axios.get('/payments', { timeout: 5 }));
    await settled();
    await clock.advance(5);
    expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    expect(findCanaries(call.error, { token: 'canary-token-1' })).toEqual([]);
  });
});
