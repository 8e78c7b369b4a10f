import type { AxiosRequestConfig } from 'axios';
import axios, { AxiosHeaders } from 'axios';
import { Readable } from 'node:stream';

/** Bodies by name. Each call creates its body again, because some bodies can be sent only once. */
export const BODIES = {
  object: (text) => ({ text, nested: { list: [1, null, 'ü'], at: new Date(0) }, missing: undefined }),
  'empty object': () => ({}),
  array: (text) => [text, 2, { a: null }],
  number: () => 42,
  zero: () => 0,
  true: () => true,
  false: () => false,
  null: () => null,
  undefined: () => undefined,
  text: (text) => text,
  'empty text': () => '',
  'JSON text': (text) => JSON.stringify({ text }),
  Buffer: (text) => Buffer.from(text),
  ArrayBuffer: (text) => new Uint8Array(Buffer.from(text)).buffer,
  Uint8Array: (text) => new Uint8Array(Buffer.from(`--${text}`)).subarray(2),
  Uint16Array: () => new Uint16Array([1, 258, 65_535]),
  DataView: () => new DataView(new ArrayBuffer(6), 2, 3),
  URLSearchParams: (text) =>
    new URLSearchParams([
      ['a', text],
      ['a', '2'],
      ['é', ' +&='],
    ]),
  Date: () => new Date(86_400_000),
  'object with toJSON': (text) => ({ toJSON: () => ({ shown: text }) }),
  'object of a class': (text) => new Order(text),
  'object without prototype': (text) => Object.assign(Object.create(null) as object, { text }),
  circular: () => {
    const body: Record<string, unknown> = {};
    return (body['self'] = body);
  },
  bigint: () => ({ amount: 1n }),
  symbol: () => Symbol('body'),
  function: () => () => 'no body',
  FormData: (text) => {
    const form = new FormData();
    form.append('text', text);
    return form;
  },
  Blob: (text) => new Blob([text], { type: 'text/x-test' }),
  stream: (text) => Readable.from([Buffer.from(text), Buffer.from('end')]),
  long: () => ({ long: 'x'.repeat(100_000) }),
} satisfies Record<string, (text: string) => unknown>;

class Order {
  constructor(readonly id: string) {}
}

/** Query parameters by name. */
export const PARAMS = {
  plain: (text) => ({ a: text, b: 1, c: true }),
  special: (text) => ({ 'a b&c=': `${text} /?#[]@!$&'()*+,;=:%é\u{1f600}`, "o'n": '' }),
  list: (text) => ({ ids: [text, 2, null, undefined], 'ids[]': ['x'] }),
  nested: (text) => ({ filter: { name: text, range: { from: 1, to: [2, { deep: 3 }] } } }),
  missing: () => ({ none: null, absent: undefined, empty: '', zero: 0, no: false, nan: Number.NaN }),
  date: () => ({ at: new Date(1e12) }),
  URLSearchParams: (text) =>
    new URLSearchParams([
      ['q', text],
      ['q', '2'],
      ['é', "'"],
    ]),
  toJSON: () => ({ at: { toJSON: () => 'from toJSON' } }),
  map: () => new Map([['a', 1]]),
  bytes: () => ({ bytes: Buffer.from('abc'), typed: new Uint8Array([1, 2]) }),
  empty: () => ({}),
  text: (text) => text,
  'lone surrogate': () => ({ bad: '\ud800' }),
  class: (text) => new Order(text),
} satisfies Record<string, (text: string) => unknown>;

/** Whole values of `headers`. */
export const HEADER_SETS = {
  'plain object': (entries) => Object.fromEntries(entries),
  AxiosHeaders: (entries) => {
    const headers = new AxiosHeaders();
    // In axios 1.20.0, a header `__proto__` with a list as its value takes away the methods.
    for (const [name, value] of entries)
      if (typeof headers.set === 'function') headers.set(name, value as string);
    return headers;
  },
  'raw text': (entries) => new AxiosHeaders(entries.map(([name]) => `${name}: raw`).join('\r\n')),
  'without prototype': (entries) => Object.assign(Object.create(null) as object, Object.fromEntries(entries)),
  'with common': (entries) => ({ common: Object.fromEntries(entries), get: { 'X-Get': 'call' } }),
} satisfies Record<string, (entries: (readonly [string, unknown])[]) => unknown>;

/** Values of one header. */
export const HEADER_VALUES = {
  text: () => 'value',
  'no text': () => '',
  undefined: () => undefined,
  null: () => null,
  false: () => false,
  true: () => true,
  number: () => 7,
  list: () => ['one', 'two'],
  'empty list': () => [],
  'list with gaps': () => ['one', null, undefined, false],
  padded: () => '  padded\t',
  latin1: () => 'Z\xfcrich',
  'beyond latin1': () => '✓ \u{1f600}',
  'line break': () => 'one\r\nX-Injected: two',
  'control character': () => 'a\u0000b\u007fc',
  object: () => ({ toString: () => 'from an object' }),
  date: () => new Date(0),
  'JSON type': () => 'application/json',
  'JSON type with charset': () => 'application/vnd.api+json; charset=utf-8',
  'form type': () => 'application/x-www-form-urlencoded',
  'multipart type': () => 'multipart/form-data',
  'text type': () => 'text/plain',
  'long text': () => 'x'.repeat(2_000),
} satisfies Record<string, () => unknown>;

