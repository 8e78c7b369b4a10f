import type { Readable } from 'node:stream';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';

/**
 * Reads a stream to its end, or gives `undefined` as soon as it is longer than `limit`; the rest is then not read.
 * Rejects when the stream fails or the signal is aborted, and leaves nothing open either way.
 */
export async function readLimited(
  stream: Readable,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const abort = (): void => {
    stream.destroy(new Error('aborted'));
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) return undefined;
      chunks.push(chunk);
    }
    return unpooledConcat(chunks);
  } finally {
    signal.removeEventListener('abort', abort);
    stream.destroy();
  }
}
