import dns from 'node:dns';
import { Socket } from 'node:net';
import { Agent } from 'node:https';
import tls from 'node:tls';
import {
  AxiosError,
  type AxiosRequestConfig,
  create,
  getAdapter,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keepOffTheNetwork, NO_NETWORK, offlineAdapter } from '../../../../lib/testing/fake/no-network.js';
import { MemoryConnection } from '../../../support/http/memory-connection.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

const URL = 'https://easy.sandbox.invalid';
const NO_MOCK = (request: string): string =>
  `No mock answers ${request}, and ProviderAuthTestingModule lets nothing onto the network. ` +
  'Set axiosRef.defaults.adapter, use axios-mock-adapter, nock or msw, spy on the client, or let ProviderSimulator play the provider.';

const { adapter } = NO_NETWORK.open({} as never) as {
  adapter: (config: InternalAxiosRequestConfig) => Promise<unknown>;
};

/** A client that sends with the adapter of the transport. */
const client = (more: AxiosRequestConfig = {}) =>
  create({ baseURL: URL, adapter: adapter as never, ...more });

/** The config with which the HTTP adapter of axios was called, and the agent that it got. */
async function sentWith(config: AxiosRequestConfig, ...args: Parameters<typeof client>) {
  const seen: InternalAxiosRequestConfig[] = [];
  const spied = client(...args);
  spied.defaults.adapter = (one) => {
    seen.push(one);
    return adapter(one) as never;
  };
  const error = await errorOf(spied.request(config));
  return { sent: seen[0]!, agent: seen[0]?.httpsAgent as Agent, error };
}

describe('B29: the transport of a test without a network', () => {
  it('says that it uses TLS and acts as HTTP, and closes at once', async () => {
    const opened = NO_NETWORK.open({} as never);
    expect([NO_NETWORK.usesTls, opened]).toMatchObject([true, { actsAsHttp: true }]);
    await expect(opened.close()).resolves.toBeUndefined();
  });

  it.each<[config: AxiosRequestConfig, request: string]>([
    [{ url: '/payments/1' }, 'GET https://easy.sandbox.invalid/payments/1'],
    [
      { url: '/payments', params: { x: 1 }, method: 'post', data: {} },
      'POST https://easy.sandbox.invalid/payments?x=1',
    ],
    [{ url: '/a', baseURL: 'https://127.0.0.1:1' }, 'GET https://127.0.0.1:1/a'],
    [{ url: '/a', baseURL: 'https://[::1]:1' }, 'GET https://[::1]:1/a'],
  ])('refuses %j at once, and says what to do', async (config, request) => {
    const connect = vi.spyOn(Socket.prototype, 'connect');
    const isIp = config.baseURL !== undefined;
    const error = await errorOf(client().request(config));
    expect(error).toMatchObject({ message: NO_MOCK(request), code: 'ERR_NO_MOCK', name: 'Error' });
    expect(error).not.toBeInstanceOf(AxiosError);
    // A mock of sockets sees the connection to a name. It ends before its look-up.
    expect(connect.mock.calls.length).toBe(isIp ? 0 : 1);
  });

  it('uses no proxy, no agent of the request and no HTTP/2', async () => {
    const proxy = { protocol: 'http', host: '127.0.0.1', port: 1 };
    const { sent, agent, error } = await sentWith({
      url: '/',
      proxy,
      httpsAgent: {},
      httpVersion: 2,
    } as never);
    expect(sent).toMatchObject({ proxy: false, httpVersion: 1 });
    expect(agent.options).toMatchObject({ rejectUnauthorized: true });
    expect(error).toMatchObject({ code: 'ERR_NO_MOCK' });
  });

  it.each([
    ['with', true],
    ['without', false],
  ])('names the address of a redirect of a request %s a hook', async (_, hasHook) => {
    const hook = vi.fn<(...args: unknown[]) => void>();
    const { sent, agent } = await sentWith({ url: '/', ...(hasHook && { beforeRedirect: hook }) });
    const options = { method: 'GET', href: 'https://elsewhere.invalid/receipt' };
    const details = [{ headers: {}, statusCode: 302 }, { headers: {} }];
    (sent.beforeRedirect as (...args: unknown[]) => void)(options, ...details);
    expect(hook.mock.calls).toEqual(hasHook ? [[options, ...details]] : []);
    const socket = agent.createConnection({ host: '127.0.0.1' }, () => undefined) as Socket;
    const [error] = await new Promise<unknown[]>((resolve) => socket.on('error', (...all) => resolve(all)));
    expect(error).toMatchObject({ message: NO_MOCK('GET https://elsewhere.invalid/receipt') });
  });

  it('fails a socket only when code listens for its errors', async () => {
    const { agent } = await sentWith({ url: '/' });
    const socket = agent.createConnection({ host: '::1' }, () => undefined) as Socket;
    socket.on('close', () => undefined);
    expect(socket.destroyed).toBe(false);
    socket.on('error', () => undefined);
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    [new TypeError('Promise.withResolvers is not a function'), 'Promise.withResolvers is not a function'],
    ['a text', 'a text'],
  ])('shows the error of a mock of sockets: %s', async (failure, reason) => {
    vi.spyOn(tls, 'connect').mockImplementation(() => {
      // A mock of others may throw anything.
      throw failure as Error;
    });
    const error = await errorOf(client().get('/payments/1'));
    expect(error).toMatchObject({
      message: `The mock that was to answer GET https://easy.sandbox.invalid/payments/1 failed: ${reason}`,
      code: 'ERR_MOCK_FAILED',
      cause: failure,
    });
  });

  it('gives the options of a connection to a mock of sockets, and a look-up that fails at once', async () => {
    const connect = vi.spyOn(tls, 'connect').mockImplementation((() => new Socket()) as never);
    const { agent } = await sentWith({ url: '/', timeout: 1 });
    connect.mockClear();
    agent.createConnection({ host: 'easy.sandbox.invalid', port: 443 }, () => undefined);
    const [options] = connect.mock.calls[0] as never as [{ lookup: (...args: unknown[]) => void }];
    expect(options).toMatchObject({ host: 'easy.sandbox.invalid', port: 443 });
    const failures: unknown[] = [];
    options.lookup('easy.sandbox.invalid', {}, (error: unknown) => failures.push(error));
    expect(failures).toMatchObject([{ code: 'ERR_NO_MOCK' }]);
  });

  it.each([
    ['ERR_NO_MOCK', true],
    ['ERR_MOCK_FAILED', true],
    ['ERR_NOCK_NO_MATCH', true],
    ['ECONNRESET', false],
  ])(
    'rejects with the error itself if no mock has answered, so that nothing repeats it: %s',
    async (code, isBare) => {
      const failure = Object.assign(new Error('from a socket'), { code });
      vi.spyOn(tls, 'connect').mockImplementation(() => {
        const socket = Object.assign(new MemoryConnection().client, { setTimeout: () => undefined });
        setImmediate(() => socket.destroy(failure));
        return socket as object as tls.TLSSocket;
      });
      const error = await errorOf(client().get('/'));
      expect(error instanceof AxiosError).toBe(!isBare);
      expect(isBare ? error : (error as Error).cause).toBe(failure);
    },
  );

  it('rejects with an error of axios that has no cause', async () => {
    const failure = new AxiosError('of a transport', 'ERR_NO_MOCK');
    const request = () => {
      throw failure;
    };
    expect(await errorOf(client().get('/', { transport: { request } }))).toBe(failure);
  });
});

