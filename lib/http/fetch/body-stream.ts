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

/** The first byte of a byte order mark in UTF-8. */
const MARK = 0xef;

/** In place of bytes that were read. */
const TAKEN = Buffer.alloc(0);

/** How Node asks a stream whether it was read. */
const DISTURBED = Symbol.for('nodejs.stream.disturbed');

/**
 * Bytes that become a stream if code asks for one. Few do, and Node 20 needs as long for a stream as for all the rest of a call.
 * `Response` takes it for a stream.
 */
export class LateStream {
  #bytes: Buffer;
  readonly #signal: AbortSignal | undefined;
  #stream: WebStream | undefined;

  static {
    Object.setPrototypeOf(this.prototype, ReadableStream.prototype);
    for (const name of Reflect.ownKeys(ReadableStream.prototype)) {
      const member = Object.getOwnPropertyDescriptor(ReadableStream.prototype, name) ?? {};
      const kind = 'value' in member ? 'value' : 'get';
      const original = member[kind] as ((...given: unknown[]) => unknown) | undefined;
      if (Object.hasOwn(this.prototype, name) || typeof original !== 'function') continue;
      member[kind] = function (this: LateStream, ...given: unknown[]): unknown {
        return Reflect.apply(original, this.stream, given);
      };
      Object.defineProperty(this.prototype, name, member);
    }
  }

  constructor(bytes: Buffer, signal: AbortSignal | undefined) {
    this.#bytes = bytes;
    this.#signal = signal;
  }

  /** The text of bytes that no code has asked for before. */
  takeText(): string | undefined {
    const bytes = this.#bytes;
    // Node itself removes a byte order mark. After an abort, the stream fails with the reason.
    if (!this.#isUntouched() || bytes[0] === MARK || this.#signal?.aborted) return undefined;
    this.#bytes = TAKEN;
    return bytes.toString();
  }

  get stream(): WebStream {
    if (this.#stream === undefined) {
      this.#stream = streamOf(oneChunk(this.#bytes), this.#signal);
      if (this.#bytes === TAKEN) void this.#stream.getReader().cancel();
    }
    return this.#stream;
  }

  get locked(): boolean {
    return !this.#isUntouched() && this.stream.locked;
  }

  get [DISTURBED](): boolean {
    return !this.#isUntouched() && Boolean(Reflect.get(this.stream, DISTURBED));
  }

  #isUntouched(): boolean {
    return this.#stream === undefined && this.#bytes !== TAKEN;
  }
}

/** Bytes that are all there. */
function oneChunk(bytes: Buffer): Chunks {
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
