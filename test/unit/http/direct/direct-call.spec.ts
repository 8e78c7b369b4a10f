import axios, {
  create,
  type AxiosAdapter,
  AxiosHeaders,
  type AxiosInstance,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, it } from 'vitest';
import {
  areDirectDefaults,
  areDirectMembers,
  hasHiddenMembers,
  isDirectConfig,
  isDirectFetch,
  isDirectIntercepted,
} from '../../../../lib/http/direct/direct-call.js';
import { IDENTITY, TokenIdentity } from '../../../../lib/token/token-identity.js';

type Members = Readonly<Record<string, unknown>>;

const adapter: AxiosAdapter = () => Promise.reject(new Error('No call is made.'));
const baseURL = 'https://api.example/v1';
const own = { baseURL, adapter };
const identity = TokenIdentity.of({ account: 'one' });
const symbol = { [Symbol('state')]: 1 };
const { signal } = new AbortController();
// oxlint-disable-next-line import/no-named-as-default-member -- the types of that export lack the class
const { token: cancelToken } = axios.CancelToken.source();

/** An object whose member no copy of it would have. */
const hiding = (of: object): object => Object.defineProperty(of, 'hidden', { value: 1, enumerable: false });

/** Objects in objects. */
const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) });

function defaultsWith(members: Members = {}): AxiosInstance['defaults'] {
  return Object.assign(create({ ...own, maxRedirects: 0 }).defaults, members);
}

function configWith(members: Members = {}): InternalAxiosRequestConfig {
  const { transformRequest, transformResponse, transitional, env } = axios.defaults;
  const config = { url: '/things', method: 'get', baseURL, adapter, maxRedirects: 0 };
  const rest = { transformRequest, transformResponse, transitional, env, headers: new AxiosHeaders() };
  return Object.assign(Object.create(null) as InternalAxiosRequestConfig, config, rest, members);
}

const headersWith = (members: Members): AxiosHeaders => Object.assign(new AxiosHeaders(), members);

describe('the defaults of an instance', () => {
  it('B17: are direct as axios and the module make them', () => {
    expect(areDirectDefaults(defaultsWith(), own)).toBe(true);
  });

  it.each<Members>([
    { timeout: 0 },
    { responseType: 'text' },
    { decompress: false },
    { maxContentLength: -1 },
    { validateStatus: null },
    { headers: { common: { 'X-One': 'one' }, get: { 'X-Two': 2 }, 'Content-Type': undefined } },
    { transitional: { silentJSONParsing: true } },
    { timeoutErrorMessage: undefined },
  ])('B17: are direct with %o', (members) => {
    expect(areDirectDefaults(defaultsWith(members), own)).toBe(true);
  });

  it.each<Members>([
    { adapter: 'http' },
    { baseURL: 'https://another.example' },
    { maxRedirects: 5 },
    { timeout: -1 },
    { timeout: 1.5 },
    { timeout: '5' },
    { timeoutErrorMessage: 5 },
    { responseType: 'stream' },
    { decompress: 'yes' },
    { maxContentLength: Number.NaN },
    { maxBodyLength: '5' },
    { validateStatus: 200 },
    { signal },
    { params: {} },
    { data: 'text' },
    { _state: 1 },
    { toString: () => '' },
    { env: { FormData: {} } },
    { headers: new AxiosHeaders() },
    { headers: { search: { 'X-One': 'one' } } },
    { headers: { get: new AxiosHeaders() } },
    { headers: { common: { Authorization: 'Basic one' } } },
    { headers: { 'X-One': undefined } },
    { headers: symbol },
    { transformRequest: [] },
    { transformRequest: () => undefined },
    { transformResponse: [axios.defaults.transformResponse, (data: unknown) => data].flat() },
    { transitional: { silentJSONParsing: false } },
    { transitional: { silentJSONParsing: 'yes' } },
    { transitional: { unknown: true } },
    { transitional: null },
    symbol,
  ])('B17: are general with %o', (members) => {
    expect(areDirectDefaults(defaultsWith(members), own)).toBe(false);
  });
});

describe('what a caller gives', () => {
  it.each<Members>([
    {},
    { url: '/things', method: 'QUERY' },
    { params: null },
    { params: new URLSearchParams() },
    { params: { list: [1, { two: 'two' }], none: null, date: new Date(0) } },
    { params: nested(7) },
    { headers: { 'X-One': 'one two', 'X-Two': 2, 'Content-Type': undefined } },
    { headers: new AxiosHeaders({ 'X-One': 'one' }) },
    { data: null },
    { data: 'text' },
    { data: Buffer.from('bytes') },
    { data: new URLSearchParams() },
    { data: [] },
    { data: {} },
    { signal },
    { cancelToken },
    { maxRedirects: 0 },
    { timeout: undefined },
    { [IDENTITY]: identity },
    { 'axios-retry': { retries: 3 }, _count: 1, metadata: null },
  ])('B17: is direct with %o', (members) => {
    expect(areDirectMembers(members)).toBe(true);
  });

  it.each<Members>([
    { url: new URL('https://api.example') },
    { method: 'PURGE' },
    { method: 7 },
    { params: new Map() },
    { params: nested(8) },
    { params: { written: () => 'a function' } },
    { params: { list: [() => 'a function'] } },
    { params: { one: symbol } },
    { headers: { authorization: 'Basic one' } },
    { headers: { Host: 'another' } },
    { headers: { Connection: 'close' } },
    { headers: { post: 'one' } },
    { headers: { Set: 'one' } },
    { headers: { 'X One': 'one' } },
    { headers: { 'X-One': 'one\n' } },
    { headers: { 'X-One': ['one'] } },
    { headers: { 'X-One': true } },
    { headers: { 'X-One': null } },
    { headers: { 'X-One': undefined } },
    { headers: new Map([['X-One', 'one']]) },
    { headers: symbol },
    { data: undefined, transformRequest: [] },
    { data: 7 },
    { data: new Date(0) },
    { data: new Uint8Array(1) },
    { signal: AbortSignal.abort() },
    { signal: {} },
    { cancelToken: Object.assign(Object.create(cancelToken) as object, { reason: 'stop' }) },
    { cancelToken: { subscribe() {}, unsubscribe() {}, throwIfRequested() {} } },
    { cancelToken: Object.assign(Object.create({}) as object, { subscribe() {}, unsubscribe() {} }) },
    { cancelToken: 'one' },
    { maxRedirects: 5 },
    { validateStatus: undefined },
    { adapter },
    { baseURL },
    { [IDENTITY]: { account: 'one' } },
    { _count: new Map() },
    { ['__proto__']: {} },
    { toString: () => '' },
    symbol,
  ])('B17: is general with %o', (members) => {
    expect(areDirectMembers(members)).toBe(false);
  });
});

