import type { Readable } from 'node:stream';
import { type ReadableByteStreamController, ReadableStream } from 'node:stream/web';
import { isNodeStream } from '../../values/is-node-stream.js';
import { type Sealing, sealStream, type StreamedBody } from '../redaction/sealed-stream.js';
import { bodyFailure } from './fetch-failure.js';

/** How many bytes are read before the caller asks for them: a short body frees its connection, also if no caller reads it. */
const READ_AHEAD = 64 * 1024;

/**
 * The body of a `Response`, made from the streamed body itself. Back-pressure holds: the API waits for a slow reader. The
 * streamed body is held in closures only, because it leads to the request (B12).
 */
export function bodyStream(
  source: StreamedBody,
  sealing: Sealing,
  signal: AbortSignal | undefined,
): StreamedBody | ReadableStream<Uint8Array> {
  const failure = (error: Error): Error => bodyFailure(sealing.clean(error), signal) as Error;
  return isNodeStream(source)
    ? ofNodeStream(source, { clean: failure, ended: sealing.ended })
    : sealStream(source, { clean: failure, ended: sealing.ended });
}

function ofNodeStream(source: Readable, { clean, ended }: Sealing): ReadableStream<Uint8Array> {
  let isOver = false;
  /** False if the stream had ended before. */
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    ended();
    return true;
  };
  source.pause();
  return new ReadableStream(
    {
      type: 'bytes',
      start(controller) {
        const fail = (error: Error): void => {
          if (end()) controller.error(clean(error));
        };
        source.on('data', (chunk: Uint8Array | string) => {
          if (!isOver && !push(controller, chunk)) source.pause();
        });
        source.once('end', () => {
          if (end()) close(controller);
        });
        source.on('error', fail);
        source.once('close', () => {
          if (!isOver) fail(cutShort());
        });
      },
      pull: () => void source.resume(),
      cancel() {
        end();
        source.destroy();
      },
    },
    { highWaterMark: READ_AHEAD },
  );
}

/**
 * False if the reader wants no more for the moment. The chunk is copied: a stream of bytes takes the memory of its chunks, and
 * the memory of this chunk holds the headers of the response too, which may repeat the token (B12).
 */
function push(controller: ReadableByteStreamController, chunk: Uint8Array | string): boolean {
  const copy = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : new Uint8Array(chunk);
  // A stream of bytes takes no empty chunk.
  if (copy.length > 0) controller.enqueue(copy);
  return (controller.desiredSize ?? 0) > 0;
}

/** A reader that waits with its own buffer gets the end through that buffer. */
function close(controller: ReadableByteStreamController): void {
  controller.close();
  (controller.byobRequest as { respond(bytes: number): void } | undefined)?.respond(0);
}

function cutShort(): Error {
  return Object.assign(new Error('The answer was cut short.'), { code: 'ECONNRESET' });
}
