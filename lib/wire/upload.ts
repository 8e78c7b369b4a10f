import { AxiosError, CanceledError } from 'axios';
import { errorCode } from '../errors/error-code.js';
import { isNodeStream } from '../values/objects.js';
import { type Chunks, chunksOf } from './chunks.js';
import type { Config, Outgoing } from './outgoing.js';
import { progressOf } from './progress.js';

/** Whether a request has no body that is read while it is sent. */
export function isSentAtOnce(sent: Outgoing): sent is Outgoing & { readonly body: Buffer | null } {
  const { body, config } = sent;
  return body === null || (Buffer.isBuffer(body) && !config.onUploadProgress);
}

/** The body of a request while it is sent, with the limit and the progress events that the config asks for. */
export function uploadOf({ body, config, headers }: Outgoing): Chunks {
  const chunks = chunksOf(body === null || Buffer.isBuffer(body) ? piecesOf(body) : body);
  const { maxBodyLength = -1, onUploadProgress } = config;
  const progress = onUploadProgress && progressOf(onUploadProgress, 'upload', lengthIn(headers));
  let length = 0;
  return {
    cancel: (reason) => chunks.cancel(reason),
    async next() {
      const chunk = await chunks.next();
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

/** The error for a body of the caller that has failed. */
export function bodyFailure(error: unknown, config: Config, request: object): Error {
  return errorCode(error) === 'ERR_STREAM_PREMATURE_CLOSE'
    ? new CanceledError('Request stream has been aborted', config, request)
    : AxiosError.from(error, undefined, config, request);
}

export function tooLarge(config: Config): AxiosError {
  return new AxiosError('Request body larger than maxBodyLength limit', AxiosError.ERR_BAD_REQUEST, config);
}

const PIECE = 64 * 1024;

/** So that the caller sees progress. */
async function* piecesOf(bytes: Buffer | null): AsyncGenerator<Uint8Array> {
  if (bytes === null) return;
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function lengthIn(headers: readonly string[]): string | undefined {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length');
  return index < 0 ? undefined : headers[index + 1];
}

const doNothing = (): void => undefined;

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
