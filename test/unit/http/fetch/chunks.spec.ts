import { describe, expect, it, vi } from 'vitest';
import { type Chunks, chunksOf, uploadOf } from '../../../../lib/http/fetch/chunks.js';
import { errorOf, Watched } from '../../../support/token/token-fixtures.js';
import { settled } from '../../../support/token/fake-clock.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function webStream(cancel: (reason?: unknown) => void = () => {}, ...chunks: string[]): ReadableStream {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(bytes(chunk));
    },
    cancel,
  });
}

function iterable(finish: (() => unknown) | undefined, ...chunks: string[]): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const chunk = chunks.shift();
        return chunk === undefined ? { done: true, value: undefined } : { done: false, value: bytes(chunk) };
      },
      ...(finish && { return: async () => (finish(), { done: true as const, value: undefined }) }),
    }),
  };
}

async function textOf(chunks: Chunks): Promise<string> {
  let text = '';
  for (;;) {
    const chunk = await chunks.next();
    if (chunk === undefined) return text;
    text += Buffer.from(chunk).toString();
  }
}

describe('the chunks of a body', () => {
  it.each([
    ['a web stream', () => webStream(undefined, 'ab', 'c')],
    ['an async iterable', () => iterable(undefined, 'ab', 'c')],
  ])('B21: are those of %s', async (_, make) => {
    expect(await textOf(chunksOf(make()))).toBe('abc');
  });

  it('B21: lock a web stream at the first read', async () => {
    const stream = webStream(undefined, 'ab');
    const chunks = chunksOf(stream);
    expect(stream.locked).toBe(false);
    await chunks.next();
    expect(stream.locked).toBe(true);
  });

  it.each([0, 1])('B21 B5: end a web stream with the reason, after %i reads', async (reads) => {
    const cancel = vi.fn<(reason?: unknown) => void>();
    const chunks = chunksOf(webStream(cancel, 'ab', 'c'));
    for (let done = 0; done < reads; done += 1) await chunks.next();
    chunks.cancel('over');
    await settled();
    expect(cancel.mock.calls).toEqual([['over']]);
  });

  it.each([0, 1])('B21: end an async iterable, after %i reads', async (reads) => {
    const finish = vi.fn<() => void>();
    const chunks = chunksOf(iterable(finish, 'ab', 'c'));
    for (let done = 0; done < reads; done += 1) await chunks.next();
    chunks.cancel();
    await settled();
    expect(finish).toHaveBeenCalledOnce();
  });
});

async function read(upload: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of upload) text += Buffer.from(chunk).toString();
  return text;
}

describe('an upload of chunks', () => {
  it('B21: begins with those that were read before, and reads nothing ahead', async () => {
    const stream = webStream(undefined, 'c', 'd');
    const upload = uploadOf(chunksOf(stream), [bytes('a'), bytes('b')]);
    await settled();
    expect(stream.locked).toBe(false);
    expect(await read(upload)).toBe('abcd');
  });

  it.each<[string, unknown[], string]>([
    [
      'text and buffers',
      ['ab', Uint8Array.from([99]).buffer, new DataView(Uint8Array.from([100]).buffer)],
      'abcd',
    ],
    ['a part of a buffer', [new Uint16Array(Uint8Array.from([0, 0, 97, 98]).buffer, 2)], 'ab'],
  ])('B21: may have chunks of %s', async (_, chunks, text) => {
    expect(await read(uploadOf(chunksOf(ReadableStream.from(chunks))))).toBe(text);
  });

  it('B21: fails at a chunk that has no bytes, instead of leaving the chunk out', async () => {
    const failed = errorOf(read(uploadOf(chunksOf(ReadableStream.from(['a', { b: 1 }])))));
    expect(await failed).toEqual(new TypeError('A chunk of the body is neither text nor bytes.'));
  });

  it('B21: ends its source even while a chunk is awaited', async () => {
    const cancel = vi.fn<(reason?: unknown) => void>();
    const iterator = uploadOf(chunksOf(new ReadableStream({ cancel })))[Symbol.asyncIterator]();
    const next = new Watched(iterator.next());
    await settled();
    expect(next.state).toBe('waiting');
    await iterator.return?.();
    await settled();
    expect(next.state).toBe('given');
    expect(cancel).toHaveBeenCalledOnce();
  });
});
