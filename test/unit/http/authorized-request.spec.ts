import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import axios, { AxiosError, type AxiosRequestConfig, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { settled } from '../../support/token/fake-clock.js';
import { BASE_URL, steeredClient } from '../../support/http/http-client.js';
import { errorOf, failureOf, Watched } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

/** What the channel tells about the calls that are made meanwhile. */
async function outcomesOf(work: () => Promise<unknown>): Promise<string[]> {
  const outcomes: string[] = [];
  const note = (event: unknown): void => {
    outcomes.push((event as { outcome: string }).outcome);
  };
  subscribe('provider-auth:http-unauthorized', note);
  try {
    await work();
  } finally {
    unsubscribe('provider-auth:http-unauthorized', note);
  }
  return outcomes;
}

describe('attaching', () => {
  it('C3: puts the token on the wire and into nothing that the caller sees', async () => {
    const { axios, stub } = steeredClient();
    const response = await axios.get('/payments');
    expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    expect(response.config.headers.has('authorization')).toBe(false);
    expect(stub.seen[0]).not.toBe(response.config);
    expect(stub.seen[0]).not.toBeInstanceOf(Object);
  });

  it('C3: runs after all interceptors of the user, who never see the token', async () => {
    const { axios, stub } = steeredClient();
    const seen: unknown[] = [];
    axios.interceptors.request.use((config) => {
      seen.push(config.headers.toJSON());
      return { ...config, url: '/changed' } as typeof config;
    });
    axios.interceptors.response.use((response) => {
      seen.push(response.config.headers.toJSON());
      return response;
    });
    const response = await axios.get('/payments');
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect(stub.seen[0]?.url).toBe('/changed');
    expect(response.config.url).toBe('/changed');
  });

  it('C2: leaves the adapter in the config as it was, for those who send that config again', async () => {
    const { axios, stub } = steeredClient();
    const adapter = (config: InternalAxiosRequestConfig) => stub.adapter(config);
    expect((await axios.get('/payments')).config.adapter).toBe(axios.defaults.adapter);
    expect((await axios.get('/payments', { adapter })).config.adapter).toBe(adapter);
    expect((await axios.request((await axios.get('/payments', { adapter })).config)).status).toBe(200);
    expect(new Set(stub.authorizations)).toEqual(new Set(['Bearer canary-token-1']));
  });

  it('S7: waits for a token that is not in memory', async () => {
    const { axios, stub, tokens } = steeredClient();
    tokens.inMemory = undefined;
    await axios.get('/payments');
    expect(stub.authorizations).toEqual(['Bearer canary-token-2']);
  });

  it('S7: sends nothing when no token can be had', async () => {
    const { axios, stub, tokens } = steeredClient();
    const failure = failureOf('TOKEN_REJECTED');
    tokens.inMemory = undefined;
    tokens.fetch = () => Promise.reject(failure);
    expect(await errorOf(axios.get('/payments'))).toBe(failure);
    expect(stub.seen).toEqual([]);
  });

  it('S7: sends nothing once its interceptor was cleared away', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.clear();
    expect(await errorOf(axios.get('/payments'))).toMatchObject({
      name: 'TokenRequestError',
      code: 'TOKEN_UNAVAILABLE',
    });
    expect(stub.seen).toEqual([]);
  });

  it('S7: takes no part of what the application has put on the global axios', async () => {
    axios.defaults.headers.common['Authorization'] = 'Bearer somebody-elses';
    axios.defaults.auth = { username: 'somebody', password: 'else' };
    try {
      const { axios, stub } = steeredClient();
      await axios.get('/payments');
      expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
      expect(stub.seen[0]?.auth).toBeUndefined();
    } finally {
      delete axios.defaults.headers.common['Authorization'];
      delete axios.defaults.auth;
    }
  });

  it.each([
    ['an Authorization header', { headers: { Authorization: 'Bearer own' } }],
    ['one in lower case', { headers: { authorization: 'Basic own' } }],
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
    'S7: an Authorization header of %s is none of the caller: the token goes out',
    async (value) => {
      const { axios, stub } = steeredClient();
      await axios.get('/payments', { headers: { Authorization: value as never } });
      expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    },
  );
});

describe('refusing', () => {
  it.each([
    ['OUTSIDE_BASE_URL', { url: 'https://evil.example/x' }],
    ['OUTSIDE_BASE_URL', { url: '../admin' }],
    ['OUTSIDE_BASE_URL', { url: '/x', socketPath: '/tmp/socket' }],
    ['OUTSIDE_BASE_URL', { url: '/x', headers: { Host: 'evil.example' } }],
    ['OUTSIDE_BASE_URL', { url: 'https://evil.example/x', headers: { Authorization: 'Bearer own' } }],
    ['INSECURE_URL', { url: 'http://api.example.com/v1/x' }],
  ])('S6: %s for %j', async (code, request) => {
    const { axios, stub } = steeredClient();
    expect(await errorOf(axios.request(request))).toMatchObject({ name: 'RequestRefusedError', code });
    expect(stub.seen).toEqual([]);
  });

  it.each<[string, AxiosRequestConfig]>([
    ['an agent', { httpsAgent: new Agent({ rejectUnauthorized: false }) }],
    ['an agent for a proxy', { httpsAgent: { options: {}, connectOpts: { rejectUnauthorized: false } } }],
    ['settings for HTTP/2', { httpVersion: 2, http2Options: { rejectUnauthorized: false } }],
    [
      'an agent beside credentials of its own',
      { httpsAgent: new Agent({ rejectUnauthorized: false }), auth: { username: 'me', password: 'mine' } },
    ],
  ])('S9: a request whose certificate would not be checked: %s', async (_, request) => {
    const { axios, stub, tokens } = steeredClient();
    tokens.inMemory = undefined;
    const errors = [await errorOf(axios.get('/x', request))];
    Object.assign(axios.defaults, request);
    errors.push(await errorOf(axios.get('/x')));
    for (const error of errors) {
      expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_URL' });
      expect((error as Error).message).toMatch(/was not sent: .*rejectUnauthorized.* tls\.ca in code\.$/);
    }
    expect(stub.seen).toEqual([]);
    expect(tokens.signals).toEqual([]);
  });

  it.each<[string, AxiosRequestConfig]>([
    ['an agent', { httpsAgent: new Agent() }],
    ['HTTP/2', { httpVersion: 2 }],
    ['the fetch adapter', { adapter: 'fetch' }],
    ["the application's agent", { adapter: 'http' }],
  ])('S9: one that a process without checks leaves unchecked since its boot: %s', async (_, request) => {
    const { axios, stub, tokens } = steeredClient({ httpsAgent: new Agent() });
    tokens.inMemory = undefined;
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const error = await errorOf(axios.get('/x', request));
    expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_URL' });
    // What makes the request travel again: a ca would not, neither by this agent nor by fetch.
    expect((error as Error).message).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED=0.*answer it\. Remove that\. /);
    expect(stub.seen).toEqual([]);
    expect(tokens.signals).toEqual([]);
  });

  it.each([
    ['a token', 0],
    ['another token after a 401', 1],
  ])('S9: one that the process leaves unchecked since it waits for %s', async (_, sent) => {
    const { axios, stub, tokens } = steeredClient();
    if (sent === 0) tokens.inMemory = undefined;
    stub.statuses = [401];
    const bringing = tokens.fetch;
    tokens.fetch = () => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      return bringing();
    };
    const error = await errorOf(axios.get('/x', { httpsAgent: new Agent() }));
    expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_URL' });
    expect(stub.seen).toHaveLength(sent);
  });

  it.each<[string, object]>([
    ['before the first call', {}],
    ['while a token is awaited', { waits: true }],
  ])(
    'S9: one over an agent of the application that checks none since, changed %s',
    async (_, { waits = false }: { waits?: boolean }) => {
      const httpsAgent = new Agent();
      const { axios, stub, tokens } = steeredClient({ httpsAgent });
      const adapter = (config: InternalAxiosRequestConfig) => stub.adapter(config);
      const change = (): void => void (httpsAgent.options.rejectUnauthorized = false);
      if (waits) {
        tokens.inMemory = undefined;
        const bringing = tokens.fetch;
        tokens.fetch = () => (change(), bringing());
      } else change();
      expect(await errorOf(axios.get('/x', { adapter }))).toMatchObject({ code: 'INSECURE_URL' });
      expect(stub.seen).toEqual([]);
    },
  );

  it('S9: one that insists on its certificate travels in a process without checks', async () => {
    const { axios, stub } = steeredClient();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await axios.get('/x', { httpsAgent: new Agent({ rejectUnauthorized: true }) });
    await axios.get('/x');
    expect(stub.seen).toHaveLength(2);
  });

  it.each([
    ['as it is', new Agent()],
    ['said twice', new Agent({ rejectUnauthorized: true })],
  ])(
    "S9: a request's own agent may check certificates %s; one of ours stands in for it",
    async (_, httpsAgent) => {
      const { axios, stub } = steeredClient();
      await axios.get('/x', { httpsAgent });
      await axios.get('/x', { httpsAgent });
      const [first, second] = stub.seen.map((seen) => seen.httpsAgent as Agent);
      expect(first).toBeInstanceOf(Agent);
      expect(first).not.toBe(httpsAgent);
      expect(second).toBe(first);
    },
  );

  it("S9: a request's own agent may check certificates in a way of its own", async () => {
    const { axios, stub } = steeredClient();
    const httpsAgent = new (class extends EventEmitter {})();
    await axios.get('/x', { httpsAgent });
    expect(stub.seen[0]?.httpsAgent).toBe(httpsAgent);
  });

  it('S6: lets a Host header pass that names the host of the base URL', async () => {
    const { axios, stub } = steeredClient();
    await axios.get('/x', { headers: { host: 'API.example.com' } });
    expect(stub.seen).toHaveLength(1);
  });

  it('S6: judges what the user interceptors have made of the address', async () => {
    const { axios } = steeredClient();
    axios.interceptors.request.use((config) => Object.assign(config, { baseURL: 'https://evil.example' }));
    expect(await errorOf(axios.get('/x'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  });
});

describe('after a 401', () => {
  it('C3: renews the refused token and sends once more', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401, 200];
    const outcomes = await outcomesOf(async () => {
      const { status } = await axios.post('/payments', { amount: 1 });
      expect(status).toBe(200);
    });
    expect(stub.authorizations).toEqual(['Bearer canary-token-1', 'Bearer canary-token-2']);
    expect(stub.seen.map(({ data }) => data)).toEqual(['{"amount":1}', '{"amount":1}']);
    expect(tokens.renewals.map((token) => token.reveal())).toEqual(['canary-token-1']);
    expect(tokens.accepts.map((token) => token.reveal())).toEqual(['canary-token-2']);
    expect(outcomes).toEqual(['recovered']);
  });

  it('C3: sends exactly twice, not more', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    const outcomes = await outcomesOf(async () => {
      expect((await axios.get('/payments', everyStatus)).status).toBe(401);
    });
    expect(stub.seen).toHaveLength(2);
    expect(tokens.renewals).toHaveLength(1);
    expect(outcomes).toEqual(['refused']);
  });

  it('C3: tells of a 401 whose resend is refused, because its config was changed meanwhile', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401, 200];
    const configs: { url?: string }[] = [];
    axios.interceptors.request.use((config) => (configs.push(config), config));
    const bringing = tokens.fetch;
    tokens.fetch = () => {
      for (const config of configs) config.url = 'https://evil.example/x';
      return bringing();
    };
    const outcomes = await outcomesOf(async () => {
      expect(await errorOf(axios.get('/payments'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    });
    expect(stub.seen).toHaveLength(1);
    expect(outcomes).toEqual(['refused']);
  });

  it('C3: tells of a 401 whose renewal lasts longer than the call', async () => {
    const { axios, stub, tokens, clock } = steeredClient();
    stub.statuses = [401];
    tokens.fetch = () => new Promise(() => {});
    const outcomes = await outcomesOf(async () => {
      const call = new Watched(axios.get('/payments', { timeout: 10, ...everyStatus }));
      await settled();
      await clock.advance(10);
      expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    });
    expect(outcomes).toEqual(['refused']);
  });

  it('B4: a validateStatus that rejects 401 changes nothing', async () => {
    const { axios, stub } = steeredClient();
    stub.statuses = [401, 200];
    stub.respond = (config, status) => {
      const response = { data: '', status, statusText: '', headers: {}, config };
      if (status === 200) return response;
      throw new AxiosError('Request failed', 'ERR_BAD_REQUEST', config, undefined, response);
    };
    expect((await axios.get('/payments')).status).toBe(200);
  });

  it('B4: transforms the body once', async () => {
    const { axios, stub } = steeredClient();
    stub.statuses = [401, 200];
    let transformed = 0;
    await axios.post('/payments', 'body', {
      transformRequest: (body: string) => `${body}${(transformed += 1)}`,
    });
    expect(stub.seen.map(({ data }) => data)).toEqual(['body1', 'body1']);
  });

  it('B3: does not send again with the very token that was refused', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    tokens.fetch = () => Promise.resolve(tokens.inMemory!);
    const outcomes = await outcomesOf(() => axios.get('/payments', everyStatus));
    expect(stub.seen).toHaveLength(1);
    expect(outcomes).toEqual(['refused']);
  });

  it('B3: surfaces the original 401 when the renewal fails', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    tokens.fetch = () => Promise.reject(failureOf());
    const outcomes = await outcomesOf(async () => {
      expect((await axios.get('/payments', everyStatus)).status).toBe(401);
    });
    expect(outcomes).toEqual(['refused']);
  });

  it('B4: lets a streamed 401 go before it sends again', async () => {
    const { axios, stub } = steeredClient();
    const refusal = new Readable({ read: () => undefined });
    stub.statuses = [401, 200];
    stub.respond = (config, status) => ({
      data: status === 401 ? refusal : Readable.from(['x']),
      status,
      statusText: '',
      headers: {},
      config,
    });
    expect((await axios.get('/payments', { ...everyStatus, responseType: 'stream' })).status).toBe(200);
    expect(refusal.destroyed).toBe(true);
  });

  it('B4: does not send a stream again, renews for the next call and waits for nothing', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    tokens.fetch = () => Promise.reject(failureOf());
    const outcomes = await outcomesOf(async () => {
      expect((await axios.post('/uploads', Readable.from(['x']), everyStatus)).status).toBe(401);
    });
    expect(stub.seen).toHaveLength(1);
    expect(tokens.renewals).toHaveLength(1);
    expect(tokens.signals).toEqual([undefined]);
    expect(outcomes).toEqual(['not_replayable']);
  });

  it('C3: neither renews nor sends again where that is switched off', async () => {
    const { axios, stub, tokens } = steeredClient({ retryUnauthorized: false });
    stub.statuses = [401];
    const outcomes = await outcomesOf(() => axios.get('/payments', everyStatus));
    expect(stub.seen).toHaveLength(1);
    expect(tokens.renewals).toEqual([]);
    expect(outcomes).toEqual(['refused']);
  });

  it('C3: takes 403 and 407 for what they are', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [403, 407];
    await axios.get('/payments', everyStatus);
    await axios.get('/payments', everyStatus);
    expect(stub.seen).toHaveLength(2);
    expect(tokens.renewals).toEqual([]);
  });

  it('C3: tells nobody about an outcome that could not be seen', async () => {
    const { axios, stub } = steeredClient();
    stub.statuses = [401, 200];
    stub.respond = (config, status) => {
      if (status === 200) throw new AxiosError('socket hang up', 'ECONNRESET', config);
      return { data: '', status, statusText: '', headers: {}, config };
    };
    const outcomes = await outcomesOf(() => errorOf(axios.get('/payments', everyStatus)));
    expect(outcomes).toEqual(['refused']);
  });
});

