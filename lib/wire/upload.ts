import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import { AxiosError } from 'axios';
import { isNodeStream } from '../values/is-object.js';
import type { Config, Outgoing } from './outgoing.js';
import { progressOf } from './progress.js';

/** Reads a body while it is sent. */
export interface Upload {
  /** Undefined after the last chunk. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the body before its end: no server reads it. */
  cancel(): void;
}

/** With the limit and the progress events that the config asks for. */
export function uploadOf({ body, config, headers }: Outgoing): Upload {
  const { next, cancel } = readerOf(Buffer.isBuffer(body) ? piecesOf(body) : (body ?? piecesOf(NOTHING)));
  const { maxBodyLength = -1, onUploadProgress } = config;
  const progress = onUploadProgress && progressOf(onUploadProgress, 'upload', lengthIn(headers));
  let length = 0;
  return {
    cancel,
    async next() {
      const chunk = await next();
      if (chunk === undefined) {
        progress?.end();
        return undefined;
      }
      length += chunk.length;
      if (maxBodyLength > -1 && length > maxBodyLength) throw tooLarge(config);
      progress?.add(chunk.length);
      return chunk;
    },
  };
}

export function tooLarge(config: Config): AxiosError {
  return new AxiosError('Request body larger than maxBodyLength limit', AxiosError.ERR_BAD_REQUEST, config);
}

const NOTHING = Buffer.alloc(0);
const PIECE = 64 * 1024;

/** So that the caller sees progress. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function lengthIn(headers: readonly string[]): string | undefined {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length');
  return index < 0 ? undefined : headers[index + 1];
}

const doNothing = (): void => undefined;

/** The body is locked at the first read. */
function readerOf(body: AsyncIterable<Uint8Array>): Upload {
  if (body instanceof ReadableStream) return readerOfWebStream(body as ReadableStream<Uint8Array>);
  let iterator: AsyncIterator<unknown> | undefined;
  const opened = (): AsyncIterator<unknown> => (iterator ??= iteratorOf(body));
  return {
    async next() {
      const { done, value } = await opened().next();
      return done ? undefined : bytesOf(value);
    },
    cancel() {
      if (isNodeStream(body)) endStream(body);
      // Its code may throw.
      else void (async () => opened().return?.())().catch(doNothing);
    },
  };
}

function iteratorOf(body: AsyncIterable<unknown>): AsyncIterator<unknown> {
  return body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body[Symbol.asyncIterator]();
}

/** The iterator of a web stream would wait for the next chunk before it cancels the stream. */
function readerOfWebStream(stream: ReadableStream<Uint8Array>): Upload {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    async next() {
      reader ??= stream.getReader();
      const { done, value } = await reader.read();
      return done ? undefined : bytesOf(value);
    },
    cancel: () => void (reader ?? stream).cancel().catch(doNothing),
  };
}

/**
 * Destroys the stream, unless it is a request that the application must still answer: that would end the connection of the
 * application's own client. Only such a request has a method.
 */
export function endStream(stream: Readable): void {
  const isInbound = stream instanceof IncomingMessage && typeof stream.method === 'string';
  if (!isInbound) stream.destroy?.();
}

/** Anything else has no bytes. If such a chunk were left out, the API would get another body than the caller sent. */
function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (Buffer.isBuffer(chunk)) return chunk;
  if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (types.isAnyArrayBuffer(chunk)) return Buffer.from(chunk);
  throw new TypeError('A chunk of the body is neither text nor bytes.');
}

/**
 * Holds a stream until its request reads it: its bytes stay in it, also if other code listens to it, and a failure meanwhile does
 * not end the process.
 *
 * @returns what to call at the end of the call: then a stream that was not read goes on for its listeners, and is as it was for
 * code that listens later.
 */
export function holdUpload(data: unknown): (() => void) | undefined {
  if (!isNodeStream(data)) return undefined;
  if (typeof data.on === 'function' && !data.listeners?.('error').includes(doNothing))
    data.on('error', doNothing);
  const { readableFlowing: wasFlowing } = data;
  // A stream that the application has paused waits anyway. A stream of another library may have no such member.
  if (wasFlowing === false || wasFlowing === undefined) return undefined;
  data.pause();
  return () => {
    if (data.readableFlowing !== false) return;
    if (wasFlowing || data.listenerCount('data') > 0) data.resume();
    // Otherwise a later `on('data')` would wait for ever: Node takes the pause for a choice of the application.
    else Reflect.set(data, 'readableFlowing', wasFlowing);
  };
}
