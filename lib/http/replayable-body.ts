import { isNodeStream } from './adapter/node-stream.js';

/** By tag and not by `instanceof`: test environments and npm packages bring classes of their own. */
const REPLAYABLE_TAGS = new Set([
  '[object ArrayBuffer]',
  '[object SharedArrayBuffer]',
  '[object URLSearchParams]',
  '[object Blob]',
  '[object File]',
]);

/**
 * Whether a body can be sent a second time, byte for byte (B4). Whatever is read while it is sent cannot: a Node
 * stream (the `form-data` package is one and calls itself FormData), a web stream, an async iterable.
 */
export function isReplayable(body: unknown): boolean {
  if (body === null || typeof body !== 'object') return typeof body !== 'function';
  if (ArrayBuffer.isView(body)) return true;
  if (isReadOnce(body)) return false;
  return isFormData(body) || REPLAYABLE_TAGS.has(tagOf(body)) || isPlain(body);
}

/** Whether a body is read while it is sent. */
export function isReadOnce(body: object): boolean {
  return isNodeStream(body) || Symbol.asyncIterator in body;
}

/** A `FormData` of the global kind. */
export function isFormData(body: unknown): boolean {
  return (
    tagOf(body) === '[object FormData]' && !(typeof body === 'object' && body !== null && 'pipe' in body)
  );
}

/** Adapters other than axios' own may take objects as they are. */
function isPlain(body: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(body);
  return Array.isArray(body) || prototype === null || prototype === Object.prototype;
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}
