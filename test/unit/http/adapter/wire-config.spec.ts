import { types } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import {
  authorize,
  copyOf,
  fixedFormType,
  hasOwnCredentials,
  wireConfig as copyFor,
  wrappedLookup,
} from '../../../../lib/http/adapter/wire-config.js';
import { isAuthorization } from '../../../../lib/http/redaction/clean-request.js';

const marked = Symbol('of a cache');

const lookup = async (): Promise<string> => '127.0.0.1';

function wireConfig(config: InternalAxiosRequestConfig) {
  return copyFor(config, { kind: 'http', managesConnections: false });
}

function configOf(request: object = {}, headers = {}): InternalAxiosRequestConfig {
  return { url: '/x', headers: Object.assign(new AxiosHeaders(), headers), ...request };
}

describe('the config that an adapter gets', () => {
  it('B12: is a copy of all members that the caller set, symbols included', () => {
    const config = configOf({ data: 'body', [marked]: 'mine' }, { Accept: 'text/plain' });
    const wire = wireConfig(config);
    expect(Object.keys(wire)).toEqual(Object.keys(config));
    expect(Reflect.get(wire, marked)).toBe('mine');
    expect(wire.headers).not.toBe(config.headers);
    expect(wire.headers).toBeInstanceOf(AxiosHeaders);
    expect(wire.headers.get('accept')).toBe('text/plain');
  });

  it('S6: has the text of a URL object, which is read once', () => {
    const url = new URL('https://api.example.com/x');
    expect(wireConfig(configOf({ url })).url).toBe('https://api.example.com/x');
  });

  it('S6: has the text of every object that stands for an address or a method', () => {
    const wire = wireConfig(
      configOf({
        url: new URL('https://a/x'),
        baseURL: new URL('https://b/v1'),
        method: { toString: () => 'put' },
      }),
    );
    expect([wire.url, wire.baseURL, wire.method]).toEqual(['https://a/x', 'https://b/v1', 'put']);
  });

  it('B5: has no signal and no cancel token of the caller, whatever they are', () => {
    for (const value of [null, undefined, false, {}]) {
      const wire = wireConfig(configOf({ signal: value, cancelToken: value }));
      expect(Object.keys(wire)).toEqual(['url', 'headers']);
    }
  });

  it('has each member without a value', () => {
    expect(wireConfig(configOf({ url: null, baseURL: null, data: undefined }))).toMatchObject({
      url: null,
      baseURL: null,
      data: undefined,
    });
  });

  it('B28: has the body itself if the body is read while it is sent', () => {
    const data = { [Symbol.asyncIterator]: () => undefined, more: {} };
    expect(wireConfig(configOf({ data })).data).toBe(data);
    const other = { more: {} };
    expect(wireConfig(configOf({ data: other })).data).not.toBe(other);
  });

  it('C3: has the adapter itself only for an adapter of the application', () => {
    const config = configOf({ adapter: lookup, transformRequest: lookup });
    expect(copyFor(config, { kind: 'other', managesConnections: false }).adapter).toBe(lookup);
    expect(Object.keys(wireConfig(config))).toEqual(['url', 'headers']);
  });

  it('B12: has none of the members that are made again for each attempt, and none that only axios reads', () => {
    const members = { httpsAgent: {}, httpAgent: {}, signal: {}, cancelToken: {} };
    const ofAxios = { transformRequest: [], transformResponse: [] };
    const config = configOf({ ...members, ...ofAxios });
    expect(Object.keys(wireConfig(config))).toEqual(['url', 'headers']);
    const forAny = copyFor(config, { kind: 'other', managesConnections: false });
    expect(Object.keys(forAny)).toEqual(['url', 'headers', ...Object.keys(ofAxios)]);
  });

  it('C3: has classes as they are, and functions that call those of the caller', async () => {
    class OwnFormData {}
    const transport = {
      name: 'own',
      request(this: { name: string }, path: string): string {
        return `${this.name} ${path}`;
      },
    };
    const env = { FormData: OwnFormData };
    const wire = wireConfig(configOf({ env, transport, lookup }));
    const read = wire as unknown as {
      env: typeof env;
      transport: { request(path: string): string };
      lookup: typeof lookup;
    };
    expect(read.env).toEqual(env);
    expect(read.env).not.toBe(env);
    expect(read.transport.request('/x')).toBe('own /x');
    expect(Object.keys(read.transport)).toEqual(['request']);
    expect(read.lookup).not.toBe(lookup);
    expect(types.isAsyncFunction(read.lookup)).toBe(true);
    expect(await read.lookup()).toBe('127.0.0.1');
  });

  it('S6: has the headers that axios would send, under their names without spaces', () => {
    const wire = wireConfig(
      configOf(
        {},
        {
          ' x-text ': 'a',
          'x-url': new URL('https://a/x'),
          'x-function': Object.assign(() => undefined, { toString: () => 'called' }),
          'x-list': ['a', new URL('https://b/x'), null],
          'x-number': 5,
          'x-none': null,
          'x-false': false,
        },
      ),
    );
    expect(Object.entries(wire.headers)).toEqual([
      ['x-text', 'a'],
      ['x-url', 'https://a/x'],
      ['x-function', 'called'],
      ['x-list', ['a', 'https://b/x', null]],
      ['x-number', 5],
      ['x-none', null],
      ['x-false', false],
    ]);
  });

  it('S6: has one Authorization header, if the caller left two of them empty', () => {
    const wire = wireConfig(configOf({}, { authorization: false, Authorization: '' }));
    authorize(wire, 'Bearer x');
    expect(Object.entries(wire.headers)).toEqual([['authorization', 'Bearer x']]);
  });

  it.each([
    ['Authorization', {}],
    ['authorization', { authorization: false }],
    ['AUTHORIZATION', { AUTHORIZATION: '' }],
  ])('S6: has one %s header, in the case that the caller used', (name, headers) => {
    const wire = wireConfig(configOf({}, headers));
    authorize(wire, 'Bearer x');
    expect(Object.entries(wire.headers)).toEqual([[name, 'Bearer x']]);
  });
});