describe('a token that works', () => {
  it.each([
    [200, true],
    [299, true],
    [304, true],
    [199, false],
    [300, false],
    [403, false],
    [500, false],
  ])('B3: is reported by a %i: %s', async (status, isReported) => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [status];
    await axios.get('/payments', everyStatus);
    expect(tokens.accepts.map((token) => token.reveal())).toEqual(isReported ? ['canary-token-1'] : []);
  });

  it('B3: is reported by an answer that a mock gives without data', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.respond = (config) =>
      Promise.resolve({ data: undefined, status: 204, statusText: '', headers: {}, config });
    await axios.get('/payments');
    expect(tokens.accepts).toHaveLength(1);
  });

  it.each([
    [200, undefined, 'stream has been aborted', []],
    [202, '', 'Request failed with status code 202', ['canary-token-1']],
    [304, '', 'Request failed with status code 304', ['canary-token-1']],
  ])('B3: is judged by the whole answer of a failure with %i: %s', async (status, data, message, accepts) => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [status];
    stub.respond = (config) => {
      const response = { data, status, statusText: '', headers: {}, config };
      return Promise.reject(new AxiosError(message, 'ERR_BAD_RESPONSE', config, {}, response));
    };
    await errorOf(axios.get('/payments'));
    expect(tokens.accepts.map((token) => token.reveal())).toEqual(accepts);
  });

  it("R25: is none that went out as the caller's own", async () => {
    const { axios, tokens } = steeredClient();
    await axios.get('/payments', { headers: { Authorization: 'Bearer own' } });
    expect(tokens.accepts).toEqual([]);
  });

  it('C3: is not told by an error without an answer, which the caller gets as it is', async () => {
    const { axios, stub, tokens } = steeredClient();
    const failure = new AxiosError('socket hang up', 'ECONNRESET');
    stub.respond = () => Promise.reject(failure);
    expect(await errorOf(axios.get('/payments'))).toBe(failure);
    expect(tokens.accepts).toEqual([]);
  });
});

