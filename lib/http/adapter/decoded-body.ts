import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { decoderFor, unzip } from '../response/decoders.js';

/**
 * The decoded body of a response, as axios' http adapter decodes it. The header `Content-Encoding` is removed then, and also
 * if the response has no body.
 */
export function decodedBody(message: IncomingMessage, method: string): Readable {
  const encoding = message.headers['content-encoding'];
  if (!encoding) return message;
  if (method === 'HEAD' || message.statusCode === 204) {
    delete message.headers['content-encoding'];
    return message;
  }
  const createDecoders = decoderFor(encoding, deflateDecoders);
  if (createDecoders === undefined) return message;
  delete message.headers['content-encoding'];
  // The last stream reports each failure.
  return pipeline([message, createDecoders()].flat(), () => undefined) as unknown as Readable;
}

/** The first bytes of a zlib stream. For `deflate`, some servers send the bare format without them. */
const ZLIB_HEADER = Buffer.from([0x78, 0x9c]);

function deflateDecoders(): Transform[] {
  return [new ZlibHeader(), unzip()];
}

/** Adds the first bytes if they are missing. */
class ZlibHeader extends Transform {
  #isFirst = true;

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (chunk.length > 0) {
      if (this.#isFirst && chunk[0] !== ZLIB_HEADER[0]) this.push(ZLIB_HEADER);
      this.#isFirst = false;
    }
    done(null, chunk);
  }
}
