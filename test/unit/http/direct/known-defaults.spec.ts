import { type AxiosInstance, create, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { KnownDefaults, type Members } from '../../../../lib/http/direct/known-defaults.js';
import { BASE_URL } from '../../../support/http/http-client.js';

const HIDDEN = Symbol('hidden');

function createInstance(): AxiosInstance {
  const instance = create({ baseURL: BASE_URL, timeout: 1_000, headers: { 'X-Client': 'one' } });
  instance.defaults.headers.common['X-Common'] = 'two';
  // A default that is undefined is missing for axios.
  Object.assign(instance.defaults, { timeoutErrorMessage: undefined });
  return instance;
}

/** The config that axios itself gives to the first interceptor. */
async function configOfAxios(instance: AxiosInstance, members: Members): Promise<InternalAxiosRequestConfig> {
  let seen: InternalAxiosRequestConfig | undefined;
  const id = instance.interceptors.request.use((config) => {
    seen = config;
    throw new Error('seen');
  });
  await instance.request(members).catch(() => undefined);
  instance.interceptors.request.eject(id);
  if (seen === undefined) throw new Error('axios has refused this call.');
  return seen;
}

/** Everything that code can see of a config: each key in its order, its attributes, its value, and the prototype. */
function lookAt(config: InternalAxiosRequestConfig | undefined): unknown {
  if (config === undefined) return undefined;
  return [Object.getPrototypeOf(config), Object.entries(Object.getOwnPropertyDescriptors(config))];
}

describe('the config of a direct call', () => {
  it.each<[string, string, Members]>([
    ['a URL', 'get', { method: 'get', url: '/x' }],
    ['a method in upper case', 'post', { method: 'POST', url: '/x', data: 'body' }],
    ['headers', 'put', { url: '/x', method: 'put', headers: { 'x-client': 'mine', Accept: 'a/b' } }],
    ['nested params', 'get', { params: { a: { b: [1, { c: 2 }] } }, url: '/x', method: 'get' }],
    ['params with names that axios leaves out', 'get', { params: { constructor: 'x', b: 1 }, url: '/x' }],
    ['params with a symbol', 'get', { params: { [HIDDEN]: 'x', b: 1 }, url: '/x' }],
    ['a list of params', 'get', { params: [{ a: 1 }, 2], url: '/x' }],
    ['a message for timeouts', 'get', { timeoutErrorMessage: 'too slow', url: '/x' }],
    ['another order of members', 'get', { timeout: 5, responseType: 'text', method: 'get', url: '/x' }],
    ['members that are missing', 'get', { url: '/x', timeout: undefined, params: undefined, method: 'get' }],
    ['a default that is replaced', 'post', { transformRequest: [String], method: 'post', url: '/x' }],
    ['an object of a class', 'post', { url: '/x', method: 'post', data: new Date(0) }],
  ])('B17: is the config that axios makes, for %s', async (_, method, members) => {
    const instance = createInstance();
    const known = new KnownDefaults(instance.defaults);
    const expected = lookAt(await configOfAxios(instance, members));
    expect(lookAt(known.configOf(method, members))).toEqual(expected);
  });

  it('B17: shares no object with the next config, with the defaults or with the caller', () => {
    const { defaults } = createInstance();
    const known = new KnownDefaults(defaults);
    const members = { url: '/x', params: { a: { b: 1 } }, headers: { Accept: 'a/b' } };
    const ofSymbol = { url: '/x', params: { [HIDDEN]: { b: 1 } } };
    const first = known.configOf('get', members);
    const second = known.configOf('get', members);
    for (const name of [
      'headers',
      'params',
      'transitional',
      'transformRequest',
      'transformResponse',
    ] as const) {
      expect(first[name]).toEqual(second[name]);
      expect(first[name]).not.toBe(second[name]);
    }
    expect(first.params).not.toBe(members.params);
    expect((first.params as typeof members.params).a).not.toBe(members.params.a);
    const copied = known.configOf('get', ofSymbol).params as typeof ofSymbol.params;
    expect(copied).toEqual(ofSymbol.params);
    expect(copied[HIDDEN]).not.toBe(ofSymbol.params[HIDDEN]);
    expect(first.transitional).not.toBe(defaults.transitional);
  });
});

describe('the known defaults', () => {
  it.each<[string, (instance: AxiosInstance) => unknown]>([
    ['a common header is added', ({ defaults }) => (defaults.headers.common['X-New'] = '1')],
    ['a common header is changed', ({ defaults }) => (defaults.headers.common['X-Common'] = '1')],
    ['a common header is removed', ({ defaults }) => delete defaults.headers.common['X-Common']],
    ['a header of the client is added', ({ defaults }) => (defaults.headers['X-New'] = '1')],
    ['a header of one method is added', ({ defaults }) => (defaults.headers.post['X-New'] = '1')],
    ['a header of another method is added', ({ defaults }) => (defaults.headers.get['X-New'] = '1')],
    ['a member is changed', ({ defaults }) => (defaults.timeout = 2_000)],
    ['a member is added', ({ defaults }) => (defaults.responseType = 'text')],
    [
      'a transform is added in place',
      ({ defaults: { transformResponse } }) =>
        Array.isArray(transformResponse) && transformResponse.push(String),
    ],
  ])('B17: are out of date if %s', (_, change) => {
    const instance = createInstance();
    const known = new KnownDefaults(instance.defaults);
    expect(known.areCurrent()).toBe(true);
    change(instance);
    expect(known.areCurrent()).toBe(false);
  });
});
