import type { Readable } from 'node:stream';

/** Whether a body is a stream of Node, or one of an npm package that does the same. */
export function isNodeStream(body: unknown): body is Readable {
  return typeof body === 'object' && body !== null && 'pipe' in body && typeof body.pipe === 'function';
}