describe('the budget', () => {
  it('B4: covers the wait for a token', async () => {
    const { axios, stub, tokens, clock } = steeredClient();
    tokens.inMemory = undefined;
    tokens.fetch = () => new Promise(() => {});
    const call = new Watched(axios.get('/payments', { timeout: 1_000 }));
    await clock.advance(999);
    expect(call.state).toBe('waiting');
    await clock.advance(1);
    expect(call.error).toMatchObject({
      code: 'ECONNABORTED',
      message: 'timeout of 1000ms exceeded while waiting for an access token of easy sandbox',
    });
    expect(stub.seen).toEqual([]);
    expect(tokens.signals[0]?.aborted).toBe(true);
  });

  it('B4: covers both attempts and the renewal between them with one number', async () => {
    const { axios, stub, tokens, clock } = steeredClient();
    stub.statuses = [401];
    const slow = <T>(value: T): Promise<T> =>
      new Promise((resolve) => clock.after(400, () => resolve(value), 'awaited'));
    stub.respond = (config, status) => slow({ data: '', status, statusText: '', headers: {}, config });
    tokens.fetch = () => slow(tokens.another());
    const call = new Watched(axios.get('/payments', { timeout: 1_000, ...everyStatus }));
    await clock.advance(999);
    expect(call.state).toBe('waiting');
    expect(stub.seen).toHaveLength(2);
    await clock.advance(1);
    expect(call.error).toMatchObject({ message: 'timeout of 1000ms exceeded' });
  });

  it('B4: ends during the renewal as well: the call ends in time, and its 401 is let go', async () => {
    const { axios, stub, tokens, clock } = steeredClient();
    const refusal = new Readable({ read: () => undefined });
    stub.respond = (config) => ({ data: refusal, status: 401, statusText: '', headers: {}, config });
    tokens.fetch = () => new Promise(() => {});
    const call = new Watched(axios.get('/payments', { timeout: 1_000, ...everyStatus }));
    await clock.advance(999);
    expect([call.state, refusal.destroyed]).toEqual(['waiting', false]);
    expect(tokens.signals.map((signal) => signal?.aborted)).toEqual([false]);
    await clock.advance(1);
    expect(call.error).toMatchObject({
      message: 'timeout of 1000ms exceeded while waiting for an access token of easy sandbox',
    });
    expect(refusal.destroyed).toBe(true);
    expect(tokens.signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('B4: honours what axios lets callers say about timeouts', async () => {
    const { axios, stub, clock } = steeredClient();
    stub.respond = () => new Promise(() => {});
    const call = new Watched(
      axios.get('/payments', {
        timeout: 10,
        timeoutErrorMessage: 'too slow',
        transitional: { clarifyTimeoutError: true },
      }),
    );
    await clock.advance(10);
    expect(call.error).toMatchObject({
      code: 'ETIMEDOUT',
      message: 'too slow',
      request: { method: 'GET', host: 'api.example.com', path: '/v1/payments' },
    });
  });

  it('B4: is the setting where the request says nothing, and none where it says 0', async () => {
    const { axios, stub, clock } = steeredClient({ timeoutMs: 77 });
    stub.respond = () => new Promise(() => {});
    void new Watched(axios.get('/payments'));
    void new Watched(axios.get('/payments', { timeout: 0 }));
    await settled();
    expect(clock.history).toEqual([{ ms: 77, kind: 'awaited' }]);
  });

  it('B9: leaves no timer behind', async () => {
    const { axios, clock, stub } = steeredClient();
    await axios.get('/payments');
    stub.respond = () => Promise.reject(new Error('no'));
    await errorOf(axios.get('/payments'));
    expect(clock.pending()).toEqual([]);
  });

  it('B5: an abort ends the wait for a token at once', async () => {
    const { axios, tokens } = steeredClient();
    tokens.inMemory = undefined;
    tokens.fetch = () => new Promise(() => {});
    const abort = new AbortController();
    const call = new Watched(axios.get('/payments', { signal: abort.signal }));
    await settled();
    abort.abort();
    await settled();
    expect(call.error).toMatchObject({ code: 'ERR_CANCELED', name: 'CanceledError' });
  });

  it('B5: a cancel token ends it with the reason that everybody gets, and nothing is written into that', async () => {
    const { axios, stub } = steeredClient();
    stub.respond = () => new Promise(() => {});
    const source = (await import('axios')).default.CancelToken.source();
    const call = new Watched(axios.get('/payments', { cancelToken: source.token }));
    await settled();
    source.cancel('no more');
    await settled();
    expect(call.error).toBe(source.token.reason);
    expect(source.token.reason).not.toHaveProperty('config');
  });

  it('B5: lets go of a signal that outlives the call', async () => {
    const { axios, stub } = steeredClient();
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    };
    await axios.get('/payments', { signal });
    stub.respond = () => Promise.reject(new Error('no'));
    await errorOf(axios.get('/payments', { signal }));
    expect(listeners.size).toBe(0);
  });

  it('B12: gives an adapter a reason of its own to hang its config on', async () => {
    const { axios, stub, clock } = steeredClient();
    stub.respond = (config) =>
      new Promise((_, reject) => {
        const hung = (reason?: unknown): void => reject(Object.assign(reason as Error, { config }));
        config.cancelToken?.subscribe(hung);
      });
    const call = new Watched(axios.get('/payments', { timeout: 5 }));
    await settled();
    await clock.advance(5);
    expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    expect(findCanaries(call.error, { token: 'canary-token-1' })).toEqual([]);
  });

  it('B5: gives an adapter a signal that it can hand on', async () => {
    const { axios, stub, clock } = steeredClient();
    stub.respond = () => new Promise(() => {});
    void new Watched(axios.get('/payments', { timeout: 5 }));
    await settled();
    const signal = stub.seen[0]?.signal as AbortSignal;
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(signal.aborted).toBe(false);
    await clock.advance(5);
    expect(signal.aborted).toBe(true);
  });
});

it('S6: an adapter gets the address as the caller wrote it', async () => {
  const { axios, stub } = steeredClient();
  await axios.get('/payments', { params: { page: 2 } });
  expect(stub.seen[0]).toMatchObject({ baseURL: BASE_URL, url: '/payments', params: { page: 2 } });
});

it("B12: an agent of the module goes to axios' adapters, and not to a transport with connections of its own", async () => {
  const { axios, stub } = steeredClient();
  await axios.get('/payments');
  await axios.get('/payments', { adapter: (config) => stub.adapter(config) });
  const response = await axios.get('/payments', { adapter: (config) => stub.adapter(config) });
  expect(stub.seen.map(({ httpsAgent }) => httpsAgent instanceof Agent)).toEqual([false, true, true]);
  expect(response.config).not.toHaveProperty('httpsAgent');
});
