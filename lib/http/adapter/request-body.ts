import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { isFormData, isNodeStream, isObject, isPlainObject } from '../../values/is-object.js';
import { sealedReadable } from '../../wire/sealed-readable.js';

/** Tags instead of `instanceof`, because test environments and npm packages have their own classes. */
const REPLAYABLE_TAG = /^\[object (?:ArrayBuffer|SharedArrayBuffer|URLSearchParams|Blob|File)\]$/;

/** A body that is not a stream itself, but opens a new stream for each attempt. */
export class OpenableBody {
  constructor(
    readonly isReplayable: boolean,
    readonly open: () => Readable,
  ) {}
}

/** Whether a body can be sent a second time, byte for byte (B4). */
export function isReplayable(body: unknown): boolean {
  if (body === null || typeof body !== 'object') return typeof body !== 'function';
  if (ArrayBuffer.isView(body)) return true;
  if (body instanceof OpenableBody) return body.isReplayable;
  if (isReadOnce(body)) return false;
  // Adapters other than those of axios may take objects as they are.
  if (Array.isArray(body) || isPlainObject(body)) return true;
  return isFormData(body) || REPLAYABLE_TAG.test(Object.prototype.toString.call(body));
}

export function isReadOnce(body: object): boolean {
  return isNodeStream(body) || Symbol.asyncIterator in body;
}

/**
 * Our own body in place of a body that is read while it is sent. A piped stream leads to its request and its headers, so the
 * caller could reach the token during the upload (B12). An old form of the `form-data` package is passed on unchanged: it
 * keeps only functions of its readers.
 */
export function bridgedBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if (body instanceof OpenableBody) {
    const opened = body.open();
    absorbErrorsOf(opened);
    return opened;
  }
  if (isNodeStream(body)) {
    if (!('getHeaders' in body)) return bridgeNodeStream(body);
    return body instanceof Readable ? asForm(bridgeNodeStream(body), body) : body;
  }
  if (body instanceof ReadableStream) return bridgeWebStream(body);
  return Symbol.asyncIterator in body ? chunksOf(body as AsyncIterable<unknown>) : body;
}

/**
 * Until the request reads the body, its bytes stay in it. Other code that listens to a stream, to count its bytes for example,
 * would start it, and the API would get only the rest. Code that resumes the stream itself, as a pipe does after a wait for its
 * target, still takes bytes away.
 *
 * @returns what to call at the end of the call: then a stream that was not read goes on for its listeners, and is as it was for
 * code that listens later.
 */
export function holdBody(body: unknown): (() => void) | undefined {
  absorbErrorsOf(body);
  if (!isNodeStream(body)) return undefined;
  const { readableFlowing: wasFlowing } = body;
  // A stream that the application has paused waits anyway. A stream of another library may have no such member.
  if (wasFlowing === false || wasFlowing === undefined) return undefined;
  body.pause();
  return () => {
    if (body.readableFlowing !== false) return;
    if (wasFlowing || body.listenerCount('data') > 0) body.resume();
    // Otherwise a later `on('data')` would wait for ever: Node takes the pause for a choice of the application.
    else Reflect.set(body, 'readableFlowing', wasFlowing);
  };
}

/**
 * A stream that fails while its call waits for a token must not end the process (B9). Code that reads the stream later still
 * gets the error.
 */
function absorbErrorsOf(body: unknown): void {
  if (!isNodeStream(body)) return;
  markBodyError(body.errored);
  if (typeof body.on === 'function' && !body.listeners?.('error').includes(markBodyError))
    body.on('error', markBodyError);
}

/** Old streams have fewer methods than a `Readable`: no `destroy`, or no `pause`. */
type Source = Readable & Partial<Pick<Readable, 'destroy' | 'pause' | 'resume' | 'listeners'>>;

/** Gives a bridge the methods of a form that adapters call: for its headers, for its length, and for its kind. */
function asForm(bridge: Readable, form: Readable): Readable {
  for (const name of ['getHeaders', 'getLength', 'toString']) {
    const method: unknown = Reflect.get(form, name);
    if (typeof method === 'function')
      Reflect.set(bridge, name, (...given: unknown[]) => Reflect.apply(method, form, given) as unknown);
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
  const bridge = sealedReadable({
    resume() {
      if (!isRead) source.on('data', pass);
      isRead = true;
      source.resume?.();
    },
    closed() {
      unsubscribe();
      // Without the error: the errors of an adapter lead to its request.
      if (!hasEnded) endUpload(source);
    },
    dropped: unsubscribe,
  });
  source.once('end', () => {
    hasEnded = true;
    bridge.push(null);
  });
  // This listener stays: a stream that fails after the call must not end the process.
  source.on('error', (error: Error) => bridge.destroy(error));
  source.once('close', () => {
    if (!hasEnded) bridge.destroy();
  });
  if (hasEnded) bridge.push(null);
  else if (source.destroyed) bridge.destroy(source.errored ?? undefined);
  return bridge;
}

/**
 * Ends the source of an upload that is not read any more, unless it is a request that the application must still answer: `destroy()`
 * would end the connection of its client. Only such a request has a method. A response that is passed on has none.
 */
export function endUpload(source: Source): void {
  const isInbound = source instanceof IncomingMessage && typeof source.method === 'string';
  if (!isInbound) source.destroy?.();
}

function bridgeWebStream(source: ReadableStream<unknown>): ReadableStream<unknown> {
  let reader: ReadableStreamDefaultReader<unknown> | undefined;
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        reader ??= source.getReader();
        const { done, value } = await reader.read().catch(failing);
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
  try {
    yield* source;
  } catch (error) {
    throw markBodyError(error);
  }
}

function failing(error: unknown): never {
  throw markBodyError(error);
}

const errors = new WeakSet<object>();

export function markBodyError<Reason>(error: Reason): Reason {
  if (isObject(error)) errors.add(error);
  return error;
}

/** Whether the body of the caller made a request fail. Adapters wrap the error of the body, and keep it as the cause. */
export function isBodyError(error: unknown): boolean {
  return (
    isObject(error) && [error, Reflect.get(error, 'cause')].some((one) => isObject(one) && errors.has(one))
  );
}
