import { once } from 'node:events';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { AxiosHeaders } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { Decoding, takeDecoder, takeDecoders } from '../../../lib/wire/decoding.js';

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

describe('an encoded body', () => {
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

describe('a list of encodings', () => {
  it('B21: is decoded in reverse order, and its header is removed', async () => {
    const headers = headersWith('DEFLATE,  br ,gzip');
    const [first, ...others] = takeDecoders(headers).map((create) => create(Buffer.from([0x78])));
    first?.end(zlib.gzipSync(zlib.brotliCompressSync(zlib.deflateSync(TEXT))));
    const [text] = await Readable.from(others.reduce((one, next) => one.pipe(next), first!)).toArray();
    expect([String(text), others.length]).toEqual([TEXT, 2]);
    expect(headers.has('content-encoding')).toBe(false);
  });

  it.each([
    [undefined, 0],
    ['gzip', 0],
    ['gzip, br', 2],
    ['gzip, gzip, gzip, gzip, gzip', 5],
    ['gzip, gzip, gzip, gzip, gzip, gzip', 0],
    ['gzip, compress', 0],
    ['gzip, unknown', 0],
  ])('B21: %j has %i decoders, and keeps its header if there is none', (encoding, count) => {
    const headers = new AxiosHeaders({ ...(encoding && { 'content-encoding': encoding }) });
    expect(takeDecoders(headers)).toHaveLength(count);
    expect(headers['content-encoding']).toBe(count > 0 ? undefined : encoding);
  });
});