describe('a copy of a member', () => {
  it('B28: is another object at each level, with the same content', () => {
    const value = { list: [1, { two: [2] }], none: null, text: 'x', params: new URLSearchParams('a=b') };
    const copy = copyOf(value) as typeof value;
    expect(copy).toEqual(value);
    expect(copy).not.toBe(value);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[1]).not.toBe(value.list[1]);
    expect(copy.params).not.toBe(value.params);
  });

  it('B28: may lead back to itself', () => {
    const value: { self?: unknown; list: unknown[] } = { list: [] };
    value.self = value;
    value.list.push(value.list, value);
    const copy = copyOf(value) as typeof value;
    expect(copy.self).toBe(copy);
    expect(copy.list[0]).toBe(copy.list);
    expect(copy.list[1]).toBe(copy);
  });

  it('B28: is made of an object of another realm', () => {
    const value = runInContext('({ deep: { list: [1] } })', createContext()) as object;
    const copy = copyOf(value) as { deep: { list: number[] } };
    expect(copy).not.toBe(value);
    expect(copy.deep.list[0]).toBe(1);
  });

  it('B28: is made of an object without a prototype', () => {
    const value = Object.assign(Object.create(null) as object, { a: 1 });
    const copy = copyOf(value);
    expect(copy).toEqual({ a: 1 });
    expect(copy).not.toBe(value);
  });

  it('B28: takes no prototype from a member', () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"polluted":true},"a":1}')) as object;
    expect(copy).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it.each([1, 'text', true, null, undefined, Symbol.iterator, new Date(0), Buffer.from('x')])(
    'B28: is the value itself if there is nothing to copy: %s',
    (value) => {
      expect(copyOf(value)).toBe(value);
    },
  );
});

describe('a wrapper of a function', () => {
  it("B28: calls the caller's function without a this, and is the same for the same function", () => {
    const seen: unknown[] = [];
    const call = function (this: unknown, ...given: unknown[]): number {
      seen.push(this, ...given);
      return 7;
    };
    const wrapper = copyOf(call) as typeof call;
    expect(wrapper).not.toBe(call);
    expect(copyOf(call)).toBe(wrapper);
    expect((copyOf({ call }) as { call: unknown }).call).toBe(wrapper);
    expect(Reflect.apply(wrapper, 'this', [1, 2])).toBe(7);
    expect(seen).toEqual([undefined, 1, 2]);
  });

  it('B28: is asynchronous if axios checks for an async function', async () => {
    expect(types.isAsyncFunction(wrappedLookup(lookup))).toBe(true);
    expect(await wrappedLookup(lookup)()).toBe('127.0.0.1');
    expect(types.isAsyncFunction(wrappedLookup(() => undefined))).toBe(false);
  });
});

describe("a caller's own credentials", () => {
  it.each([['Authorization'], ['authorization'], ['AUTHORIZATION']])('R25: are a header %s', (name) => {
    expect(hasOwnCredentials(configOf({}, { Accept: '*/*', [name]: 'Basic own' }))).toBe(true);
    expect(isAuthorization(name)).toBe(true);
  });

  it('R25: are a user name and a password', () => {
    expect(hasOwnCredentials(configOf({ auth: { username: 'me', password: 'mine' } }))).toBe(true);
  });

  it.each([['X-Api-Version'], ['Proxy-Authorization'], ['Authorizatio']])(
    'S7: are no header %s, although the name is similar',
    (name) => {
      expect(hasOwnCredentials(configOf({}, { [name]: 'Basic own' }))).toBe(false);
      expect(isAuthorization(name)).toBe(false);
    },
  );

  it.each([[false], [null], [undefined], [''], [' '], [[]], [['']], [[null, '']], ['\u{4e2d}']])(
    'S7: are no header with the value %j',
    (value) => {
      expect(hasOwnCredentials(configOf({}, { Authorization: value }))).toBe(false);
      expect(hasOwnCredentials(configOf())).toBe(false);
    },
  );
});

describe('the content type of a form', () => {
  it('B4: has a boundary that stays the same for a resend, and differs for another form', () => {
    const types = [1, 2].map(() => fixedFormType(configOf({ data: new FormData() })));
    for (const type of types)
      expect(type).toMatch(/^multipart\/form-data; boundary=provider-auth-[\da-f]{36}$/);
    expect(types[0]).not.toBe(types[1]);
  });

  it.each([
    ['no type', {}],
    ['a type without a boundary', { 'Content-Type': 'multipart/form-data' }],
  ])('B4: is ours if the caller gave %s', (_, headers) => {
    expect(fixedFormType(configOf({ data: new FormData() }, headers))).toBeDefined();
  });

  it("B4: is the caller's if it has a boundary", () => {
    const headers = { 'content-type': 'multipart/form-data; Boundary=mine' };
    expect(fixedFormType(configOf({ data: new FormData() }, headers))).toBeUndefined();
  });

  it('B4: is not set for any other body', () => {
    for (const data of ['text', undefined, new URLSearchParams('a=b')])
      expect(fixedFormType(configOf({ data }))).toBeUndefined();
  });
});
