import * as fc from 'fast-check';
import { Readable } from 'node:stream';
import { AxiosHeaders, type AxiosRequestConfig } from 'axios';

/** Bodies by name, so that a plan can be printed. Each call makes its body anew. */
export const BODIES = {
  object: () => ({ text: 'Zürich ✓', nested: { list: [1, null, 'ü'], at: new Date(0) }, missing: undefined }),
  array: () => ['a', 2, { b: null }],
  text: () => 'a text',
  'empty text': () => '',
  null: () => null,
  Buffer: () => Buffer.from('bytes ü'),
  URLSearchParams: () => new URLSearchParams({ a: '1', é: ' +&=' }),
  FormData: () => formOf({ text: 'a b', file: new Blob(['content'], { type: 'text/x-own' }) }),
  stream: () => Readable.from([Buffer.from('one '), Buffer.from('two')]),
  // A method of a class: as a member, axios' form would wait for it for ever.
  'object with toJSON': () => new Shown(),
  circular: () => {
    const body: Record<string, unknown> = {};
    return (body['self'] = body);
  },
} satisfies Record<string, () => unknown>;

class Shown {
  toJSON(): unknown {
    return { shown: 1 };
  }
}

function formOf(members: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) form.append(name, value);
  return form;
}

/** Query parameters by name. */
export const PARAMS = {
  plain: () => ({ a: 'b', b: 1, c: true }),
  list: () => ({ ids: ['a', 2, null, undefined], 'ids[]': ['x'] }),
  nested: () => ({ filter: { name: 'a', range: { from: 1, to: [2, { deep: 3 }] } } }),
  date: () => ({ at: new Date(1e12) }),
  URLSearchParams: () => new URLSearchParams({ q: '1', é: "'" }),
  text: () => 'a=1',
  empty: () => ({}),
} satisfies Record<string, () => unknown>;

/** Values of `headers`. */
export const HEADERS = {
  usual: () => ({ Accept: 'text/plain', 'X-Own': 'own', 'Content-Type': 'application/vnd.own+json' }),
  'other spellings': () => ({ accept: 'a/b', 'USER-AGENT': 'own/1', 'x-own': '1', 'X-Own': '2' }),
  'odd values': () => ({
    'X-A': 7,
    'X-B': ['a', 'b'],
    'X-C': false,
    'X-D': null,
    'X-E': undefined,
    'X-F': '',
  }),
  'unset defaults': () => ({ Accept: undefined, 'User-Agent': false, 'Accept-Encoding': null }),
  'odd texts': () => ({ 'X-A': '  padded\t', 'X-B': 'Z\xfcrich', 'X-C': '✓', 'X-D': 'a\r\nb: c' }),
  'form type': () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
  'multipart type': () => ({ 'Content-Type': 'multipart/form-data' }),
  AxiosHeaders: () => new AxiosHeaders({ Accept: 'text/own', 'X-Own': 'yes' }),
  'raw text': () => new AxiosHeaders('X-One: 1\r\nX-Two: 2'),
  'without prototype': () => Object.assign(Object.create(null) as object, { 'X-Own': 'own' }),
  'sets of headers': () => ({
    common: { 'X-Common': '1', Accept: 'b/c' },
    get: { 'X-Get': '1' },
    post: null,
  }),
  'names of axios': () => JSON.parse('{"__proto__":"a","constructor":"b","get":"c","common":"d"}') as object,
  'objects as values': () => ({ 'X-A': { toString: () => 'text' }, 'X-B': { a: 1 }, 'X-C': new Date(0) }),
  'own credentials': () => ({ authorization: 'Basic b3duOm93bg==' }),
  'no header name': () => ({ 'bad name': '1' }),
  'name with spaces around it': () => ({ ' X-Own ': '1' }),
  null: () => null,
} satisfies Record<string, () => unknown>;

/** Other members of a config, each with the values that a call may have there. */
export const OPTIONS = {
  responseType: ['json', 'text', 'arraybuffer', 'stream', '', undefined],
  responseEncoding: ['latin1', 'hex', undefined],
  timeout: [5_000, 0, '7000', undefined],
  timeoutErrorMessage: ['too slow'],
  validateStatus: [null, undefined, (): boolean => true, (): boolean => false],
  maxContentLength: [-1, 1, 1e6],
  maxBodyLength: [-1, 5, 1e6],
  maxRedirects: [0, 5],
  decompress: [true, false],
  transitional: [
    {},
    undefined,
    { silentJSONParsing: false },
    { clarifyTimeoutError: true },
    { legacyInterceptorReqResOrdering: false },
    { legacyInterceptorReqResOrdering: true },
    { validateStatusUndefinedResolves: false },
    { silentJSONParsing: 'yes' },
  ],
  transformResponse: [[], undefined, (data: unknown): unknown => ({ wrapped: data }), failingTransform],
  transformRequest: [[], undefined, wrapping, [wrapping, String], failingTransform, choosingAdapter],
  paramsSerializer: [{ indexes: null }, { serialize: () => 'a=own' }, undefined],
  formSerializer: [{ indexes: null }],
  baseURL: [undefined, '', 'https://elsewhere.example/'],
  allowAbsoluteUrls: [false, undefined],
  auth: [{ username: 'me', password: 'mine' }, null],
  parseReviver: [(key: string, value: unknown): unknown => (key === 'id' ? 'revived' : value)],
  onUploadProgress: [(): void => undefined],
  onDownloadProgress: [(): void => undefined],
  adapter: [null, undefined],
  withCredentials: [true],
  metadata: [{ startedAt: 1, tags: ['a', { deep: {} }] }, null],
  _state: [{ retries: 1 }, 'a text'],
  'x-state': [1],
  retry: [3],
  tenant: [{ name: 'a' }],
  socketPath: [null],
  constructor: ['odd'],
  headers: [undefined],
  data: [undefined],
} satisfies Record<string, readonly unknown[]>;

