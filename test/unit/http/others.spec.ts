import { Agent } from 'node:https';
import {
  type AxiosAdapter,
  AxiosError,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosRequestConfig,
  type AxiosResponse,
  CanceledError,
  getAdapter,
} from 'axios';
import { describe, expect, it } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { answerTo, givenAdapter, steeredClient } from '../../support/http/http-client.js';
import { givenOutcomes } from '../../support/http/unauthorized-outcomes.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

const TOKEN = { token: 'canary-token-1', another: 'canary-token-2' };

const redirect = (location: string, status = 302): Partial<AxiosResponse> => ({
  status,
  headers: { location },
});

describe('the copy that an adapter of the caller gets', () => {
  it('B12: has the token, the agent of the pair, no redirects and a signal, and the config has none of that', async () => {
    const { axios } = steeredClient({ proxy: { host: 'proxy.example', port: 1 } });
    const { adapter, seen } = givenAdapter();
    const { signal } = new AbortController();
    const { config } = await axios.post(
      '/x',
      { a: 1 },
      { adapter, params: { b: 2 }, maxRedirects: 3, signal },
    );
    const [copy] = seen;
    expect(copy).not.toBe(config);
    expect(copy).toMatchObject({ url: '/x', params: { b: 2 }, data: '{"a":1}', maxRedirects: 0 });
    expect(copy).toMatchObject({ proxy: { host: 'proxy.example' }, httpsAgent: expect.any(Agent) });
    expect(copy?.headers.get('authorization')).toBe('Bearer canary-token-1');
    expect(copy?.signal).toBeInstanceOf(AbortSignal);
    expect(copy?.signal).not.toBe(signal);
    expect(config).toMatchObject({ adapter, maxRedirects: 3, signal });
    for (const name of ['httpsAgent', 'proxy']) expect(config).not.toHaveProperty(name);
    expect(findCanaries(config, TOKEN)).toEqual([]);
  });

  it('S9: keeps the agent and the proxy of the call', async () => {
    const { axios } = steeredClient({ proxy: { host: 'proxy.example', port: 1 } });
    const { adapter, seen } = givenAdapter();
    const httpsAgent = new Agent();
    await axios.get('/x', { adapter, httpsAgent, proxy: false });
    expect(seen[0]).toMatchObject({ proxy: false });
    expect(seen[0]?.httpsAgent).toBe(httpsAgent);
  });

  it('B5: has a signal that ends with the call', async () => {
    const { axios, clock } = steeredClient();
    let signal: AbortSignal | undefined;
    const adapter: AxiosAdapter = (config) => {
      signal = config.signal as AbortSignal;
      return new Promise(() => {});
    };
    const call = new Watched(axios.get('/x', { adapter, timeout: 5 }));
    await settled();
    expect(signal?.aborted).toBe(false);
    await clock.advance(5);
    expect([signal?.aborted, call.state]).toEqual([true, 'failed']);
  });
});

const rejectsWithConfig: AxiosAdapter = async (config) => {
  const response = { status: 401, config };
  throw Object.assign(new RangeError('no luck'), { config, request: { of: config }, response });
};

describe('the result of an adapter of the caller', () => {
  it.each([true, false])('B12: has our config and our request, and is frozen: %s', async (isFrozen) => {
    const { axios } = steeredClient();
    const adapter: AxiosAdapter = async (config) => {
      const response = { ...answerTo(config, 200, 'x'), request: { of: config } };
      return isFrozen ? Object.freeze(response) : response;
    };
    axios.interceptors.response.use((response) => response);
    const response = await axios
      .get('/x', { adapter, transformResponse: [] })
      .catch((error: unknown) => error);
    expect(response).toMatchObject({
      data: 'x',
      config: { adapter },
      request: { method: 'GET', host: 'api.example.com', path: '/v1/x', res: { statusCode: 200 } },
    });
    expect(findCanaries(response, TOKEN)).toEqual([]);
  });

  it.each([true, false])(
    'B12: if it is an error, has our config and our request, and is frozen: %s',
    async (isFrozen) => {
      const { axios } = steeredClient();
      const adapter: AxiosAdapter = async (config) => {
        const response = { ...answerTo(config, 500, 'no'), request: { of: config } };
        const error = new AxiosError('no luck', 'ERR_BAD_RESPONSE', config, { of: config }, response);
        if (isFrozen) Object.freeze(error);
        throw error;
      };
      const error = await errorOf(axios.get('/x', { adapter }));
      expect(error).toBeInstanceOf(AxiosError);
      expect(error).toMatchObject({
        message: 'no luck',
        config: { adapter },
        request: { path: '/v1/x' },
        response: { status: 500, data: 'no', config: { adapter }, request: { path: '/v1/x' } },
      });
      expect(findCanaries(error, TOKEN)).toEqual([]);
    },
  );

  it('B12: if it is an error of another class that leads to the config, has our config and our request', async () => {
    const { axios } = steeredClient();
    const error = await errorOf(axios.get('/x', { adapter: rejectsWithConfig }));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({
      message: 'no luck',
      config: { adapter: rejectsWithConfig },
      request: { path: '/v1/x' },
      response: { status: 401, config: { adapter: rejectsWithConfig } },
    });
    expect(findCanaries(error, TOKEN)).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['an error without a config', () => new AxiosError('no luck', 'ECONNRESET')],
    ['an error of another class', () => new RangeError('no luck')],
    ['a text', () => 'no luck'],
    ['a cancellation', () => new CanceledError('no luck')],
  ])('C3: %s reaches the caller as it is', async (_, make) => {
    const { axios } = steeredClient();
    const error = make();
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- adapters reject with anything
    expect(await errorOf(axios.get('/x', { adapter: () => Promise.reject(error) }))).toBe(error);
  });

  it('B28: an error that cannot be read fails its call, and not the process', async () => {
    const { axios } = steeredClient();
    const broken = Object.defineProperty(new AxiosError('no luck'), 'response', {
      get: () => {
        throw new RangeError('unreadable');
      },
    });
    const call = axios.get('/x', { adapter: () => Promise.reject(broken) });
    expect(await errorOf(call)).toMatchObject({ message: 'unreadable' });
  });

  it.each([401, 404, 302])('C2: may have no headers, with the status %i', async (status) => {
    const { axios } = steeredClient({ maxRedirects: 5 });
    const { adapter } = givenAdapter({ status, headers: undefined as never });
    expect(await errorOf(axios.get('/x', { adapter }))).toMatchObject({ status, response: { headers: {} } });
  });
});

