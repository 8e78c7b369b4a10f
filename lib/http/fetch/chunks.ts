import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { sealedReadable } from '../../wire/sealed-readable.js';

export interface Chunks {
  /** Undefined after the last chunk. */
  next(): Promise<Uint8Array | undefined>;
  cancel(reason?: unknown): void;
}

const READ_AHEAD = 64 * 1024;

const doNothing = (): void => undefined;

/** Reads a web stream or another async iterable. The body is locked at the first read. */
export function chunksOf(body: object): Chunks {
  return 'getReader' in body
    ? ofWebStream(body as ReadableStream<Uint8Array>)
    : ofIterable(body as AsyncIterable<Uint8Array>);
}

function ofWebStream(stream: ReadableStream<Uint8Array>): Chunks {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    async next() {
      reader ??= stream.getReader();
      const { done, value } = await reader.read();
      return done ? undefined : bytesOf(value);
    },
    cancel: (reason) => void (reader ?? stream).cancel(reason).catch(doNothing),
  };
}

function ofIterable(iterable: AsyncIterable<Uint8Array>): Chunks {
  let iterator: AsyncIterator<Uint8Array, unknown> | undefined;
  const opened = (): AsyncIterator<Uint8Array, unknown> => (iterator ??= iterable[Symbol.asyncIterator]());
  return {
    async next() {
      const result: IteratorResult<Uint8Array, unknown> = await opened().next();
      return result.done ? undefined : bytesOf(result.value);
    },
    // As with `fetch`, even if nothing was read. Its code may throw.
    cancel: () => void (async () => opened().return?.())().catch(doNothing),
  };
}

/** Anything else has no bytes. If such a chunk were left out, the API would get another body than the caller sent. */
function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (types.isAnyArrayBuffer(chunk)) return Buffer.from(chunk);
  throw new TypeError('A chunk of the body is neither text nor bytes.');
}

/**
 * A Node stream of chunks, with back-pressure. Nothing is read before the adapter reads.
 *
 * @param early chunks that were read before.
 */
export function readableOf(chunks: Chunks, early: readonly Uint8Array[] = []): Readable {
  const waiting = [...early];
  let hasEnded = false;
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      const chunk = waiting.shift() ?? (await chunks.next());
      // An empty chunk would end the reading of a Node stream, but not the stream.
      if (chunk === undefined || chunk.length > 0) return chunk;
    }
  };
  const stream = sealedReadable({
    highWaterMark: READ_AHEAD,
    resume: () =>
      void next().then(
        (chunk) => {
          hasEnded = chunk === undefined;
          return stream.push(chunk ?? null);
        },
        (reason: unknown) =>
          stream.destroy(reason instanceof Error ? reason : new Error('The body of the request failed.')),
      ),
    // Without the error: the errors of an adapter lead to its request (B12).
    closed() {
      if (!hasEnded) chunks.cancel();
    },
    // No other reader will come.
    dropped: () => void stream.destroy(),
  });
  return stream;
}
