import globalAxios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { IDENTITY, TokenIdentity } from '../../../lib/token/token-identity.js';
import { givenAdapter, steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type Config = InternalAxiosRequestConfig;

const BEARER = 'Bearer canary-token-1';
const ofAccount: object = { [IDENTITY]: TokenIdentity.of({ account: 'merchant-1' }) };
const defaultTransforms = [globalAxios.defaults.transformRequest].flat() as ((data: unknown) => unknown)[];

describe('the interceptor of a client', () => {
  it.each<[string, (axios: AxiosInstance) => AxiosInstance]>([
    ['clear() was called', (axios) => (axios.interceptors.request.clear(), axios)],
    ['it was removed by its number', (axios) => (axios.interceptors.request.eject(0), axios)],
    ['create() made another instance', (axios) => axios.create()],
    ['that instance made another one', (axios) => axios.create().create({ timeout: 1 })],
  ])('C3 S7: attaches the token on every way after %s', async (_, change) => {
    const { axios, stub } = steeredClient();
    const { adapter, tokens } = givenAdapter();
    const changed = change(axios);
    await changed.get('/x');
    await changed.get('/x', { adapter });
    changed.defaults.adapter = adapter;
    await changed.get('/x');
    expect(stub.authorizations).toEqual([BEARER]);
    expect(tokens()).toEqual([BEARER, BEARER]);
  });

  it('C2: clear() removes the interceptors of the application, and later ones run before it', async () => {
    const { axios } = steeredClient();
    const { adapter, seen } = givenAdapter();
    const order: string[] = [];
    const note = (name: string) => (config: Config) => (order.push(name), config);
    axios.interceptors.request.use(note('removed'));
    axios.interceptors.request.clear();
    expect(Reflect.get(axios.interceptors.request, 'handlers')).toHaveLength(1);
    axios.interceptors.request.use(note('kept'));
    await axios.get('/x', { adapter });
    expect([order, seen.length]).toEqual([['kept'], 1]);
  });

  it('S6: an instance that create() made with another base URL sends nothing', async () => {
    const { axios, stub } = steeredClient();
    const other = axios.create({ baseURL: 'https://evil.example/v1' });
    expect(await errorOf(other.get('/x'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(stub.seen).toEqual([]);
  });

  it.each([undefined, true, false])(
    'C3: runs last with legacyInterceptorReqResOrdering %s, also after asynchronous interceptors',
    async (legacyInterceptorReqResOrdering) => {
      const { axios, stub } = steeredClient();
      const { adapter, tokens } = givenAdapter();
      const seen: unknown[] = [];
      const choose = (config: Config): Config => {
        seen.push(config.headers.toJSON());
        return Object.assign(config, { adapter });
      };
      axios.interceptors.request.use(choose);
      axios.interceptors.request.use(async (config) => choose(config));
      const transitional = { legacyInterceptorReqResOrdering: legacyInterceptorReqResOrdering ?? true };
      const { config } = await axios.get(
        '/x',
        legacyInterceptorReqResOrdering === undefined ? {} : { transitional },
      );
      expect([stub.seen.length, tokens()]).toEqual([0, [BEARER]]);
      expect(JSON.stringify([seen, config.headers.toJSON()])).not.toContain('canary');
    },
  );

  it('C3: sends a request with a token if an interceptor has deleted its adapter', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => (delete config.adapter, config));
    await axios.get('/x', { params: { a: 1 } });
    expect(stub.authorizations).toEqual([BEARER]);
  });
});

describe('a transform of the caller, which runs after all interceptors', () => {
  it.each<[string, typeof defaultTransforms]>([
    ['in place of the default of axios', []],
    ['after the default of axios', defaultTransforms],
  ])('S7: may set an adapter, which gets the token: %s', async (_, before) => {
    const { axios, stub } = steeredClient();
    const { adapter, tokens } = givenAdapter();
    const transformRequest = [
      ...before,
      function (this: Config, data: unknown): unknown {
        this.adapter = adapter;
        return data;
      },
    ];
    const { config } = await axios.get('/x', { transformRequest });
    expect([stub.seen.length, tokens()]).toEqual([0, [BEARER]]);
    expect(config.headers.has('authorization')).toBe(false);
    expect(config.transformRequest).toEqual(transformRequest);
    expect(config.adapter).toBe(adapter);
  });

  it('C2: changes the body, and results show only the transforms of the caller', async () => {
    const { axios, stub } = steeredClient();
    const more = [...defaultTransforms, (data: unknown) => `${String(data)}!`];
    for (const transformRequest of [more, (data: unknown) => `<${String(data)}>`, []]) {
      const { config } = await axios.post('/x', 'body', { transformRequest });
      expect(config.transformRequest).toEqual(transformRequest);
      expect(config.adapter).toBe(axios.defaults.adapter);
    }
    axios.interceptors.request.use((config) => (delete config.transformRequest, config));
    expect((await axios.post('/x', 'as it is')).config).not.toHaveProperty('transformRequest');
    expect(stub.seen.map(({ data }) => data as unknown)).toEqual(['body!', '<body>', 'body', 'as it is']);
    expect(stub.authorizations).toEqual(Array(4).fill(BEARER));
  });
});

const rebuild = ({ url, baseURL, method, headers, adapter }: Config): Config =>
  ({ url, baseURL, method, headers, adapter }) as Config;

describe('B33: a call that has lost its account', () => {
  it.each<[string, object]>([
    ['by the short way', {}],
    ['through axios', { beforeRedirects: {} }],
    ['by an adapter of the caller', { adapter: givenAdapter().adapter }],
    ['in the other order', { transitional: { legacyInterceptorReqResOrdering: false } }],
  ])('B33: is rejected and not sent with the token of the pair: %s', async (_, config) => {
    const { axios, stub, tokens } = steeredClient();
    for (const instance of [axios, axios.create()]) {
      instance.interceptors.request.use(rebuild);
      expect(await errorOf(instance.get('/x', { ...ofAccount, ...config }))).toMatchObject({
        name: 'TypeError',
        message: expect.stringContaining('without the account of the call'),
      });
    }
    expect([stub.seen, tokens.identities]).toEqual([[], []]);
  });
});
