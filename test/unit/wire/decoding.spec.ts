import { once } from 'node:events';
import * as zlib from 'node:zlib';
import { AxiosHeaders } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { Decoding, takeDecoder } from '../../../lib/wire/decoding.js';

const TEXT = 'a long text '.repeat(50);

function headersWith(encoding: string): AxiosHeaders {
  return new AxiosHeaders({ 'content-encoding': encoding });
}

/** Decodes bytes into memory. `isFull` says whether the reader of the decoded bytes wants no more for the moment. */
function decodingOf(encoding: string, isFull = () => false) {
  const create = takeDecoder(headersWith(encoding), true);
  if (create === undefined) throw new TypeError(`There is no decoder for ${encoding}.`);
  const chunks: Buffer[] = [];
  const resumed = vi.fn<() => void>();
  let end!: (outcome: string | Error) => void;
  const ended = new Promise<string | Error>((resolve) => (end = resolve));
  const decoding = new Decoding(
    create,
    {
      push: (chunk) => {
        chunks.push(chunk);
        return !isFull();
      },
      end: () => end(Buffer.concat(chunks).toString()),
      fail: (error) => end(error),
    },
    { resume: resumed },
  );
  return { decoding, chunks, ended, resumed };
}

function decoded(encoding: string, bytes: Buffer): Promise<string | Error> {
  const { decoding, ended } = decodingOf(encoding);
  decoding.push(bytes);
  decoding.end();
  return ended;
}

const ENCODED: [encoding: string, bytes: Buffer][] = [
  ['gzip', zlib.gzipSync(TEXT)],
  ['x-gzip', zlib.gzipSync(TEXT)],
  ['GZip', zlib.gzipSync(TEXT)],
  ['compress', zlib.deflateSync(TEXT)],
  ['x-compress', zlib.deflateSync(TEXT)],
  ['deflate', zlib.deflateSync(TEXT)],
  ['br', zlib.brotliCompressSync(TEXT)],
];

describe('an encoded body', () => {
  it.each(ENCODED)('B17: %s is decoded', async (encoding, bytes) => {
    expect(await decoded(encoding, bytes)).toBe(TEXT);
  });

  it('B17: deflate is decoded without its header too, as some servers send it', async () => {
    expect(await decoded('deflate', zlib.deflateRawSync(TEXT))).toBe(TEXT);
  });

  it('B17: zstd is decoded where Node has it', async () => {
    const compress: unknown = Reflect.get(zlib, 'zstdCompressSync');
    const headers = headersWith('zstd');
    expect(takeDecoder(headers, true) !== undefined).toBe(typeof compress === 'function');
    expect(Object.hasOwn(headers, 'content-encoding')).toBe(typeof compress !== 'function');
    if (typeof compress !== 'function') return;
    expect(await decoded('zstd', (compress as (text: string) => Buffer)(TEXT))).toBe(TEXT);
  });

  it.each([
    ['gzip', zlib.gzipSync(TEXT)],
    ['br', zlib.brotliCompressSync(TEXT)],
    ['deflate', zlib.deflateSync(TEXT)],
    ['deflate', zlib.deflateRawSync(TEXT)],
  ])('B17: %s that was cut short gives what has arrived, as with axios', async (encoding, bytes) => {
    const text = await decoded(encoding, bytes.subarray(0, -2));
    expect(typeof text).toBe('string');
    expect(TEXT.startsWith(text as string)).toBe(true);
  });

  it.each([
    ['gzip', zlib.createGzip()],
    ['br', zlib.createBrotliCompress()],
  ])('B17: %s is decoded while it arrives', async (encoding, encoder) => {
    const { decoding, chunks } = decodingOf(encoding);
    encoder.on('data', (chunk: Buffer) => void decoding.push(chunk));
    encoder.write('first');
    encoder.flush();
    await expect.poll(() => Buffer.concat(chunks).toString()).toBe('first');
    decoding.destroy();
    encoder.destroy();
  });

  it('B17: that is empty is an empty text', async () => {
    const { decoding, ended } = decodingOf('gzip');
    decoding.end();
    expect(await ended).toBe('');
  });

  it('B17: fails if its bytes are of no encoding', async () => {
    expect(await decoded('gzip', Buffer.from('plain text'))).toMatchObject({ code: 'Z_DATA_ERROR' });
  });

  it('B13: waits for its reader, and so does its source', async () => {
    let isFull = true;
    const { decoding, chunks, ended, resumed } = decodingOf('gzip', () => isFull);
    const long = zlib.gzipSync(Buffer.alloc(4 * 1024 * 1024, 'x'));
    // Gzip of random bytes is as long as they are: the decoder takes no more of it at once.
    expect(decoding.push(long.subarray(0, 10))).toBe(true);
    decoding.push(long.subarray(10));
    await expect.poll(() => chunks.length).toBe(1);
    const read = chunks[0]?.length;
    expect(read).toBeLessThan(4 * 1024 * 1024);
    isFull = false;
    decoding.end();
    decoding.resume();
    expect(String(await ended)).toHaveLength(4 * 1024 * 1024);
    expect(resumed).not.toHaveBeenCalled();
  });

  it('B13: asks its source for more when it has room again', async () => {
    const { decoding, resumed } = decodingOf('gzip');
    const bytes = zlib.gzipSync(Buffer.alloc(64 * 1024), { level: 0 });
    expect(decoding.push(bytes)).toBe(false);
    await expect.poll(() => resumed.mock.calls.length).toBe(1);
    decoding.destroy();
  });

  it('B13: before its first byte, a reader wakes the source itself', () => {
    const { decoding, resumed } = decodingOf('gzip');
    decoding.resume();
    expect(resumed).toHaveBeenCalledOnce();
  });

  it('B5: gives nothing more after its call has ended', async () => {
    const create = takeDecoder(headersWith('gzip'), true);
    const decoder = create?.(Buffer.from('a'));
    if (decoder === undefined) throw new TypeError('There is no decoder.');
    const push = vi.fn<() => boolean>(() => true);
    const sink = { push, end: vi.fn<() => void>(), fail: vi.fn<() => void>() };
    const decoding = new Decoding(() => decoder, sink, { resume: () => {} });
    decoding.destroy();
    decoding.push(zlib.gzipSync(TEXT));
    const closed = once(decoder, 'close');
    decoding.destroy();
    await closed;
    expect(sink.push).not.toHaveBeenCalled();
    expect(sink.end).not.toHaveBeenCalled();
  });
});

describe('the header Content-Encoding', () => {
  it.each(['gzip', 'br', 'deflate'])('B17: %s is taken from an answer that is decoded', (encoding) => {
    const headers = headersWith(encoding);
    expect(takeDecoder(headers, true)).toBeTypeOf('function');
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it.each(['identity', 'own', 'constructor', '__proto__'])('B17: %s stays, with its body', (encoding) => {
    const headers = headersWith(encoding);
    expect(takeDecoder(headers, true)).toBeUndefined();
    expect(headers).toHaveProperty('content-encoding', encoding);
  });

  it.each(['gzip', 'own'])('B17: %s is taken from an answer without a body', (encoding) => {
    const headers = headersWith(encoding);
    expect(takeDecoder(headers, false)).toBeUndefined();
    expect(headers).not.toHaveProperty('content-encoding');
  });
});
