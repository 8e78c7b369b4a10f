import { Readable } from 'node:stream';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { generalRequest } from '../../../../lib/undici/request/general-request.js';
import { BASE_URL } from '../../../support/http/http-client.js';

const base = new BaseAddress(BASE_URL);

function plan(members: object = {}, hasProxy = false) {
  const config = {
    baseURL: BASE_URL,
    url: '/x',
    method: 'get',
    maxRedirects: 0,
    headers: new AxiosHeaders(),
    ...members,
  };
  return generalRequest(config as InternalAxiosRequestConfig, base, hasProxy);
}

describe('a request that undici can send', () => {
  it('B17: has the method in upper case, and the whole path', () => {
    expect(plan({ method: 'patch', params: { a: 'b c' }, timeout: '1500' })).toMatchObject({
      method: 'PATCH',
      path: '/v1/x?a=b+c',
      body: null,
    });
    expect(plan()).toMatchObject({ method: 'GET' });
  });

  it('B17: has the headers of the config, then those that axios adds', () => {
    const headers = new AxiosHeaders({ Accept: 'a/b', 'X-Own': 'one' });
    const sent = plan({ method: 'post', data: 'body', headers })?.headers ?? [];
    const names = sent.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names.slice(0, 2)).toEqual(['accept', 'x-own']);
    expect(names).toEqual(expect.arrayContaining(['user-agent', 'accept-encoding']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('B17: has the bytes of its body', () => {
    expect(plan({ method: 'post', data: 'Zürich' })?.body).toEqual(Buffer.from('Zürich'));
    expect(plan({ method: 'post', data: Buffer.from([0, 255]) })?.body).toEqual(Buffer.from([0, 255]));
  });
});

describe('a body within its limit', () => {
  it.each<[object, boolean]>([
    [{ method: 'post', data: 'four', maxBodyLength: 4 }, true],
    [{ method: 'post', data: 'four', maxBodyLength: -1 }, true],
    [{ method: 'post', data: 'x', maxBodyLength: 0 }, false],
    [{ method: 'post', data: 'xx', maxBodyLength: 1 }, false],
    [{ maxBodyLength: 4 }, true],
  ])('B17: is sent, and axios refuses a longer one: %j', (members, isSent) => {
    expect(plan(members) !== undefined).toBe(isSent);
  });
});

describe('a request that axios sends instead', () => {
  it.each<keyof InternalAxiosRequestConfig>([
    'httpsAgent',
    'httpAgent',
    'onUploadProgress',
    'onDownloadProgress',
    'socketPath',
    'transport',
    'lookup',
    'family',
    'maxRate',
    'insecureHTTPParser',
    'http2Options',
  ])('B17: has the option %s', (name) => {
    expect(plan({ [name]: 1 })).toBeUndefined();
    expect(plan({ [name]: 0 })).toBeDefined();
  });

  it.each<[string, object]>([
    ['follows redirects', { maxRedirects: 5 }],
    ['does not say that it follows none', { maxRedirects: undefined }],
    ['has a proxy', { proxy: { host: 'proxy.example', port: 3128 } }],
    ['asks for HTTP/2', { httpVersion: 2 }],
    ['leads outside of the base URL', { url: 'https://elsewhere.example/' }],
    ['has credentials in its URL', { url: 'https://me:mine@api.example.com/v1/x' }],
    ['has a method that is no token', { method: 'get it' }],
    ['has no method', { method: undefined }],
    ['has an empty body that undici would not announce', { method: 'delete', data: Buffer.alloc(0) }],
    ['opens a tunnel', { method: 'connect' }],
    ['has a timeout that is no number', { timeout: 'soon' }],
    ['has a body of an unknown kind', { method: 'post', data: { a: 1 } }],
    ['has a body above its limit', { method: 'post', data: 'four', maxBodyLength: 3 }],
    ['has a stream under a limit', { method: 'post', data: Readable.from(['x']), maxBodyLength: 100 }],
    ['has params that cannot be written', { params: { a: '\ud800' } }],
  ])('B17: %s', (_, members) => {
    expect(plan(members)).toBeUndefined();
  });

  it('B17: has to reach a proxy of the process, unless the request wants none', () => {
    expect(plan({}, true)).toBeUndefined();
    expect(plan({ proxy: false }, true)).toBeDefined();
  });
});
