import { Readable } from 'node:stream';
import { types } from 'node:util';
import { isNodeStream } from '../values/objects.js';

/** A body that is read chunk by chunk. */
export interface Chunks {
  /** Undefined after the last chunk. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the body, even while a chunk is awaited. */
  cancel(reason?: unknown): void;
}

const doNothing = (): void => undefined;

/** Reads a stream of Node, a web stream or another async iterable. The first read locks the body. */
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
  const opened = (): AsyncIterator<Uint8Array, unknown> => (iterator ??= iteratorOf(iterable));
  return {
    async next() {
      const result: IteratorResult<Uint8Array, unknown> = await opened().next();
      return result.done ? undefined : bytesOf(result.value);
    },
    cancel() {
      if (isNodeStream(iterable)) endStream(iterable);
      // As with `fetch`, even if nothing was read. The code of the iterable may throw.
      else void (async () => opened().return?.())().catch(doNothing);
    },
  };
}

function iteratorOf(iterable: AsyncIterable<Uint8Array>): AsyncIterator<Uint8Array, unknown> {
  if (!(iterable instanceof Readable)) return iterable[Symbol.asyncIterator]();
  // A paused request over HTTP/2 gives nothing to an iterator. No byte is lost: the iterator takes over in the same tick.
  if (iterable.isPaused()) iterable.resume();
  return iterable.iterator({ destroyOnReturn: false });
}

/**
 * Destroys the stream of an upload that no request reads any more, unless the stream is a request that the application must still
 * answer: that would end the connection of the application's own client. Only such a stream has a method and an HTTP version.
 */
export function endStream(stream: Readable): void {
  const isInbound = 'httpVersion' in stream && typeof Reflect.get(stream, 'method') === 'string';
  if (!isInbound) stream.destroy?.();
}

/** Any other chunk has no bytes. Without that chunk, the API would get another body than the caller sent. */
function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (types.isAnyArrayBuffer(chunk)) return Buffer.from(chunk);
  throw new TypeError('A chunk of the body is neither text nor bytes.');
}
