import { pipeline } from 'node:stream';
import { type ReadableByteStreamController, ReadableStream } from 'node:stream/web';
import type { DecoderFactory } from '../../wire/decoding.js';
import { type Chunks, chunksOf } from '../../wire/chunks.js';
import { bodyFailure, reasonOf } from './failure.js';

type WebStream = globalThis.ReadableStream<Uint8Array>;

/** A web stream of a body. It reads nothing ahead: the API waits for a slow reader. */
export function streamOf(body: Chunks, signal: AbortSignal | undefined): WebStream {
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      // All of the body may be there, while the caller has aborted the call.
      if (signal?.aborted) throw reasonOf(signal);
      const chunk = await body.next().catch((error: unknown) => {
        throw bodyFailure(error, signal);
      });
      if (chunk === undefined) close(controller);
      // The chunk is copied: a stream of bytes takes the memory of its chunks, and shows it.
      else controller.enqueue(new Uint8Array(chunk));
    },
    cancel: (reason) => body.cancel(reason),
  });
}

/** A stream that no code can read any more ends its body, which would keep its connection for ever. */
export function cancelledWithGarbage(body: Chunks, signal: AbortSignal | undefined): WebStream {
  const stream = streamOf(body, signal);
  abandoned.register(stream, body);
  return stream;
}

const abandoned = new FinalizationRegistry<Chunks>((body) => body.cancel());

/** A reader that waits with its own buffer gets the end through that buffer. */
function close(controller: ReadableByteStreamController): void {
  controller.close();
  (controller.byobRequest as { respond(bytes: number): void } | undefined)?.respond(0);
}

/** Bytes that are all there. */
export function oneChunk(bytes: Buffer): Chunks {
  let chunk = bytes.length > 0 ? bytes : undefined;
  return {
    async next() {
      const next = chunk;
      chunk = undefined;
      return next;
    },
    cancel() {},
  };
}

/** One of several codings, which `fetch` decodes and axios leaves as they are. */
export function decodedBy(encoded: Chunks, create: DecoderFactory): Chunks {
  const decoded = chunksOf(decode(encoded, create));
  return {
    next: () => decoded.next(),
    // A generator ends only after its chunk, which may never come.
    cancel: () => encoded.cancel(),
  };
}

async function* decode(encoded: Chunks, create: DecoderFactory): AsyncGenerator<Uint8Array> {
  try {
    const first = await encoded.next();
    if (first === undefined) return;
    const decoder = create(Buffer.from(first));
    pipeline(rest(first, encoded), decoder, () => undefined);
    yield* decoder as AsyncIterable<Uint8Array>;
  } finally {
    encoded.cancel();
  }
}

async function* rest(first: Uint8Array, encoded: Chunks): AsyncGenerator<Uint8Array> {
  for (let chunk: Uint8Array | undefined = first; chunk; chunk = await encoded.next()) yield chunk;
}