// oxlint-disable-next-line import/no-named-as-default-member -- the types of that export lack the class
const { CancelToken } = axios;

/** Members of a config by name, each with the values that a call may have there. */
export const OPTIONS = {
  responseType: ['json', 'text', 'arraybuffer', 'stream', 'blob', 'document', 'JSON', '', null, undefined],
  responseEncoding: ['utf8', 'latin1', 'base64', 'hex', 'binary', 'klingon', null, undefined],
  timeout: [5_000, 0, '7000', '', null, undefined, 1e9, 6000.7, Number.NaN],
  timeoutErrorMessage: ['too slow', ''],
  // None of them throws: in axios' http adapter, such an error ends the process.
  validateStatus: [
    null,
    undefined,
    () => true,
    () => false,
    (status: number) => status < 500,
    () => 'truthy',
  ],
  maxContentLength: [-1, 0, 1, 10, 1_000, 1e6, undefined, null],
  maxBodyLength: [-1, 0, 5, 1_000, 1e6, undefined, null],
  maxRedirects: [0, 1, 5, null, undefined],
  maxRate: [1e9],
  decompress: [true, false, undefined],
  transitional: [
    {},
    undefined,
    null,
    { silentJSONParsing: false },
    { silentJSONParsing: true, forcedJSONParsing: false },
    { clarifyTimeoutError: true },
    { legacyInterceptorReqResOrdering: false },
    { advertiseZstdAcceptEncoding: true },
    { validateStatusUndefinedResolves: false },
    { silentJSONParsing: 'yes' },
  ],
  parseReviver: [
    (key: string, value: unknown): unknown => (key === 'id' ? `revived ${String(value)}` : value),
  ],
  transformResponse: [
    [],
    null,
    undefined,
    (data: unknown): unknown => ({ wrapped: data }),
    [String, (data: string): unknown => data.length],
    () => {
      throw new RangeError('transformResponse failed');
    },
  ],
  transformRequest: [
    [],
    null,
    undefined,
    (data: unknown): unknown => (typeof data === 'object' ? JSON.stringify({ wrapped: data }) : data),
    (_: unknown, headers: AxiosHeaders): unknown => {
      headers.set('X-Transformed', 'yes');
      return 'transformed';
    },
  ],
  paramsSerializer: [
    {},
    undefined,
    null,
    { indexes: null },
    { indexes: true },
    { encode: (text: unknown) => `<${String(text)}>` },
    { serialize: () => 'a=serialized' },
    { dots: true },
  ],
  formSerializer: [{ indexes: null }],
  baseURL: [undefined, '', '<base>/below', '<base>/', 'https://elsewhere.example/'],
  allowAbsoluteUrls: [false, true, undefined],
  auth: [{ username: 'me', password: 'mine' }, undefined, null],
  withCredentials: [true, false],
  withXSRFToken: [true],
  xsrfCookieName: ['other'],
  socketPath: [null, undefined],
  proxy: [false, undefined, null],
  httpVersion: [1, undefined],
  insecureHTTPParser: [false, undefined],
  family: [4, undefined],
  adapter: ['http', ['http'], undefined, null],
  beforeRedirect: [(): void => undefined, undefined],
  onDownloadProgress: [(): void => undefined],
  onUploadProgress: [(): void => undefined],
  sensitiveHeaders: [['x-one'], undefined],
  redact: [['x-one'], undefined],
  fetchOptions: [{ cache: 'no-store' }],
  metadata: [{ startedAt: 1, tags: ['a'] }, 'a text of the application', () => undefined, null],
  retry: [3],
  constructor: ['odd'],
  toString: [() => 'a config', 'odd'],
  params: [null, undefined],
  data: [undefined, null],
  headers: [undefined, null, {}],
  signal: [undefined, null],
  cancelToken: [undefined, null],
} satisfies Record<string, readonly unknown[]>;

/** Objects that a caller may use as a config. */
export const SHAPES = {
  frozen: (config) => Object.freeze(config),
  sealed: (config) => Object.seal(config),
  'without prototype': (config) => Object.assign(Object.create(null) as object, config),
  inherited: (config) => Object.create(config) as object,
  'of a class': (config) => Object.assign(new Order('7'), config),
  'with a getter': (config) => {
    const { timeout = 3_000, ...rest } = config as AxiosRequestConfig;
    return Object.defineProperty(rest, 'timeout', { get: () => timeout, enumerable: true });
  },
  'with a hidden member': (config) =>
    Object.defineProperty({ ...config }, 'timeout', { value: 4_000, enumerable: false }),
  'with a symbol': (config) => ({ ...config, [Symbol.for('own')]: 1 }),
  'a proxy': (config) => new Proxy(config, {}),
} satisfies Record<string, (config: object) => object>;

/** A config member as `OPTIONS` has it. */
export function optionValue(name: keyof typeof OPTIONS, index: number, base: string): unknown {
  const value: unknown = OPTIONS[name][index];
  if (typeof value === 'string') return value.replace('<base>', base);
  return isPlain(value) ? { ...value } : Array.isArray(value) ? [...(value as unknown[])] : value;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function newCancelToken(): {
  token: NonNullable<AxiosRequestConfig['cancelToken']>;
  cancel: (reason?: string) => void;
} {
  return CancelToken.source();
}