describe('what interceptors leave', () => {
  it.each<Members>([
    {},
    { headers: headersWith({ 'X-One': null, 'X-Two': undefined, 'Content-Type': 'text/plain' }) },
    { data: { one: 1 }, params: { one: 1 }, timeout: 5, allowAbsoluteUrls: true },
    { _state: new Map() },
    { [IDENTITY]: identity },
  ])('B17: is direct with %o', (members) => {
    expect(isDirectIntercepted(configWith(members), adapter)).toBe(true);
  });

  it('B17: is direct with what axios hides in a config', () => {
    const config = configWith();
    Object.defineProperty(config, 'hasOwnProperty', {
      value: () => false,
      writable: true,
      configurable: true,
    });
    expect(isDirectIntercepted(config, adapter)).toBe(true);
    expect(isDirectConfig(config)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no object', 'config'],
    ['null', null],
    ['an object with a prototype', { ...configWith() }],
    ['no method', configWith({ method: undefined })],
    ['no headers', configWith({ headers: undefined })],
    ['no transform of requests', configWith({ transformRequest: undefined })],
    ['no transform of responses', configWith({ transformResponse: undefined })],
    ['another adapter', configWith({ adapter: 'http' })],
    ['redirects', configWith({ maxRedirects: undefined })],
    ['a symbol', configWith(symbol)],
    ['a hidden member', hiding(configWith())],
    ['a frozen config', Object.freeze(configWith())],
    ['a sealed config', Object.seal(configWith())],
    ['a config that takes no more members', Object.preventExtensions(configWith())],
    ['a getter', Object.defineProperty(configWith(), 'url', { get: () => '/things', configurable: true })],
    [
      'a member that cannot change',
      Object.defineProperty(configWith(), 'url', { writable: false, configurable: true }),
    ],
    [
      'a member that cannot go',
      Object.defineProperty(configWith(), 'url', { writable: true, configurable: false }),
    ],
    ['headers of another class', configWith({ headers: {} })],
    ['hidden headers', configWith({ headers: hiding(new AxiosHeaders()) })],
    ['no User-Agent', configWith({ headers: headersWith({ 'User-Agent': null }) })],
    ['no Accept-Encoding', configWith({ headers: headersWith({ 'accept-encoding': undefined }) })],
    ['a token', configWith({ headers: headersWith({ Authorization: 'Bearer one' }) })],
    ['strict parsing', configWith({ transitional: { silentJSONParsing: false } })],
    ['a deep transitional', configWith({ transitional: { one: {} } })],
    ['an agent', configWith({ httpsAgent: {} })],
  ])('B17: is general with %s', (_, config) => {
    expect(isDirectIntercepted(config, adapter)).toBe(false);
  });
});

describe('a config that goes to the adapter', () => {
  it.each<Members>([{}, { data: null }, { data: 'text' }, { data: Buffer.from('bytes') }, { signal: {} }])(
    'B17: is direct with %o',
    (members) => {
      expect(isDirectConfig(configWith(members))).toBe(true);
    },
  );

  it.each<[string, InternalAxiosRequestConfig]>([
    ['an object as its body', configWith({ data: {} })],
    ['a number as its body', configWith({ data: 7 })],
    ['redirects', configWith({ maxRedirects: 1 })],
    ['no method', configWith({ method: undefined })],
    ['another method', configWith({ method: 'purge' })],
    ['a hidden member', hiding(configWith()) as InternalAxiosRequestConfig],
    ['a symbol', configWith(symbol)],
    ['an agent', configWith({ httpsAgent: {} })],
  ])('B17: is general with %s', (_, config) => {
    expect(isDirectConfig(config)).toBe(false);
  });
});

describe('the config of a fetch', () => {
  it.each<Members>([{ method: 'GET' }, { data: 'text' }, { headers: { 'X-One': null } }])(
    'B21: is direct with %o',
    (members) => {
      expect(isDirectFetch(configWith(members))).toBe(true);
    },
  );

  it.each<Members>([
    { method: 'PURGE' },
    { maxRedirects: 5 },
    { data: {} },
    { headers: { Host: 'another' } },
    { headers: 'one' },
    { headers: symbol },
  ])('B21: is general with %o', (members) => {
    expect(isDirectFetch(configWith(members))).toBe(false);
  });
});

describe('members that a copy lacks', () => {
  it.each<[string, object, boolean]>([
    ['none', { one: 1 }, false],
    ['one that is not enumerable', hiding({}), true],
    ['an own __proto__', JSON.parse('{"__proto__":{}}') as object, true],
  ])('B17: %s', (_, given, expected) => {
    expect(hasHiddenMembers(given)).toBe(expected);
  });
});