function wrapping(data: unknown): unknown {
  return typeof data === 'object' ? JSON.stringify({ wrapped: data }) : data;
}

function choosingAdapter(this: AxiosRequestConfig, data: unknown): unknown {
  this.adapter = (config) =>
    Promise.resolve({ data: config.headers.toJSON(), status: 200, statusText: '', headers: {}, config });
  return data;
}

function failingTransform(): never {
  throw new RangeError('the transform failed');
}

/** Objects that a caller may use as a config. */
export const SHAPES = {
  plain: (config) => config,
  frozen: (config) => Object.freeze(config),
  'without prototype': (config) => Object.assign(Object.create(null) as object, config),
  inherited: (config) => Object.create(config) as object,
  'with a getter': (config) =>
    Object.defineProperty(config, 'timeout', { get: () => 3_000, enumerable: true, configurable: true }),
  'with a hidden member': (config) => Object.defineProperty(config, 'timeout', { value: 4_000 }),
  'with a symbol': (config) => Object.assign(config, { [Symbol.for('own')]: 1 }),
} satisfies Record<string, (config: object) => object>;

/** One call of an application, as data that can be printed. */
export interface CallPlan {
  readonly via: 'request' | 'call' | 'call with url' | 'method';
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly params: keyof typeof PARAMS | undefined;
  readonly headers: keyof typeof HEADERS | undefined;
  readonly body: keyof typeof BODIES | undefined;
  /** The name of the member, and the place of its value in `OPTIONS`. */
  readonly options: readonly (readonly [keyof typeof OPTIONS, number])[];
  readonly shape: keyof typeof SHAPES;
}

/** The names of a table. The first name is the simplest. */
export function nameIn<T extends object>(table: T): fc.Arbitrary<keyof T & string> {
  return fc.constantFrom(...(Object.keys(table) as (keyof T & string)[]));
}

/** Mostly absent, so that most calls stay ordinary. */
export function seldom<T>(arbitrary: fc.Arbitrary<T>, oneIn = 5): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: oneIn - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  );
}

export function callPlans(options: readonly (keyof typeof OPTIONS)[]): fc.Arbitrary<CallPlan> {
  const option = fc
    .constantFrom(...options)
    .chain((name) => fc.tuple(fc.constant(name), fc.nat({ max: OPTIONS[name].length - 1 })));
  return fc.record({
    via: fc.constantFrom('request', 'call', 'call with url', 'method'),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('get', 'post', 'put', 'patch', 'delete', 'head', 'options') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'Post', undefined, 'query', 'purge', '') },
    ),
    url: fc.constantFrom('/things', 'things/7', '', '/a b?x=1#y', '/é', undefined, '/../up'),
    params: seldom(nameIn(PARAMS)),
    headers: seldom(nameIn(HEADERS)),
    body: seldom(nameIn(BODIES), 3),
    options: fc.oneof(fc.constant([]), fc.array(option, { minLength: 1, maxLength: 3 })),
    shape: fc.oneof(
      { weight: 9, arbitrary: fc.constant('plain' as const) },
      { weight: 1, arbitrary: nameIn(SHAPES) },
    ),
  });
}

type Sending = (...given: unknown[]) => Promise<unknown>;

/** Makes a call as its plan says. Each side of a comparison gets its own config, because a call can change it. */
export async function makeCall(
  axios: Sending,
  plan: CallPlan,
  more: AxiosRequestConfig = {},
): Promise<unknown> {
  const { via, method, url, params, headers, body, options, shape } = plan;
  const data = body && BODIES[body]();
  const config: Record<string, unknown> = { ...more };
  for (const [name, index] of options) config[name] = OPTIONS[name][index];
  if (params) config['params'] = PARAMS[params]();
  if (headers) config['headers'] = HEADERS[headers]();
  const member = via === 'method' ? (method ?? 'get').toLowerCase() : 'request';
  const send = Reflect.get(axios, member) as Sending | undefined;
  if (via === 'method' && send) {
    const takesBody = ['post', 'put', 'patch', 'query'].includes(member);
    if (takesBody) return send(url, data, SHAPES[shape](config));
    if (body) config['data'] = data;
    return send(url, SHAPES[shape](config));
  }
  if (method !== undefined) config['method'] = method;
  if (body) config['data'] = data;
  if (via === 'call with url') return axios(url ?? '', SHAPES[shape](config));
  if (url !== undefined) config['url'] = url;
  return (via === 'call' ? axios : (send as Sending))(SHAPES[shape](config));
}
