import type { AxiosHeaders, AxiosInstance, AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import * as fc from 'fast-check';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import { nameIn, seldom } from './arbitraries.js';

/** What an application did with its client before the call, as data that can be printed. */
export interface InstancePlan {
  /** Whether the client has made a call before the application changes the defaults. */
  readonly hasCalled?: true | undefined;
  readonly settings?: keyof typeof SETTINGS | undefined;
  readonly defaults: readonly (keyof typeof DEFAULTS)[];
  readonly requestInterceptors: readonly (keyof typeof REQUEST_INTERCEPTORS)[];
  readonly responseInterceptors: readonly (keyof typeof RESPONSE_INTERCEPTORS)[];
  readonly token: 'cached' | 'fetched' | 'fetched later' | 'fails';
  /** What a renewal after a 401 gives. */
  readonly renewal: 'another' | 'same' | 'fails';
}

/** Settings of `http` that an application chose. */
export const SETTINGS = {
  headers: { headers: { 'X-From-Settings': 'yes', 'user-agent': 'shop/1' } },
  'no resend': { retryUnauthorized: false },
  redirects: { maxRedirects: 3 },
} satisfies Record<string, Partial<HttpSettings>>;

type Defaults = AxiosInstance['defaults'];

/** Changes of `axiosRef.defaults` at run time. */
export const DEFAULTS = {
  'common header': (defaults) => (defaults.headers.common['X-Common'] = 'common'),
  'get header': (defaults) => (defaults.headers.get['X-Get'] = 'of get'),
  'post type': (defaults) => (defaults.headers.post['Content-Type'] = 'application/vnd.own+json'),
  'direct header': (defaults) => (defaults.headers['X-Direct'] = 'direct'),
  'common accept': (defaults) => (defaults.headers.common['Accept'] = 'text/own'),
  'no accept': (defaults) => delete defaults.headers.common['Accept'],
  'user agent off': (defaults) => (defaults.headers.common['User-Agent'] = false),
  timeout: (defaults) => (defaults.timeout = 4_000),
  params: (defaults) => (defaults.params = { version: '2', list: [1, 2] }),
  'base URL': (defaults) => (defaults.baseURL = `${defaults.baseURL}/below`),
  'no base URL': (defaults) => delete defaults.baseURL,
  'response type': (defaults) => (defaults.responseType = 'text'),
  'every status': (defaults) => (defaults.validateStatus = () => true),
  'no status check': (defaults) => (defaults.validateStatus = null),
  'small content': (defaults) => (defaults.maxContentLength = 20),
  'small body': (defaults) => (defaults.maxBodyLength = 10),
  'no transforms': (defaults) => {
    defaults.transformResponse = [];
    defaults.transformRequest = [];
  },
  'another transform': (defaults) => (defaults.transformResponse = [(data: unknown) => ({ data })]),
  'pushed transform': ({ transformResponse }) =>
    [transformResponse].flat().push((data: unknown): unknown => data),
  serializer: (defaults) => (defaults.paramsSerializer = { indexes: null }),
  'wrapped adapter': (defaults) => {
    const previous = defaults.adapter;
    if (typeof previous === 'function') defaults.adapter = (config) => previous(config);
  },
  'strict JSON': (defaults) => (defaults.transitional = { silentJSONParsing: false }),
  'no transitional': (defaults) => delete defaults.transitional,
  redirects: (defaults) => (defaults.maxRedirects = 5),
  method: (defaults) => (defaults.method = 'put'),
  'no redirects member': (defaults) => delete defaults.maxRedirects,
  'own member': (defaults) => ((defaults as { tenant?: string }).tenant = 'a'),
  signal: (defaults) => void (defaults.signal = new AbortController().signal),
  'frozen headers': (defaults) => Object.freeze(defaults.headers.common),
  'common header, removed': (defaults) => {
    defaults.headers.common['X-Common'] = 'common';
    delete defaults.headers.common['X-Common'];
  },
  'undefined members': (defaults) => Object.assign(defaults, { responseType: undefined, timeout: undefined }),
  auth: (defaults) => (defaults.auth = { username: 'me', password: 'mine' }),
} satisfies Record<string, (defaults: Defaults) => unknown>;

export interface RequestInterceptor {
  /** Missing for an interceptor that only handles errors. */
  readonly run?: (
    config: InternalAxiosRequestConfig,
  ) => InternalAxiosRequestConfig | Promise<InternalAxiosRequestConfig>;
  readonly rejected?: (error: unknown) => unknown;
  readonly options?: { synchronous?: boolean; runWhen?: (config: InternalAxiosRequestConfig) => boolean };
}

const failing = (): never => {
  throw new Error('the interceptor failed');
};

const throwingWhenRead = (name: string): object =>
  Object.defineProperty({}, name, { get: failing, enumerable: true, configurable: true });

const withHeader = (config: InternalAxiosRequestConfig): InternalAxiosRequestConfig => {
  config.headers.set('X-Intercepted', 'yes');
  return config;
};

export const REQUEST_INTERCEPTORS = {
  'synchronous header': { run: withHeader, options: { synchronous: true } },
  header: { run: withHeader },
  'asynchronous header': { run: async (config) => withHeader(await Promise.resolve(config)) },
  'skipped header': { run: withHeader, options: { synchronous: true, runWhen: () => false } },
  'another config': { run: (config) => ({ ...config, url: '/another' }) },
  'another body': {
    run: (config) => {
      config.data = { intercepted: true };
      return config;
    },
    options: { synchronous: true },
  },
  'another method': {
    run: (config) => Object.assign(config, { method: 'POST', params: { p: 1 } }),
    options: { synchronous: true },
  },
  'plain headers': {
    run: (config) => Object.assign(config, { headers: { 'x-plain': 'yes', Accept: 'a/b' } }),
  },
  'no headers': { run: (config) => Object.assign(config, { headers: undefined }) },
  'removed header': {
    run: (config) => {
      config.headers.delete('Accept');
      return config;
    },
    options: { synchronous: true },
  },
  'headers without a value': {
    run: (config) => Object.assign(config.headers, { Accept: null, 'user-agent': undefined }) && config,
    options: { synchronous: true },
  },
  'transport headers without a value': {
    run: (config) => Object.assign(config.headers, { 'User-Agent': null, 'Accept-Encoding': null }) && config,
  },
  'a header in two spellings': {
    run: (config) => Object.assign(config.headers, { 'x-twice': '1', 'X-Twice': '2' }) && config,
    options: { synchronous: true },
  },
  'other settings': {
    run: (config) =>
      Object.assign(config, { responseType: 'arraybuffer', maxContentLength: 50_000, decompress: false }),
    options: { synchronous: true },
  },
  'another signal': {
    run: (config): InternalAxiosRequestConfig =>
      Object.assign(config, { signal: new AbortController().signal, timeout: 6_000 }),
  },
  'own credentials': {
    run: (config) => {
      config.headers.set('Authorization', 'Basic b3duOm93bg==');
      return config;
    },
  },
  'deleted members': {
    run: (config) => {
      for (const name of ['transformResponse', 'validateStatus', 'transitional', 'timeout'])
        Reflect.deleteProperty(config, name);
      return config;
    },
  },
  'a condition without a result': {
    run: withHeader,
    options: { synchronous: true, runWhen: () => undefined as never },
  },
  'a condition that throws': { run: withHeader, options: { synchronous: true, runWhen: failing } },
  'a body that changes the config': {
    run: (config) => {
      const toJSON = (): object => {
        config.headers.set('X-By-Body', 'yes');
        config.headers.set('Authorization', 'Basic b3duOm93bg==');
        return { from: 'toJSON' };
      };
      return Object.assign(config, { method: 'post', data: { toJSON } });
    },
    options: { synchronous: true },
  },
  'a body that fails once': {
    run: (config) => {
      let calls = 0;
      const toJSON = (): object => (calls++ === 0 ? failing() : { calls });
      return Object.assign(config, { method: 'post', data: { toJSON } });
    },
    options: { synchronous: true },
  },
  'a body that changes the transforms': {
    run: (config) => {
      const toJSON = (): object => {
        config.transformResponse = [(data: unknown) => ({ late: data })];
        return {};
      };
      return Object.assign(config, { method: 'post', data: { toJSON } });
    },
    options: { synchronous: true },
  },
  'params that throw': {
    run: (config) => Object.assign(config, { params: throwingWhenRead('limit') }),
    options: { synchronous: true },
  },
  'a header that throws': {
    run: (config) => {
      Object.defineProperty(config.headers, 'X-Own', { get: failing, enumerable: true, configurable: true });
      return config;
    },
    options: { synchronous: true },
  },
  'a signal that throws': {
    run: (config) => Object.assign(config, { signal: Object.create(AbortSignal.prototype) as AbortSignal }),
    options: { synchronous: true },
  },
  'headers that change themselves': {
    run: (config) => {
      const { headers } = config;
      const normalize = (): AxiosHeaders => Object.assign(headers, { Authorization: 'Basic b3duOm93bg==' });
      Object.defineProperty(headers, 'normalize', { value: normalize, configurable: true, writable: true });
      return config;
    },
    options: { synchronous: true },
  },
  'a hidden address': {
    run: (config) => {
      for (const [name, value] of Object.entries({ url: '/hidden', params: { hidden: 1 } }))
        Object.defineProperty(config, name, { value, enumerable: false, writable: true, configurable: true });
      return config;
    },
    options: { synchronous: true },
  },
  'a hidden agent': {
    run: (config) =>
      Object.defineProperty(config, 'httpsAgent', { value: {}, writable: true, configurable: true }),
    options: { synchronous: true },
  },
  'an own __proto__': {
    run: (config) => {
      const settings = { value: {}, enumerable: true, writable: true, configurable: true };
      return Object.defineProperty(config, '__proto__', settings);
    },
    options: { synchronous: true },
  },
  'no method': {
    run: (config) => {
      delete config.method;
      return config;
    },
    options: { synchronous: true },
  },
  'a body that cannot be written': {
    run: (config) => {
      const data: Record<string, unknown> = {};
      return Object.assign(config, { method: 'post', data: Object.assign(data, { data }) });
    },
    options: { synchronous: true },
  },
  'a form': {
    run: (config) => {
      config.headers.setContentType('multipart/form-data');
      return Object.assign(config, { method: 'post', data: { a: '1' } });
    },
    options: { synchronous: true },
  },
  'strict JSON': {
    run: (config) =>
      Object.assign(config, { responseType: 'json', transitional: { silentJSONParsing: false } }),
    options: { synchronous: true },
  },
  'its own transform': {
    run: (config) => Object.assign(config, { transformResponse: [(data: unknown) => ({ own: data })] }),
  },
  'an adapter around the usual one': {
    run: (config) => {
      const { adapter } = config;
      if (typeof adapter !== 'function') return config;
      config.adapter = (sent) => {
        sent.headers.set('X-By-Adapter', 'yes');
        return adapter(sent);
      };
      return config;
    },
    options: { synchronous: true },
  },
  'an aborted signal': {
    run: (config) => Object.assign(config, { signal: AbortSignal.abort() }),
    options: { synchronous: true },
  },
  'a getter': {
    run: (config) => Object.defineProperty(config, 'timeout', { get: () => 5_500, configurable: true }),
    options: { synchronous: true },
  },
  'a locked member': {
    run: (config) => Object.defineProperty(config, 'timeout', { value: 5_500, writable: false }),
    options: { synchronous: true },
  },
  'unknown members': {
    run: (config) => Object.assign(config, { tenant: 'a', 'x-state': 1, toString: () => 'a config' }),
  },
  'credentials as an option': {
    run: (config) => Object.assign(config, { auth: { username: 'me', password: 'mine' } }),
    options: { synchronous: true },
  },
  'no new members': { run: (config) => Object.preventExtensions(config), options: { synchronous: true } },
  'no limit of redirects': {
    run: (config) => {
      delete config.maxRedirects;
      return config;
    },
    options: { synchronous: true },
  },
  'no members of axios': {
    run: (config) => {
      for (const name of ['transformRequest', 'maxRedirects', 'adapter', 'headers'])
        Reflect.deleteProperty(config, name);
      return config;
    },
    options: { synchronous: true },
  },
  'only for errors': { rejected: () => undefined, options: { synchronous: true } },
  throws: { run: failing, options: { synchronous: true } },
  'throws and asks for its axios': {
    run: failing,
    rejected(this: unknown): never {
      throw new Error(`axios is ${typeof (this as AxiosInstance | undefined)?.defaults.baseURL}`);
    },
    options: { synchronous: true },
  },
  'throws and recovers': { run: failing, rejected: () => undefined, options: { synchronous: true } },
  'throws twice': { run: failing, rejected: failing, options: { synchronous: true } },
  'throws and recovers later': {
    run: failing,
    rejected: async (error) => error,
    options: { synchronous: true },
  },
  rejects: { run: () => Promise.reject(new Error('the interceptor failed later')) },
  nothing: { run: () => undefined as never },
  frozen: { run: (config) => Object.freeze(config), options: { synchronous: true } },
} satisfies Record<string, RequestInterceptor>;

type ResponseInterceptor = readonly [
  ((response: never) => unknown) | undefined,
  ((error: unknown) => unknown) | undefined,
];

export const RESPONSE_INTERCEPTORS = {
  'the data': [({ data }: { data: unknown }) => data, undefined],
  changed: [
    (response: AxiosRequestConfig) => Object.assign(response, { seenBy: 'an interceptor' }),
    undefined,
  ],
  later: [async (response: unknown) => await Promise.resolve(response), undefined],
  refuses: [
    (response: object) => Promise.reject(new Error('the application refuses', { cause: response })),
    undefined,
  ],
  recovers: [undefined, (error: unknown) => ({ recovered: error })],
  'another error': [
    undefined,
    (error: unknown): never => {
      throw new Error('wrapped', { cause: error });
    },
  ],
  copies: [(response: object) => ({ ...response }), undefined],
} satisfies Record<string, ResponseInterceptor>;

/** A look at a result with a getter that throws ends the run. `interceptors.spec.ts` has these two, with the look that can be made. */
const NOT_IN_RANDOM_PAIRS: readonly string[] = ['a header that throws', 'params that throw'];

const randomRequestInterceptor = nameIn(REQUEST_INTERCEPTORS).filter(
  (name) => !NOT_IN_RANDOM_PAIRS.includes(name),
);

export const instances: fc.Arbitrary<InstancePlan> = fc.record({
  hasCalled: seldom(fc.constant(true as const), 4),
  settings: seldom(nameIn(SETTINGS), 20),
  defaults: seldom(fc.uniqueArray(nameIn(DEFAULTS), { minLength: 1, maxLength: 2 }), 16).map(
    (list) => list ?? [],
  ),
  requestInterceptors: seldom(fc.array(randomRequestInterceptor, { minLength: 1, maxLength: 2 }), 16).map(
    (list) => list ?? [],
  ),
  responseInterceptors: seldom(
    fc.array(nameIn(RESPONSE_INTERCEPTORS), { minLength: 1, maxLength: 2 }),
    16,
  ).map((list) => list ?? []),
  token: fc.oneof(
    { withCrossShrink: true },
    { weight: 16, arbitrary: fc.constant('cached' as const) },
    { weight: 1, arbitrary: fc.constantFrom('fetched' as const, 'fetched later' as const, 'fails' as const) },
  ),
  renewal: fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: fc.constant('another' as const) },
    { weight: 1, arbitrary: fc.constantFrom('same' as const, 'fails' as const) },
  ),
});

/** Whether the next call can use the same client: nothing of the plan stays after the call. */
export function leavesClient({ settings, defaults }: InstancePlan): boolean {
  return settings === undefined && defaults.length === 0;
}