/** An instance that a test has, after the module has closed it. */
function closedInstance(own = adapter as never) {
  const instance = create({ baseURL: URL, adapter: own });
  keepOffTheNetwork(instance);
  return instance;
}

describe('B29: an instance that is kept off the network', () => {
  it.each<[string, AxiosRequestConfig]>([
    ['http', { adapter: 'http' }],
    ['http with an agent', { adapter: 'http', httpsAgent: new Agent() }],
    ['fetch', { adapter: 'fetch' }],
    ['the first adapter that exists', { adapter: ['xhr', 'http', 'fetch'] }],
    ['a function of axios', { adapter: getAdapter('fetch') }],
    ['a function of axios for HTTP', { adapter: getAdapter('http') }],
  ])('replaces the adapter that a request chooses, and resolves no name: %s', async (_, config) => {
    const lookUp = vi.spyOn(dns, 'lookup');
    const refusal = { code: 'ERR_NO_MOCK', message: NO_MOCK('GET https://easy.sandbox.invalid/') };
    expect(await errorOf(closedInstance().get('/', config))).toMatchObject(refusal);
    const instance = closedInstance();
    // It runs before the interceptor of the module.
    instance.interceptors.request.use((one) => Object.assign(one, config));
    expect(await errorOf(instance.get('/'))).toMatchObject(refusal);
    expect(lookUp).not.toHaveBeenCalled();
  });

  it('keeps an adapter of the test', async () => {
    const answer = { status: 200, statusText: '', headers: {}, data: 'mocked' };
    const mocked = (config: InternalAxiosRequestConfig) => Promise.resolve({ ...answer, config });
    expect((await closedInstance().get('/', { adapter: mocked })).data).toBe('mocked');
  });

  it('keeps a fetch function of the test', async () => {
    const taken = vi.fn<() => Promise<Response>>(() => Promise.resolve(new Response('"taken"')));
    const { data } = await closedInstance().get('/', { adapter: 'fetch', env: { fetch: taken } });
    expect(data).toBe('taken');
    vi.stubGlobal('fetch', taken);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect((await closedInstance().get('/', { adapter: 'fetch' })).data).toBe('taken');
  });

  it('leaves the error for an adapter that does not exist to axios', async () => {
    const instance = closedInstance();
    expect(await errorOf(instance.get('/', { adapter: 'htp' }))).toMatchObject({
      message: expect.stringMatching(/no suitable adapter|Unknown adapter/i),
    });
  });

  it('has an interceptor that adds no asynchronous step', () => {
    const instance = create();
    const use = vi.spyOn(instance.interceptors.request, 'use');
    keepOffTheNetwork(instance);
    expect(use.mock.calls).toEqual([[expect.any(Function), undefined, { synchronous: true }]]);
  });

  it('does nothing for an instance without an adapter', () => {
    const instance = create();
    delete instance.defaults.adapter;
    const use = vi.spyOn(instance.interceptors.request, 'use');
    keepOffTheNetwork(instance);
    const [closed] = use.mock.calls[0] as [(config: object) => unknown];
    expect(closed({ adapter: 'http' })).toEqual({ adapter: 'http' });
  });
});

describe('B21: the adapter of fetch', () => {
  it.each<[string, unknown, boolean]>([
    ['a mock', () => Promise.reject(new Error('mocked')), true],
    ['http', 'http', false],
    ['fetch', 'fetch', false],
    ['an adapter that does not exist', 'htp', true],
  ])('is that of its client if it opens no connection: %s', (_, own, isKept) => {
    const instance = create();
    instance.defaults.adapter = own as never;
    expect(offlineAdapter(instance)).toBe(isKept ? own : undefined);
  });
});
