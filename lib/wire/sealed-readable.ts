import { Readable, type ReadableOptions } from 'node:stream';
import { unpooledConcat } from '../secrets/unpooled-buffer.js';
import type { ReceivedBody } from './received-body.js';

interface SealedReadableOptions {
  /** Called when the reader wants more bytes. */
  readonly resume: () => void;
  /** Called once, when the stream has ended or was destroyed. */
  readonly closed: () => void;
  /** Of a body that is sent: called when a request that has ended drops the stream. */
  readonly dropped?: () => void;
  readonly highWaterMark?: number;
}

/** Node calls `unpipe` when a request that has ended drops its body. */
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
 * A stream for a caller or a request to read. Its owner pushes the bytes. No property of the stream leads to the owner, to a socket
 * or to a request, because all of these are held in closures (B12).
 *
 * If no code listens for an error yet, the error does not end the process. The body of Node's own `http` behaves in the
 * same way (B9).
 */
export function sealedReadable({ resume, closed, dropped, ...further }: SealedReadableOptions): Readable {
  const options: ReadableOptions = {
    ...further,
    read: () => resume(),
    destroy(error, done) {
      closed();
      process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
    },
  };
  return dropped ? new Upload(options, dropped) : new Readable(options);
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
