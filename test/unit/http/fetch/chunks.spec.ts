import { PassThrough, type Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { type Chunks, chunksOf, readableOf } from '../../../../lib/http/fetch/chunks.js';
import { errorOf } from '../../../support/token/token-fixtures.js';
import { settled } from '../../../support/token/fake-clock.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const throwing = (): never => {
  throw new Error('of the caller');
};

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

/** Chunks as a test gives them, and how often they were cancelled. */
function givenChunks(...chunks: (string | Error)[]): Chunks & { cancel: ReturnType<typeof vi.fn> } {
  return {
    next: async () => {
      const chunk = chunks.shift();
      if (typeof chunk === 'object') throw chunk;
      return chunk === undefined ? undefined : bytes(chunk);
    },
    cancel: vi.fn<() => void>(),
  };
}

async function read(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
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

  it.each<[string, () => object]>([
    ['a web stream that fails then', () => webStream(throwing)],
    ['an iterator that fails then', () => iterable(throwing)],
    ['an iterator that cannot be ended', () => iterable(undefined)],
    ['an iterable that makes no iterator', () => ({ [Symbol.asyncIterator]: throwing })],
  ])('B9: the end of %s is no unhandled rejection', async (_, make) => {
    const unhandled = vi.fn<() => void>();
    process.once('unhandledRejection', unhandled);
    chunksOf(make()).cancel();
    await settled();
    await new Promise((resolve) => setImmediate(resolve));
    process.removeListener('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('chunks as a stream of Node', () => {
  it('B21: are read when the stream is read', async () => {
    const chunks = givenChunks('ab', 'c');
    const next = vi.spyOn(chunks, 'next');
    const stream = readableOf(chunks);
    await settled();
    expect(next).not.toHaveBeenCalled();
    expect(await read(stream)).toBe('abc');
    expect(chunks.cancel).not.toHaveBeenCalled();
  });

  it('B21: come after those that were read before', async () => {
    expect(await read(readableOf(givenChunks('c'), [bytes('a'), bytes('b')]))).toBe('abc');
  });

  it('B21: may be empty in between, and an empty one is not pushed', async () => {
    const stream = readableOf(givenChunks('', 'a', '', '', 'b', ''));
    const push = vi.spyOn(stream, 'push');
    expect(await read(stream)).toBe('ab');
    expect(push.mock.calls).toEqual([[bytes('a')], [bytes('b')], [null]]);
  });

  it('B21: fail with the error of the body', async () => {
    const failure = new Error('of the caller');
    expect(await errorOf(read(readableOf(givenChunks('a', failure))))).toBe(failure);
  });

  it('B21: fail with an error if the body fails with something else', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error('text') });
    const error = await errorOf(read(readableOf(chunksOf(body))));
    expect(error).toEqual(new Error('The body of the request failed.'));
  });

  it.each<[string, (stream: Readable) => unknown]>([
    ['is destroyed', (stream) => stream.destroy(new Error('of an adapter'))],
    ['loses its only reader, as Node does when a request ends', (stream) => stream.unpipe()],
  ])('B21 B12: are cancelled without a reason if the stream %s before the end', async (_, end) => {
    const unread = givenChunks('a');
    end(readableOf(unread).on('error', () => undefined));
    expect(unread.cancel.mock.calls).toEqual([[]]);
    const chunks = givenChunks('a', 'b');
    const stream = readableOf(chunks).on('error', () => undefined);
    await new Promise((resolve) => stream.once('data', resolve));
    stream.pause();
    end(stream);
    await settled();
    expect(stream.destroyed).toBe(true);
    expect(chunks.cancel.mock.calls).toEqual([[]]);
  });

  it('B21: are not cancelled if the reader has all of them', async () => {
    const chunks = givenChunks('a', 'b');
    const reader = new PassThrough();
    readableOf(chunks).pipe(reader);
    expect(await read(reader)).toBe('ab');
    await settled();
    expect(chunks.cancel).not.toHaveBeenCalled();
  });
});