describe('redirects that an adapter of the caller brings', () => {
  it('S6: are followed by the engine: each is a new copy for the new address', async () => {
    const { axios, tokens } = steeredClient();
    const { adapter, seen } = givenAdapter(redirect('/v1/b?c=d', 307), redirect('/v1/e', 303), {});
    const config = { adapter, maxRedirects: 2, params: { b: 2 } };
    expect((await axios.post('/x', { a: 1 }, config)).status).toBe(200);
    expect(
      seen.map(({ url, baseURL, params, method, data }) => [url, baseURL, params, method, data]),
    ).toEqual([
      ['/x', 'https://api.example.com/v1', { b: 2 }, 'post', '{"a":1}'],
      ['https://api.example.com/v1/b?c=d', undefined, undefined, 'post', '{"a":1}'],
      ['https://api.example.com/v1/e', undefined, undefined, 'get', undefined],
    ]);
    expect(seen.map(({ headers }) => headers.get('content-type') as unknown)).toEqual([
      'application/json',
      'application/json',
      undefined,
    ]);
    expect(tokens.accepts).toHaveLength(1);
  });

  it('B4: keep the body of a GET after a 303, as plain axios does', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter(redirect('/v1/b', 303), {});
    await axios.get('/x', { adapter, maxRedirects: 1, data: { a: 1 } });
    expect(seen.map(({ data }) => data as unknown)).toEqual(['{"a":1}', '{"a":1}']);
  });

  it('S6 B12: outside the base URL have no token, no auth of the caller, and not the agent of the pair', async () => {
    const { axios } = steeredClient();
    for (const auth of [undefined, { username: 'me', password: 'mine' }]) {
      const { adapter, seen, tokens } = givenAdapter(redirect('https://cdn.example/x'), {});
      await axios.get('/x', { adapter, maxRedirects: 1, ...(auth && { auth }) });
      expect(seen[1]?.url).toBe('https://cdn.example/x');
      expect([tokens()[1], seen[1]?.auth, seen[1]?.httpsAgent]).toEqual([undefined, undefined, undefined]);
    }
  });
});

describe('an adapter whose connection would be less safe', () => {
  it.each<[string, AxiosRequestConfig, object]>([
    ['any server', { httpsAgent: new Agent({ rejectUnauthorized: false }) }, { code: 'INSECURE_URL' }],
    ['elsewhere', { httpsAgent: new Agent({ host: 'evil.example' }) }, { code: 'OUTSIDE_BASE_URL' }],
  ])('S9 S6: is not called with an agent that leads to %s', async (_, config, refused) => {
    const { axios, tokens } = steeredClient();
    const { adapter, seen } = givenAdapter();
    tokens.inMemory = undefined;
    expect(await errorOf(axios.get('/x', { adapter, ...config }))).toMatchObject(refused);
    expect([seen, tokens.signals]).toEqual([[], []]);
  });

  it.each<[string, AxiosRequestConfig]>([
    ['the fetch adapter', { adapter: 'fetch' }],
    ['the function of the fetch adapter', { adapter: getAdapter('fetch') }],
    ["the caller's agent", { adapter: 'http', httpsAgent: new Agent() }],
  ])('S9: is not called with %s once the process checks no certificates', async (_, config) => {
    givenEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    const { axios } = steeredClient();
    expect(await errorOf(axios.get('/x', config))).toMatchObject({ code: 'INSECURE_URL' });
  });

  it("S9: is not called with the pair's agent of another class either", async () => {
    class OwnClass extends Agent {}
    const { axios } = steeredClient({ httpsAgent: new OwnClass() });
    const { adapter, seen } = givenAdapter();
    expect((await axios.get('/x', { adapter })).status).toBe(200);
    givenEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(await errorOf(axios.get('/x', { adapter }))).toMatchObject({ code: 'INSECURE_URL' });
    expect(seen).toHaveLength(1);
  });

  it('S9: is called in such a process with an agent that insists on checks', async () => {
    givenEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    await axios.get('/x', { adapter, httpsAgent: new Agent({ rejectUnauthorized: true }) });
    await axios.get('/x', { adapter });
    expect(seen).toHaveLength(2);
  });

  it.each<[string, Parameters<typeof steeredClient>]>([
    ['for a pair with tls', [{}, undefined, { tls: new ClientTls({}) }]],
    ['for an agent with a client certificate', [{ httpsAgent: new Agent({ cert: 'a certificate' }) }]],
  ])('S9: is the fetch adapter %s, which cannot carry the certificates', async (_, given) => {
    const { axios } = steeredClient(...given);
    const { adapter, seen } = givenAdapter();
    for (const byFetch of ['fetch', getAdapter('fetch')] as const)
      expect(await errorOf(axios.get('/x', { adapter: byFetch }))).toMatchObject({
        code: 'OPTION_NOT_SUPPORTED',
      });
    await axios.get('/x', { adapter });
    expect(seen).toHaveLength(1);
  });
});

