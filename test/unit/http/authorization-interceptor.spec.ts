import { Agent } from 'node:https';
import globalAxios, { type AxiosAdapter, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { privateAgentFor } from '../../../lib/net/private-agent.js';
import { steeredClient } from '../../support/http/http-client.js';

type Config = InternalAxiosRequestConfig;

/** An adapter of the caller, and what this adapter was called with. */
function givenAdapter() {
  const seen: Config[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push(config);
    return { data: '{}', status: 200, statusText: '', headers: {}, config };
  };
  return { adapter, seen };
}

const bracketed = (data: unknown): string => `<${String(data)}>`;

const BEARER = 'Bearer canary-token-1';
const defaultTransforms = [globalAxios.defaults.transformRequest].flat() as ((data: unknown) => unknown)[];

describe('S7: a transform of the caller, which runs after all interceptors', () => {
  it('S7: may set another adapter, which gets the token and no agent of the caller to show', async () => {
    const { axios, stub } = steeredClient();
    const { adapter, seen } = givenAdapter();
    const httpsAgent = new Agent();
    const transformRequest = [
      function (this: Config, data: unknown): unknown {
        this.adapter = adapter;
        return data;
      },
    ];
    const { config } = await axios.get('/x', { transformRequest, httpsAgent });
    expect(stub.seen).toEqual([]);
    expect(seen.map(({ headers }) => headers['Authorization'] as unknown)).toEqual([BEARER]);
    expect(seen[0]?.httpsAgent).toBe(privateAgentFor(httpsAgent));
    expect(config).not.toHaveProperty('httpsAgent');
    expect(config.headers.has('authorization')).toBe(false);
    expect(config.transformRequest).toEqual(transformRequest);
  });

  it('C2: changes the body and nothing else, and results show only the transforms of the caller', async () => {
    const { axios, stub } = steeredClient();
    const more = [...defaultTransforms, (data: unknown) => `${String(data)}!`];
    for (const transformRequest of [more, bracketed, []]) {
      const { config } = await axios.post('/x', 'body', { transformRequest });
      expect(config.transformRequest).toEqual(transformRequest);
      expect(config.adapter).toBe(axios.defaults.adapter);
    }
    expect(stub.seen.map(({ data }) => data as unknown)).toEqual(['body!', '<body>', 'body']);
    expect(stub.authorizations).toEqual([BEARER, BEARER, BEARER]);
  });

  it('C2: may be missing', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      delete config.transformRequest;
      return config;
    });
    const { config } = await axios.post('/x', 'body');
    expect(config).not.toHaveProperty('transformRequest');
    expect(stub.authorizations).toEqual([BEARER]);
  });

  it('C2: is none, if the request has the default of axios: the config then shows that default', async () => {
    const { axios } = steeredClient();
    const { config } = await axios.post('/x', { a: 1 });
    expect(config.transformRequest).toEqual(axios.defaults.transformRequest);
    expect(config.data).toBe('{"a":1}');
  });

  it('S7: in place of the default of axios or after it may set another adapter too', async () => {
    const { axios, stub } = steeredClient();
    const { adapter, seen } = givenAdapter();
    const transformRequest = function (this: Config, data: unknown): unknown {
      this.adapter = adapter;
      return data;
    };
    await axios.get('/x', { transformRequest: [transformRequest] });
    await axios.get('/x', { transformRequest: [...defaultTransforms, transformRequest] });
    expect([stub.seen.length, seen.length]).toEqual([0, 2]);
    expect(seen.map(({ headers }) => headers['Authorization'] as unknown)).toEqual([BEARER, BEARER]);
  });
});

describe('B12: the agent of a request', () => {
  it('B12: is kept by the config if the config is sent again, and the config does not show the agent', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    const httpsAgent = new Agent();
    const { config } = await axios.get('/x', { adapter, httpsAgent });
    expect(config).not.toHaveProperty('httpsAgent');
    const again = await axios.request(config);
    expect(again.config).not.toHaveProperty('httpsAgent');
    expect(seen.map(({ httpsAgent: used }) => used as unknown)).toEqual(
      Array(2).fill(privateAgentFor(httpsAgent)),
    );
  });

  it('B12: may be replaced when the config is sent again', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    const [one, other] = [new Agent(), new Agent()] as const;
    const { config } = await axios.get('/x', { adapter, httpsAgent: one });
    await axios.request({ ...config, httpsAgent: other });
    expect(seen.map(({ httpsAgent: used }) => used as unknown)).toEqual([
      privateAgentFor(one),
      privateAgentFor(other),
    ]);
  });

  it('B12: of the defaults is used, and the config shows the adapter of the caller', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    axios.defaults.httpsAgent = new Agent();
    const { config } = await axios.get('/x', { adapter });
    expect(config.adapter).toBe(adapter);
    expect(config).not.toHaveProperty('httpsAgent');
    expect(seen[0]?.httpsAgent).toBe(privateAgentFor(axios.defaults.httpsAgent as Agent));
  });

  it('B12: of the request comes before that of the defaults, also if the config is sent again', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    axios.defaults.httpsAgent = new Agent();
    const httpsAgent = new Agent();
    const { config } = await axios.get('/x', { adapter, httpsAgent });
    await axios.request(config);
    expect(seen.map(({ httpsAgent: used }) => used as unknown)).toEqual(
      Array(2).fill(privateAgentFor(httpsAgent)),
    );
  });

  it('B12: of fetch is kept beside the agent of the defaults if the config is sent again', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    axios.defaults.httpsAgent = new Agent();
    const dispatcher = { [Symbol('options')]: {} };
    const { config } = await axios.get('/x', { adapter, fetchOptions: { dispatcher } });
    await axios.request(config);
    expect(seen.map(({ fetchOptions }) => fetchOptions?.dispatcher as unknown)).toEqual([
      dispatcher,
      dispatcher,
    ]);
  });
});

describe('S7: the default adapter of a client', () => {
  it('S7: stays in the config of a request that named none', async () => {
    const { axios } = steeredClient();
    axios.interceptors.request.use((config) => {
      delete config.adapter;
      return config;
    });
    const { config } = await axios.get('/x');
    expect(config.adapter).toBe(axios.defaults.adapter);
  });

  it('C2: is not in the config of a request that named none beside the agent of the defaults', async () => {
    const { axios, stub } = steeredClient();
    axios.defaults.httpsAgent = new Agent();
    axios.interceptors.request.use((config) => {
      delete config.adapter;
      return config;
    });
    const { config } = await axios.get('/x');
    expect(config).not.toHaveProperty('adapter');
    expect(stub.authorizations).toEqual([BEARER]);
  });
});
