import type { IncomingMessage } from 'node:http';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';

export const NO_BODY = Buffer.alloc(0);

/** Reads the whole body. If a request breaks off, `done` is not called. */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') {
    request.resume();
    return done(NO_BODY);
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(unpooledConcat(chunks)));
}
