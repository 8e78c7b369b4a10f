import { EventEmitter } from 'node:events';
import { Agent } from 'node:https';
import type { AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

describe('a refused request', () => {
  it.each([
    ['OUTSIDE_BASE_URL', { url: 'https://evil.example/x' }],
    ['OUTSIDE_BASE_URL', { url: '../admin' }],
    ['OUTSIDE_BASE_URL', { url: '/x', socketPath: '/tmp/socket' }],
    ['OUTSIDE_BASE_URL', { url: '/x', headers: { Host: 'evil.example' } }],
    ['OUTSIDE_BASE_URL', { url: 'https://evil.example/x', headers: { Authorization: 'Bearer own' } }],
    ['INSECURE_URL', { url: 'http://api.example.com/v1/x' }],
  ])('S6: ends with %s: %j', async (code, request) => {
    const { axios, stub } = steeredClient();
    expect(await errorOf(axios.request(request))).toMatchObject({ name: 'RequestRefusedError', code });
    expect(stub.seen).toEqual([]);
  });

  it.each<[string, AxiosRequestConfig]>([
    ['an agent', { httpsAgent: new Agent({ rejectUnauthorized: false }) }],
    ['an agent for a proxy', { httpsAgent: { options: {}, connectOpts: { rejectUnauthorized: false } } }],
    ['settings for HTTP/2', { httpVersion: 2, http2Options: { rejectUnauthorized: false } }],
    [
      'an agent beside its own credentials',
      { httpsAgent: new Agent({ rejectUnauthorized: false }), auth: { username: 'me', password: 'mine' } },
    ],
  ])('S9: would not check the certificate of the server: %s', async (_, request) => {
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
  ])(
    'S9: would not check the certificate, because the process stopped its checks after the boot: %s',
    async (_, request) => {
      const { axios, stub, tokens } = steeredClient({ httpsAgent: new Agent() });
      tokens.inMemory = undefined;
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const error = await errorOf(axios.get('/x', request));
      expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_URL' });
      // The advice names the variable: a ca would help neither this agent nor fetch.
      expect((error as Error).message).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED=0.*answer it\. Remove that\. /);
      expect(stub.seen).toEqual([]);
      expect(tokens.signals).toEqual([]);
    },
  );

  it.each([
    ['a token', 0],
    ['another token after a 401', 1],
  ])('S9: is refused if the process stops its checks while the request waits for %s', async (_, sent) => {
    const { axios, stub, tokens } = steeredClient();
    if (sent === 0) tokens.inMemory = undefined;
    stub.statuses = [401];
    const fetchToken = tokens.fetch;
    tokens.fetch = () => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      return fetchToken();
    };
    const error = await errorOf(axios.get('/x', { httpsAgent: new Agent() }));
    expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_URL' });
    expect(stub.seen).toHaveLength(sent);
  });

  it.each<[string, object]>([
    ['before the first call', {}],
    ['while the call waits for a token', { waits: true }],
  ])(
    'S9: is refused if the agent of the application stops its checks %s',
    async (_, { waits = false }: { waits?: boolean }) => {
      const httpsAgent = new Agent();
      const { axios, stub, tokens } = steeredClient({ httpsAgent });
      const adapter = (config: InternalAxiosRequestConfig) => stub.adapter(config);
      const change = (): void => void (httpsAgent.options.rejectUnauthorized = false);
      if (waits) {
        tokens.inMemory = undefined;
        const fetchToken = tokens.fetch;
        tokens.fetch = () => (change(), fetchToken());
      } else change();
      expect(await errorOf(axios.get('/x', { adapter }))).toMatchObject({ code: 'INSECURE_URL' });
      expect(stub.seen).toEqual([]);
    },
  );

  it('S9: is sent in a process without checks if its agent insists on a check', async () => {
    const { axios, stub } = steeredClient();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await axios.get('/x', { httpsAgent: new Agent({ rejectUnauthorized: true }) });
    await axios.get('/x');
    expect(stub.seen).toHaveLength(2);
  });

  it.each([
    ['by default', new Agent()],
    ['by its option', new Agent({ rejectUnauthorized: true })],
  ])(
    'S9: is sent if its own agent checks certificates %s, and our private agent replaces that agent',
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

  it('S9: is sent if its own agent is of another class, which may check certificates in another way', async () => {
    const { axios, stub } = steeredClient();
    const httpsAgent = new (class extends EventEmitter {})();
    await axios.get('/x', { httpsAgent });
    expect(stub.seen[0]?.httpsAgent).toBe(httpsAgent);
  });

  it('S6: is sent if its Host header names the host of the base URL', async () => {
    const { axios, stub } = steeredClient();
    await axios.get('/x', { headers: { host: 'API.example.com' } });
    expect(stub.seen).toHaveLength(1);
  });

  it('S6: is refused if an interceptor of the user leads the address elsewhere', async () => {
    const { axios } = steeredClient();
    axios.interceptors.request.use((config) => Object.assign(config, { baseURL: 'https://evil.example' }));
    expect(await errorOf(axios.get('/x'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  });
});
