import zlib from 'node:zlib';

/** Longer than one read of a socket. */
const LONG = JSON.stringify({ list: [1, 2, 3], text: 'entry ü '.repeat(12_000) });

/** Bodies of answers. Some repeat the token of the request, because results must not show it (B12). */
export const BODIES_OF_ANSWERS = {
  object: () => text('{"id":7,"nested":{"list":[1,"zwei",null]},"ü":"✓"}'),
  empty: () => text(''),
  array: () => text('[1,2,{"a":null}]'),
  number: () => text('42'),
  null: () => text('null'),
  string: () => text('"just a text"'),
  plain: () => text('no JSON at all, Zürich ✓'),
  'broken JSON': () => text('{"id":'),
  'byte order mark': () => text('\ufeff{"a":1}'),
  'JSON in spaces': () => text(' \n{"a":1}\t '),
  'big number': () => text('{"big":12345678901234567890,"e":1e400}'),
  __proto__key: () => text('{"__proto__":{"polluted":true},"constructor":1}'),
  latin1: () => Buffer.from('Z\xfcrich {"a":1}', 'latin1'),
  bytes: () => Buffer.from([0, 255, 254, 128, 10, 13, 0]),
  long: () => text(LONG),
  'long text': () => Buffer.alloc(70_000, 'abcdefg '),
  'token as JSON': (request: string) => text(JSON.stringify({ seen: authorizationOf(request) })),
  'token as text': (request: string) => text(`You sent ${authorizationOf(request)}.`),
} satisfies Record<string, (request: string) => Buffer>;

function text(content: string): Buffer {
  return Buffer.from(content, 'utf8');
}

function authorizationOf(request: string): string {
  return /\r\nauthorization: ([^\r]*)/i.exec(request)?.[1] ?? 'nothing';
}

interface Encoded {
  readonly name: string;
  readonly bytes: Buffer;
}

/** `zlib` of Node 20 has no zstd. There, the answer only claims to be encoded. */
const zstd = (zlib as { zstdCompressSync?: (bytes: Buffer) => Buffer }).zstdCompressSync;

/** The encoding that the answer names, and the bytes that it sends. */
export const ENCODINGS = {
  gzip: (body) => ({ name: 'gzip', bytes: zlib.gzipSync(body) }),
  'x-gzip': (body) => ({ name: 'x-gzip', bytes: zlib.gzipSync(body) }),
  GZIP: (body) => ({ name: 'GZIP', bytes: zlib.gzipSync(body) }),
  deflate: (body) => ({ name: 'deflate', bytes: zlib.deflateSync(body) }),
  'raw deflate': (body) => ({ name: 'deflate', bytes: zlib.deflateRawSync(body) }),
  br: (body) => ({ name: 'br', bytes: zlib.brotliCompressSync(body, FASTEST) }),
  zstd: (body) => ({ name: 'zstd', bytes: zstd?.(body) ?? body }),
  identity: (body) => ({ name: 'identity', bytes: body }),
  unknown: (body) => ({ name: 'klingon', bytes: body }),
  'two encodings': (body) => ({ name: 'gzip, br', bytes: zlib.gzipSync(body) }),
  'not gzip': (body) => ({ name: 'gzip', bytes: body }),
  'half of gzip': (body) => ({ name: 'gzip', bytes: half(zlib.gzipSync(body)) }),
  'half of br': (body) => ({ name: 'br', bytes: half(zlib.brotliCompressSync(body, FASTEST)) }),
  'gzip and more': (body) => ({ name: 'gzip', bytes: Buffer.concat([zlib.gzipSync(body), text('more')]) }),
} satisfies Record<string, (body: Buffer) => Encoded>;

const FASTEST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };

const cache = new Map<string, Encoded>();

/** Bodies that do not depend on the request are compressed once. */
export function encodedBody(
  body: keyof typeof BODIES_OF_ANSWERS,
  encoding: keyof typeof ENCODINGS,
  bytes: Buffer,
): Encoded {
  if (body.startsWith('token')) return ENCODINGS[encoding](bytes);
  const key = `${body}/${encoding}`;
  let encoded = cache.get(key);
  if (encoded === undefined) cache.set(key, (encoded = ENCODINGS[encoding](bytes)));
  return encoded;
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
