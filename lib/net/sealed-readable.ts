import { Readable } from 'node:stream';

interface SealedReadableOptions {
  /** Called when the reader wants more bytes. */
  readonly resume: () => void;
  /** Called once, when the stream has ended or was destroyed. */
  readonly closed: () => void;
}

/**
 * A stream for a caller to read. Its owner pushes the bytes. No property of the stream leads to the owner, to a socket or
 * to a request, because all of these are held in closures (B12).
 *
 * If no code listens for an error yet, the error does not end the process. The body of Node's own `http` behaves in the
 * same way (B9).
 */
export function sealedReadable({ resume, closed }: SealedReadableOptions): Readable {
  return new Readable({
    read: () => resume(),
    destroy(error, done) {
      closed();
      process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
    },
  });
}
