import { Readable } from 'node:stream';
import NpmFormData from 'form-data';
import { expect } from 'vitest';
import { AFTER_HEAD, type Case, type Difference, refusedByUndici, withRequest } from './case.js';

const LONG = Buffer.alloc(300_000, 'payload-');

const form = (): FormData => {
  const data = new FormData();
  data.append('name', 'line one\nline "two"');
  data.append('na"me\r\n', 'ü');
  return data;
};

const formWithFiles = (): FormData => {
  const data = form();
  data.append('file', new Blob([LONG], { type: 'application/x-thing' }), 'fi"le.bin');
  data.append('untyped', new Blob(['x']));
  data.append('empty', new Blob([]), 'empty.txt');
  return data;
};

const npmForm = (): NpmFormData => {
  const data = new NpmFormData();
  data.append('a', 'b');
  data.append('file', Buffer.from('bytes'), { filename: 'f.bin' });
  return data;
};

const post = (name: string, data: () => unknown, headers: Record<string, string> = {}): Case => ({
  name,
  config: () => ({ method: 'POST', data: data(), headers }),
});

const WITHOUT_LENGTH: Difference = {
  on: 'undici',
  because: 'undici does not announce an empty body',
  outcome: (ofAxios) => withRequest(ofAxios, { 'content-length': undefined }),
};

export const METHODS: readonly Case[] = [
  ...['GET', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'QUERY'].map((method) => ({
    name: `${method} without a body`,
    config: () => ({ method }),
  })),
  {
    name: 'HEAD',
    config: () => ({ method: 'HEAD' }),
    answer: (_, response) => void response.writeHead(200, { 'content-length': '5', etag: '"1"' }).end(),
    differs: AFTER_HEAD,
  },
  {
    name: 'a custom method, without a body',
    config: () => ({ method: 'report' }),
    differs: WITHOUT_LENGTH,
  },
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'GET'].map((method) => ({
    name: `${method} with JSON`,
    config: () => ({ method, data: { amount: 12.5, name: 'Müller ✓' } }),
  })),
];

export const BODIES: readonly Case[] = [
  post('a string', () => 'plain ✓', { 'Content-Type': 'text/plain' }),
  post('an empty string', () => ''),
  post('a Buffer', () => LONG, { 'Content-Type': 'application/octet-stream' }),
  post('an empty Buffer', () => Buffer.alloc(0)),
  ...['GET', 'DELETE', 'POST', 'PUT'].map((method) => ({
    name: `${method} with an empty Uint8Array`,
    config: () => ({ method, data: new Uint8Array() }),
    ...((method === 'GET' || method === 'DELETE') && { differs: WITHOUT_LENGTH }),
  })),
  post('a Uint8Array', () => new Uint8Array([1, 2, 3, 4])),
  post('an ArrayBuffer', () => new Uint8Array([0, 255, 13, 10]).buffer),
  post('a Float64Array', () => new Float64Array([1.5])),
  post('URLSearchParams', () => new URLSearchParams({ 'a b': 'c&d', ü: '+' })),
  post('an object as a form', () => ({ a: 1, b: ['x', 'y'] }), {
    'Content-Type': 'application/x-www-form-urlencoded',
  }),
  post('FormData', form),
  post('FormData with files', formWithFiles),
  post('FormData with a boundary of the caller', form, {
    'Content-Type': 'multipart/form-data; boundary=callers-own-boundary',
  }),
  post('an empty FormData', () => new FormData()),
  post('an object as multipart', () => ({ a: 1 }), { 'Content-Type': 'multipart/form-data' }),
  post('the form-data package', npmForm),
  post('a Blob', () => new Blob(['bl', 'ob'], { type: 'text/x-blob' })),
  post('a Blob without a type', () => new Blob([LONG])),
  post('an empty Blob', () => new Blob([])),
  post('a File', () => new File(['bytes'], 'a.txt', { type: 'text/plain' })),
  post('a Readable', () => Readable.from([Buffer.from('one'), Buffer.from('two')])),
  post('a Readable of strings', () => Readable.from(['eins ✓', 'zwei'])),
  post('a Readable with its length', () => Readable.from([Buffer.from('six by')]), { 'Content-Length': '6' }),
  post('a long Readable', () => Readable.from([LONG, LONG])),
  {
    ...post('a web stream', () => new Blob(['web']).stream()),
    differs: {
      because: "axios' http adapter refuses a web stream, undici sends it",
      outcome: () => ({
        status: 200,
        statusText: 'OK',
        headers: { 'content-length': '2' },
        data: 'ok',
        request: { method: 'POST', path: '/base/' },
        seen: [
          {
            method: 'POST',
            url: '/base/',
            body: 'web',
            headers: expect.objectContaining({
              'content-type': 'application/x-www-form-urlencoded',
            }) as Record<string, string>,
          },
        ],
      }),
    },
  },
  post('a number', () => 7, { 'Content-Type': 'text/plain' }),
  post(
    'a Readable that fails',
    () =>
      new Readable({
        read() {
          this.destroy(Object.assign(new Error('The disk is gone.'), { code: 'EIO' }));
        },
      }),
  ),
  post('a Readable that closes early', () => {
    let pushed = false;
    return new Readable({
      read() {
        if (pushed) setTimeout(() => this.destroy(), 10);
        else this.push('some');
        pushed = true;
      },
    });
  }),
  {
    name: 'maxBodyLength, exceeded by a Buffer',
    config: () => ({ method: 'POST', data: Buffer.alloc(11), maxBodyLength: 10 }),
  },
  {
    name: 'maxBodyLength, exceeded by a form',
    config: () => ({ method: 'POST', data: form(), maxBodyLength: 10 }),
  },
  {
    name: 'maxBodyLength, not exceeded',
    config: () => ({ method: 'POST', data: 'ten bytes!', maxBodyLength: 10 }),
  },
  {
    name: 'maxBodyLength, kept by a Readable',
    config: () => ({ method: 'POST', data: Readable.from([Buffer.from('ten bytes!')]), maxBodyLength: 10 }),
  },
];

