import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { unpooledConcat } from '../secrets/unpooled-buffer.js';
import type { ReceivedBody } from './received-body.js';

/**
 * A received body as a stream. Its bytes are copied: they share their memory with the head of the answer. If no code listens for
 * an error yet, the error does not end the process, as with the bodies of Node's own `http`.
 */
export function streamOfReceived(body: ReceivedBody, closed: () => void): Readable {
  // A pipe may read the stream in the context of another call.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const stream: Readable = new Readable({
    read: () =>
      inOwnContext(
        () =>
          void body.next().then(
            (chunk) => stream.push(chunk === undefined ? null : unpooledConcat([chunk])),
            (error: Error) => stream.destroy(error),
          ),
      ),
    destroy(error, done) {
      inOwnContext(() => {
        body.cancel();
        closed();
      });
      process.nextTick(() => done(stream.listenerCount('error') > 0 ? error : null));
    },
  });
  return stream;
}
