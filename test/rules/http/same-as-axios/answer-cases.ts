import zlib from 'node:zlib';
import type { AxiosRequestConfig } from 'axios';
import type { WireHandler } from '../../../support/http/wire-server.js';
import { AFTER_HEAD, type Case } from './case.js';

const TEXT = 'Zahlung für Ünïcødé ✓\n'.repeat(200);
const LONG = Buffer.alloc(300_000, 'answer--');
const body =
  (bytes: string | Buffer, headers: Record<string, string | string[]> = {}, status = 200): WireHandler =>
  (_, response) =>
    void response.writeHead(status, headers).end(bytes);

const encoded = (bytes: Buffer, encoding: string): WireHandler =>
  body(bytes, { 'content-encoding': encoding });

const raw =
  (text: string): WireHandler =>
  (request) =>
    void request.socket.end(text);

const answered = (name: string, answer: WireHandler, config: AxiosRequestConfig = {}): Case => ({
  name,
  answer,
  config: () => config,
});

const STATUSES = [200, 201, 202, 204, 206, 301, 304, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503];

export const ANSWERS: readonly Case[] = [
  ...STATUSES.map((status) =>
    answered(
      `status ${status}`,
      body(status === 204 || status === 304 ? '' : '{"a":1}', { location: '/x' }, status),
    ),
  ),
  answered('validateStatus that accepts all', body('no', {}, 500), { validateStatus: () => true }),
  answered('validateStatus that is null', body('no', {}, 404), { validateStatus: null }),
  answered('validateStatus that refuses', body('yes', {}, 200), { validateStatus: (status) => status > 300 }),
  answered('JSON', body('{"a":[1,{"b":"ü"}]}', { 'content-type': 'application/json' })),
  answered('JSON with a byte order mark', body('\ufeff{"a":1}')),
  ...['utf8', 'utf-8'].map((responseEncoding) =>
    answered(`a byte order mark as ${responseEncoding}`, body('\ufefftext'), {
      responseEncoding: responseEncoding as 'utf8',
    }),
  ),
  answered('broken JSON', body('{"a":')),
  answered('broken JSON, strictly', body('{"a":'), {
    responseType: 'json',
    transitional: { silentJSONParsing: false },
  }),
  answered('an empty body', body('')),
  answered('text', body('{"a":1}'), { responseType: 'text' }),
  answered('text in Latin-1', body(Buffer.from('Zürich', 'latin1')), {
    responseType: 'text',
    responseEncoding: 'latin1',
  }),
  answered('text in base64', body('abc'), { responseType: 'text', responseEncoding: 'base64' }),
  answered('text in an encoding that is none', body('abc'), {
    responseType: 'text',
    responseEncoding: 'klingon' as 'utf8',
  }),
  answered('arraybuffer', body(LONG), { responseType: 'arraybuffer' }),
  answered('an empty arraybuffer', body(''), { responseType: 'arraybuffer' }),
  answered('blob', body('blob'), { responseType: 'blob' }),
  answered('document', body('<a/>'), { responseType: 'document' }),
  answered('stream', body(LONG), { responseType: 'stream' }),
  answered('an empty stream', body(''), { responseType: 'stream' }),
  answered('a stream of an error', body('{"e":1}', {}, 503), { responseType: 'stream' }),
  answered('many chunks', (_, response) => {
    let left = 20;
    const next = (): void => void (left-- > 0 ? response.write('ü✓', next) : response.end());
    next();
  }),
  answered('a character cut between two chunks', (_, response) => {
    response.write(Buffer.from('ü').subarray(0, 1));
    setTimeout(() => response.end(Buffer.from('ü').subarray(1)), 20);
  }),
  answered('set-cookie', body('', { 'set-cookie': ['a=1; Path=/', 'b=2'] })),
  answered('one set-cookie', body('', { 'set-cookie': 'a=1' })),
  answered(
    'headers that come more than once',
    body('', {
      'x-a': ['1', '2'],
      'content-type': ['text/a', 'text/b'],
      vary: ['x', 'y'],
      'retry-after': ['1', '2'],
    }),
  ),
  answered(
    'a header named as a method of AxiosHeaders',
    body('', { get: 'x', set: 'y', constructor: 'z', 'to-json': '1' }),
  ),
  answered('Latin-1 in a header', body('', { 'x-latin': 'Zürich' })),
  answered(
    'a header with spaces',
    raw('HTTP/1.1 200 OK\r\nX-Spaced: \t a\tb  \r\nContent-Length: 0\r\n\r\n'),
  ),
  answered('a __proto__ header', raw('HTTP/1.1 200 OK\r\n__proto__: x\r\nContent-Length: 0\r\n\r\n')),
  answered('an unusual reason phrase', raw('HTTP/1.1 200 Fine By Me\r\nContent-Length: 2\r\n\r\nok')),
  answered('no reason phrase', raw('HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok')),
  answered('HTTP/1.0', raw('HTTP/1.0 200 OK\r\n\r\nuntil the end')),
  answered(
    'a body that ends with the connection',
    raw('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end'),
  ),
  answered(
    'early hints',
    raw('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  ),
  answered(
    'trailers',
    raw(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n',
    ),
  ),
];

const gzipped = zlib.gzipSync(TEXT);

const ETAG = { etag: '"1"' };
const ANNOUNCED = { ...ETAG, 'content-length': '5' };
const BODILESS: readonly (readonly [string, AxiosRequestConfig])[] = [
  ['', {}],
  [', as a stream', { responseType: 'stream' }],
  [', as an arraybuffer', { responseType: 'arraybuffer' }],
  [', under maxContentLength', { maxContentLength: 1 }],
];

/** Responses without a body, whatever their headers say. */
export const WITHOUT_BODY: readonly Case[] = BODILESS.flatMap(([kind, config]) => [
  ...[204, 205, 304].flatMap((status) => [
    answered(`${status} without a length${kind}`, body('', ETAG, status), config),
    answered(
      `${status} with a length of 0${kind}`,
      body('', { ...ETAG, 'content-length': '0' }, status),
      config,
    ),
  ]),
  answered(`304 with the length of a body${kind}`, body('', ANNOUNCED, 304), config),
  answered(
    `304 with the length and the encoding of a body${kind}`,
    body('', { ...ANNOUNCED, 'content-encoding': 'gzip' }, 304),
    config,
  ),
  answered(`204 with the length of a body${kind}`, body('', ANNOUNCED, 204), config),
  answered(
    `205 with the length of a body that never comes${kind}`,
    raw('HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\n'),
    config,
  ),
  answered(`205 with a body${kind}`, body('5 it is', ETAG, 205), config),
  ...[200, 205, 304, 404].map((status) => ({
    ...answered(`HEAD, answered ${status} with a length${kind}`, body('', ANNOUNCED, status), {
      ...config,
      method: 'HEAD',
    }),
    differs: AFTER_HEAD,
  })),
]);

export const ENCODINGS: readonly Case[] = [
  answered('gzip', encoded(gzipped, 'gzip')),
  answered('GZIP', encoded(gzipped, 'GZIP')),
  answered('x-gzip', encoded(gzipped, 'x-gzip')),
  answered('x-compress', encoded(zlib.deflateSync(TEXT), 'x-compress')),
  answered('br that lacks its end', encoded(zlib.brotliCompressSync(TEXT).subarray(0, -2), 'br')),
  answered('compress', encoded(gzipped, 'compress')),
  answered('deflate', encoded(zlib.deflateSync(TEXT), 'deflate')),
  answered('deflate without its header', encoded(zlib.deflateRawSync(TEXT), 'deflate')),
  answered('br', encoded(zlib.brotliCompressSync(TEXT), 'br')),
  answered('identity', encoded(Buffer.from(TEXT), 'identity')),
  answered('an unknown encoding', encoded(Buffer.from('x'), 'klingon')),
  answered('two encodings', encoded(gzipped, 'gzip, br')),
  answered('decompress: false', encoded(gzipped, 'gzip'), { decompress: false, responseType: 'arraybuffer' }),
  answered('gzip in a stream', encoded(gzipped, 'gzip'), { responseType: 'stream' }),
  answered('a long gzip in a stream', encoded(zlib.gzipSync(Buffer.alloc(2_000_000)), 'gzip'), {
    responseType: 'stream',
  }),
  answered('gzip in an arraybuffer', encoded(gzipped, 'gzip'), { responseType: 'arraybuffer' }),
  answered(
    'gzip of an error',
    (_, response) =>
      void response.writeHead(422, { 'content-encoding': 'gzip' }).end(zlib.gzipSync('{"e":1}')),
  ),
  answered('gzip that is none', encoded(Buffer.from('not gzip at all'), 'gzip')),
  answered('gzip that is none, in a stream', encoded(Buffer.from('not gzip at all'), 'gzip'), {
    responseType: 'stream',
  }),
  answered('gzip that is cut short', encoded(gzipped.subarray(0, -12), 'gzip')),
  answered('gzip of nothing', encoded(Buffer.alloc(0), 'gzip')),
  answered('gzip without a body', body('', { 'content-encoding': 'gzip' }, 204)),
  {
    ...answered('HEAD of what is gzip', body('', { 'content-encoding': 'gzip' }), { method: 'HEAD' }),
    differs: AFTER_HEAD,
  },
  answered('maxContentLength, kept', body('0123456789'), { maxContentLength: 10 }),
  answered('maxContentLength 0, exceeded', body('x'), { maxContentLength: 0 }),
  answered('maxContentLength, exceeded', body('0123456789x'), { maxContentLength: 10 }),
  answered(
    'maxContentLength, exceeded when decoded',
    encoded(zlib.gzipSync(Buffer.alloc(5_000_000)), 'gzip'),
    { maxContentLength: 1_000 },
  ),
  answered('maxContentLength, exceeded by a stream', body(LONG), {
    maxContentLength: 10,
    responseType: 'stream',
  }),
  answered(
    'maxContentLength, exceeded by a stream when decoded',
    encoded(zlib.gzipSync(Buffer.alloc(5_000_000)), 'gzip'),
    { maxContentLength: 10, responseType: 'stream' },
  ),
  ...('zstdCompressSync' in zlib
    ? [
        answered('zstd', encoded((zlib.zstdCompressSync as (text: string) => Buffer)(TEXT), 'zstd'), {
          transitional: { advertiseZstdAcceptEncoding: true },
        }),
      ]
    : []),
];

/** Redirects to the same origin, which axios follows by follow-redirects. */
export const REDIRECTS: readonly Case[] = [301, 302, 303, 307, 308].flatMap((status) =>
  ['/base/next', 'next?x=1', ''].flatMap((location) =>
    ([['get'], ['get', 'text'], ['post', { a: 1 }], ['put', 'text']] as const).map(([method, data]) => ({
      name: `${status} after ${method} ${data ? 'with a body ' : ''}to '${location}'`,
      answer: (({ url }, response) =>
        void (url?.includes('next')
          ? response.end('ok')
          : response.writeHead(status, { location }).end())) as WireHandler,
      config: () => ({ method, data, maxRedirects: 3 }),
    })),
  ),
);