const get = (name: string, config: object): Case => ({ name, config: () => config });

export const ADDRESSES: readonly Case[] = [
  get('a path', { url: '/payments/7' }),
  get('a path without a slash', { url: 'payments/7' }),
  get('a path with dots and escapes', { url: '/a/./b/../c%20d/%C3%BC.json' }),
  get('a path with characters to encode', { url: '/ü/a b/"x"<y>' }),
  get('a query', { url: "/list?a=1&b=it's#fragment" }),
  get('params', { url: '/list', params: { a: [1, 2], from: new Date(0), 'k[x]': 'ü &', none: undefined } }),
  get('params after a query', { url: '/list?a=1', params: { b: 2 } }),
  get('a serializer of the caller', { url: '/list', params: { a: 1 }, paramsSerializer: () => "raw='x'" }),
  get('a serializer that fails', {
    url: '/list',
    params: { a: 1 },
    paramsSerializer: () => {
      throw new Error('No such parameter.');
    },
  }),
  {
    ...get('a serializer that gives what cannot be sent', {
      url: '/list',
      params: { a: 1 },
      paramsSerializer: () => 'a b',
    }),
    differs: {
      because: 'axios shows the bare TypeError of Node',
      outcome: (ofAxios) => ({
        ...ofAxios,
        error: {
          code: 'ERR_INVALID_URL',
          message: 'The path has characters that cannot be sent.',
          name: 'AxiosError',
          isCancel: false,
          hasConfig: true,
        },
      }),
    },
  },
  { name: 'an absolute address', config: ({ url }) => ({ url: `${url}/base/absolute` }) },
  { name: 'userinfo', config: ({ url }) => ({ url: `${url.replace('//', '//us%40er:pw@')}/base/x` }) },
];

export const HEADERS: readonly Case[] = [
  get('headers of the caller', { headers: { 'X-Request-ID': 'a-1', 'x-lower': 'b', Accept: 'text/csv' } }),
  get('a header with several values', { headers: { 'X-Many': ['a', 'b'] } }),
  get('a header left out', { headers: { Accept: false, 'User-Agent': null, 'X-None': undefined } }),
  get('a number as a header', { headers: { 'X-Number': 7 } }),
  get('Latin-1 in a header', { headers: { 'X-Latin': 'Zürich' } }),
  get('what no header can carry', { headers: { 'X-Odd': ' tab\there ✓\r\nX-Injected: 1 ' } }),
  get('a user agent of the caller', { headers: { 'user-agent': 'mine/1' } }),
  get('an accepted encoding of the caller', { headers: { 'ACCEPT-ENCODING': 'identity' } }),
  get('Authorization', { headers: { Authorization: 'Bearer canary' } }),
  get('basic credentials', {
    auth: { username: 'üser', password: 'p:w' },
    headers: { Authorization: 'Bearer canary' },
  }),
  get('zstd, if Node has it', { transitional: { advertiseZstdAcceptEncoding: true } }),
  get('names as long as those that axios adds', { headers: { 'x-10-chars': 'a', 'x-has-15-letter': 'b' } }),
  get('cookies', { headers: { Cookie: 'a=1; b=2' } }),
  get('a list of cookies', { headers: { Cookie: ['a=1', ' b=2'] } }),
  get('a list with one cookie', { headers: { cookie: ['a=1'] } }),
  get('Connection: close', { headers: { Connection: 'close' } }),
  {
    ...get('Connection: TE', { headers: { Connection: 'TE', TE: 'trailers' } }),
    differs: {
      on: 'undici',
      because: 'undici writes this header itself',
      outcome: (ofAxios) => withRequest(ofAxios, { connection: 'keep-alive' }),
    },
  },
  {
    ...get('Expect', { method: 'POST', data: 'x', headers: { Expect: '100-continue' } }),
    differs: refusedByUndici('expect header not supported'),
  },
  {
    name: 'Transfer-Encoding of a stream',
    config: () => ({
      method: 'POST',
      data: Readable.from(['x']),
      headers: { 'Transfer-Encoding': 'chunked' },
    }),
  },
  get('a length that is right', { method: 'POST', data: 'abc', headers: { 'Content-Length': '3' } }),
  get('a length without a body', { method: 'POST', headers: { 'Content-Length': '0' } }),
];
