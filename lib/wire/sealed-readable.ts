import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable, type ReadableOptions } from 'node:stream';
import { unpooledConcat } from '../secrets/unpooled-buffer.js';
import type { ReceivedBody } from './received-body.js';

interface SealedReadableOptions {
  readonly resume: () => void;
  readonly closed: () => void;
  /** Of a body that is sent: called when Node drops it, because its request has ended. */
  readonly dropped?: () => void;
  readonly highWaterMark?: number;
}

class Upload extends Readable {
  readonly #dropped: () => void;

  constructor(options: ReadableOptions, dropped: () => void) {
    super(options);
    this.#dropped = dropped;
  }

  override unpipe(destination?: NodeJS.WritableStream): this {
    super.unpipe(destination);
    this.#dropped();
    return this;
  }
}

/**
 * A stream for a caller or a request to read. Nothing of its owner can be reached from it. If no code listens for an
 * error yet, the error does not end the process, as with the bodies of Node's own `http`.
 *
 * The functions run in the async context in which the stream was made: a connection reads it in the context of another call.
 */
export function sealedReadable({ resume, closed, dropped, ...further }: SealedReadableOptions): Readable {
  const inOwnContext = AsyncLocalStorage.snapshot();
  const options: ReadableOptions = {
    ...further,
    read: () => inOwnContext(resume),
    destroy(error, done) {
      inOwnContext(closed);
      process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
    },
  };
  return dropped ? new Upload(options, () => inOwnContext(dropped)) : new Readable(options);
}

/** A received body as a stream. Its bytes are copied: they share their memory with the head of the answer. */
export function streamOfReceived(body: ReceivedBody, closed: () => void): Readable {
  const stream = sealedReadable({
    resume: () =>
      void body.next().then(
        (chunk) => stream.push(chunk === undefined ? null : unpooledConcat([chunk])),
        (error: Error) => stream.destroy(error),
      ),
    closed() {
      body.cancel();
      closed();
    },
  });
  return stream;
}
