import type { Readable } from 'node:stream';

/** Whether a body is a stream of Node, or a stream of an npm package that has the same methods. */
export function isNodeStream(body: unknown): body is Readable {
  return typeof body === 'object' && body !== null && 'pipe' in body && typeof body.pipe === 'function';
}
