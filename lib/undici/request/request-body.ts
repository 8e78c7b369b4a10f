import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { AxiosHeaders, InternalAxiosRequestConfig } from 'axios';
import { AXIOS_VERSION } from '../../wire/wire-request.js';
import { multipartBody } from '../../wire/multipart.js';

/** A body in the form in which it is sent, and the headers that its kind decides. */
export interface WireBody {
  readonly content: Buffer | Readable | AsyncIterable<Uint8Array> | null;
  /** Undefined for a stream whose length is not known before its end. */
  readonly length: number | undefined;
  readonly type?: string;
  /** Whether `length` replaces the `Content-Length` of the caller. */
  readonly ownLength?: true;
}

const NOTHING: WireBody = { content: null, length: undefined };

/** Undefined for a body that axios' http adapter has to send or to refuse. */
export function requestBody({ data, headers }: InternalAxiosRequestConfig): WireBody | undefined {
  const body: unknown = data;
  if (!body) return NOTHING;
  if (typeof body === 'string') return ofBuffer(Buffer.from(body));
  if (Buffer.isBuffer(body)) return ofBuffer(body);
  switch (Object.prototype.toString.call(body)) {
    case '[object ArrayBuffer]':
      return ofBuffer(Buffer.from(body as ArrayBuffer));
    case '[object FormData]':
      // The npm package `form-data` has this name too. It knows its length only later.
      return 'pipe' in (body as FormData) ? undefined : formBody(body as FormData, headers);
    case '[object Blob]':
    case '[object File]':
      return ofBlob(body as Blob);
    case '[object ReadableStream]':
      return { content: body as ReadableStream<Uint8Array>, length: undefined };
    default:
      return ofStream(body as Readable);
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

/** A stream of the oldest kind has a `pipe` method, but no `readableEnded`. `wrap` makes a `Readable` of it. */
function ofStream(stream: Readable): WireBody | undefined {
  if (typeof stream.pipe !== 'function' || 'getHeaders' in stream) return undefined;
  const content = 'readableEnded' in stream ? stream : new Readable().wrap(stream);
  return { content, length: undefined };
}

/** If the content type of the caller names a boundary, the form uses it: a request that is sent again has the same bytes (B4). */
function formBody(form: FormData, headers: AxiosHeaders): WireBody {
  const boundary = headers.getContentType(/boundary=([-\w]{10,70})/i)?.[1] ?? newBoundary();
  const { content, length, type } = multipartBody(form, boundary, 'axios');
  return { content: Buffer.isBuffer(content) ? content : content(), length, type, ownLength: true };
}

/** A boundary that looks like a boundary of axios, with the same length. */
function newBoundary(): string {
  return `axios-${AXIOS_VERSION}-boundary-${randomBytes(19).toString('base64url').slice(0, 25)}`;
}
