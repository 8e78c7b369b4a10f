import { Readable, type ReadableOptions } from 'node:stream';
import { isNodeStream } from './node-stream.js';

/**
 * A body of our own in place of one that is read while it is sent. Adapters pipe a body into their request, and a piped
 * stream leads to that request and its headers: the caller would hold the token for as long as the upload lasts (B12).
 *
 * The caller's stream is touched when the adapter begins to read, and left alone when it stops. The `form-data` package
 * goes as it is: its kind of stream keeps only functions of those who read it.
 */
export function bridgedBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if (isNodeStream(body)) {
    if (!('getHeaders' in body)) return bridgeNodeStream(body);
    return body instanceof Readable ? asForm(bridgeNodeStream(body), body) : body;
  }
  if (body instanceof ReadableStream) return bridgeWebStream(body);
  return Symbol.asyncIterator in body ? chunksOf(body as AsyncIterable<unknown>) : body;
}

/**
 * A stream may fail while its call waits for a token, when no adapter listens to it yet: that must not end the process
 * (B9). Code that reads the stream afterwards still gets the error.
 */
export function outliveErrorsOf(body: unknown): void {
  if (!isNodeStream(body)) return;
  if (typeof body.on === 'function' && !body.listeners?.('error').includes(nothing))
    body.on('error', nothing);
}

function nothing(): void {}

/** Old streams have less than a `Readable`: no `destroy`, or no `pause`. */
type Source = Readable & Partial<Pick<Readable, 'destroy' | 'pause' | 'resume' | 'listeners'>>;

/** Tells when a request that has ended lets go of it: Node takes it off the request by this method. */
class Bridge extends Readable {
  readonly #unsubscribe: () => void;

  constructor(options: ReadableOptions, unsubscribe: () => void) {
    super(options);
    this.#unsubscribe = unsubscribe;
  }

  override unpipe(destination?: NodeJS.WritableStream): this {
    super.unpipe(destination);
    this.#unsubscribe();
    return this;
  }
}

/** Answers for a form what adapters ask of it: its headers, its length, and whether it is one. */
function asForm(bridge: Readable, form: Readable): Readable {
  for (const name of ['getHeaders', 'getLength', 'toString']) {
    const answer: unknown = Reflect.get(form, name);
    if (typeof answer === 'function')
      Reflect.set(bridge, name, (...given: unknown[]) => Reflect.apply(answer, form, given) as unknown);
  }
  Reflect.set(bridge, Symbol.toStringTag, Reflect.get(form, Symbol.toStringTag));
  return bridge;
}

function bridgeNodeStream(source: Source): Readable {
  let isRead = false;
  let hasEnded = source.readableEnded;
  const pass = (chunk: unknown): void => {
    if (!bridge.push(chunk)) source.pause?.();
  };
  const unsubscribe = (): void => {
    source.off('data', pass);
    isRead = false;
    if (!hasEnded) source.pause?.();
  };
  const bridge = new Bridge(
    {
      read() {
        if (!isRead) source.on('data', pass);
        isRead = true;
        source.resume?.();
      },
      destroy(error, done) {
        unsubscribe();
        // Without the error: an adapter's errors lead to its request.
        if (!hasEnded) source.destroy?.();
        // An adapter that never looked at the body listens to no error either; that must not end the process (B9).
        process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
      },
    },
    unsubscribe,
  );
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
      // Without the reason, which may lead to the request. Other code that reads the stream cancels it itself.
      cancel: () => (reader ?? source).cancel().catch(() => undefined),
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(source: AsyncIterable<unknown>): AsyncGenerator {
  yield* source;
}
