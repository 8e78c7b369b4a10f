import { types } from 'node:util';

/** A body that is read chunk by chunk. */
export interface Chunks {
  /** Undefined after the last chunk. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the body, even while a chunk is awaited. */
  cancel(reason?: unknown): void;
}

const doNothing = (): void => undefined;

/** Reads a web stream or another async iterable. The first read locks the body. */
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
    // As with `fetch`, even if nothing was read. The code of the iterable may throw.
    cancel: () => void (async () => opened().return?.())().catch(doNothing),
  };
}

/** Any other chunk has no bytes. Without that chunk, the API would get another body than the caller sent. */
function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (types.isAnyArrayBuffer(chunk)) return Buffer.from(chunk);
  throw new TypeError('A chunk of the body is neither text nor bytes.');
}

/**
 * Chunks for one request. A generator could not end them while a chunk is awaited.
 *
 * @param early chunks that were read before.
 */
export function uploadOf(chunks: Chunks, early: readonly Uint8Array[] = []): AsyncIterable<Uint8Array> {
  const waiting = [...early];
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    async next() {
      const value = waiting.shift() ?? (await chunks.next());
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    async return() {
      chunks.cancel();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
