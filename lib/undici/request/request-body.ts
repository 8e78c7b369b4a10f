import { Readable } from 'node:stream';
import type { InternalAxiosRequestConfig } from 'axios';
import { formBody } from './form-body.js';
import type { WireBody } from './wire-body.js';

const NOTHING: WireBody = { content: null, length: undefined };

/** Undefined for what axios' adapter refuses or handles in a way of its own. */
export function requestBody({ data, headers }: InternalAxiosRequestConfig): WireBody | undefined {
  const body: unknown = data;
  if (!body) return NOTHING;
  if (typeof body === 'string') return ofBuffer(Buffer.from(body));
  if (Buffer.isBuffer(body)) return ofBuffer(body);
  if (typeof body !== 'object') return undefined;
  switch (Object.prototype.toString.call(body)) {
    case '[object ArrayBuffer]':
      return ofBuffer(Buffer.from(body as ArrayBuffer));
    case '[object FormData]':
      // The npm package `form-data` calls itself so too; it knows its length only later.
      return 'pipe' in body ? undefined : formBody(body as FormData, headers);
    case '[object Blob]':
    case '[object File]':
      return ofBlob(body as Blob);
    case '[object ReadableStream]':
      return { content: body as ReadableStream<Uint8Array>, length: undefined };
    default:
      return ofStream(body);
  }
}

function ofBuffer(content: Buffer): WireBody {
  return { content, length: content.length };
}

function ofBlob(blob: Blob): WireBody {
  if (blob.size === 0) return { content: Buffer.alloc(0), length: 0, ownLength: true };
  return {
    content: blob.stream(),
    length: blob.size,
    type: blob.type || 'application/octet-stream',
    ownLength: true,
  };
}

/** Old streams have a `pipe` and little else. */
function ofStream(body: object): WireBody | undefined {
  if (!('pipe' in body) || typeof body.pipe !== 'function' || 'getHeaders' in body) return undefined;
  const stream = body as Readable;
  const content = 'readableEnded' in stream ? stream : new Readable().wrap(stream);
  return { content, length: undefined };
}
