import { Readable } from 'node:stream';

/**
 * A body of our own in place of one that is read while it is sent. Adapters pipe a body into their request, and a piped
 * stream leads to that request and its headers: the caller would hold the token for as long as the upload lasts (B12).
 *
 * The caller's stream is touched when the adapter begins to read. The `form-data` package goes as it is: adapters ask it
 * for its headers, and its kind of stream keeps only functions of those who read it.
 */
export function bridgedBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('pipe' in body && typeof body.pipe === 'function')
    return 'getHeaders' in body ? body : bridgeNodeStream(body as Readable);
  if (body instanceof ReadableStream) return bridgeWebStream(body);
  return Symbol.asyncIterator in body ? chunksOf(body as AsyncIterable<unknown>) : body;
}

/** Old streams have less than a `Readable`: no `destroy`, or no `pause`. */
type Source = Readable & Partial<Pick<Readable, 'destroy' | 'pause' | 'resume'>>;

function bridgeNodeStream(source: Source): Readable {
  let isRead = false;
  let hasEnded = source.readableEnded;
  const pass = (chunk: unknown): void => {
    if (!bridge.push(chunk)) source.pause?.();
  };
  const bridge = new Readable({
    read() {
      if (!isRead) source.on('data', pass);
      isRead = true;
      source.resume?.();
    },
    destroy(error, done) {
      source.off('data', pass);
      // Without the error: an adapter's errors lead to its request.
      if (!hasEnded) source.destroy?.();
      // An adapter that never looked at the body listens to no error either; that must not end the process (B9).
      process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
    },
  });
  source.once('end', () => {
    hasEnded = true;
    bridge.push(null);
  });
  // This listener stays: a source that fails after the call must not end the process.
  source.on('error', (error: Error) => bridge.destroy(error));
  source.once('close', () => {
    if (!hasEnded) bridge.destroy();
  });
  if (hasEnded) bridge.push(null);
  else if (source.destroyed) bridge.destroy(source.errored ?? undefined);
  return bridge;
}

function bridgeWebStream(source: ReadableStream<unknown>): ReadableStream<unknown> {
  let reader: ReadableStreamDefaultReader<unknown> | undefined;
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        reader ??= source.getReader();
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // Without the reason, which may lead to the request. A stream that somebody else reads is theirs to cancel.
      cancel: () => (reader ?? source).cancel().catch(() => undefined),
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(source: AsyncIterable<unknown>): AsyncGenerator {
  yield* source;
}