const identified = (axios: AxiosInstance): AxiosInstance =>
  new ProviderHttpService(axios).for({ account: 'one' }).axiosRef;

/** Passes each request on, as a mock with `passThrough()` does. */
function givenPassThrough() {
  const client = steeredClient();
  const through = client.axios.defaults.adapter as AxiosAdapter;
  return { ...client, through, outcomes: givenOutcomes() };
}

describe('an adapter that ends in the engine', () => {
  it('B33 C3: sends once with one token, and a refusal is one renewal and one event', async () => {
    const { axios, stub, tokens, through, outcomes } = givenPassThrough();
    stub.statuses = [200, 401, 200];
    axios.defaults.adapter = (config) => through(config);
    const { config } = await axios.get('/x');
    expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    expect(tokens.accepts).toHaveLength(1);
    expect((await axios.get('/x')).status).toBe(200);
    expect(stub.authorizations.slice(1)).toEqual(['Bearer canary-token-1', 'Bearer canary-token-2']);
    expect([tokens.renewals.length, outcomes]).toEqual([1, ['recovered']]);
    expect(findCanaries(config, TOKEN)).toEqual([]);
  });

  it('B33: cannot turn the call of an account into one of the pair', async () => {
    const { axios, stub, tokens, clock, through } = givenPassThrough();
    const ofAccount = identified(axios);
    const rebuilt: AxiosAdapter = ({ url = '', baseURL = '', method = '' }) =>
      through({ url, baseURL, method, headers: new AxiosHeaders() });
    expect(await errorOf(ofAccount.get('/x', { adapter: rebuilt }))).toBeInstanceOf(TypeError);
    expect([stub.seen, clock.pending()]).toEqual([[], []]);
    await ofAccount.get('/x', { adapter: (config) => through({ ...config }) });
    await axios.get('/x', { adapter: rebuilt });
    expect(tokens.identities.map((one) => one?.account)).toEqual(['one', 'one', undefined, undefined]);
  });

  it("B33: cannot do so below the adapter of another pair's account either, whose own calls are free", async () => {
    const [{ axios, stub, through }, other] = [givenPassThrough(), givenPassThrough()];
    const rebuilt: AxiosAdapter = ({ url = '' }) =>
      through({ url, method: 'get', headers: new AxiosHeaders() });
    const throughOther: AxiosAdapter = (config) =>
      identified(other.axios).get('/other', { adapter: () => rebuilt(config) });
    expect(await errorOf(identified(axios).get('/x', { adapter: throughOther }))).toBeInstanceOf(TypeError);
    await identified(axios).get('/x', { adapter: () => other.axios.get('/free') });
    expect([stub.seen.length, other.stub.seen.length]).toEqual([0, 1]);
  });

  it('B12: loses the agent that was for the adapter, and keeps an agent of the call', async () => {
    const { axios, stub, through } = givenPassThrough();
    const httpsAgent = new Agent();
    axios.defaults.adapter = (config) => through({ ...config });
    await axios.get('/x');
    await axios.get('/x', { httpsAgent });
    expect(stub.seen.map((config) => config.httpsAgent as unknown)).toEqual([undefined, httpsAgent]);
  });

  it.each([
    ['another host', { url: 'https://evil.example.com/v1/x' }, 'OUTSIDE_BASE_URL'],
    ['http:', { url: 'http://api.example.com/v1/x' }, 'INSECURE_URL'],
  ])('S6: passes nothing on with %s', async (_, change, code) => {
    const { axios, stub, through } = givenPassThrough();
    axios.defaults.adapter = (config) => through({ ...config, ...change });
    expect(await errorOf(axios.get('/x'))).toMatchObject({ name: 'RequestRefusedError', code });
    axios.defaults.adapter = (config) => through({ ...config, url: 'y' });
    await axios.get('/x');
    expect(stub.seen).toMatchObject([{ url: 'y' }]);
  });
});
