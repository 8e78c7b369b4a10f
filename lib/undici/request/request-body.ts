import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { AxiosHeaders, InternalAxiosRequestConfig } from 'axios';
import { AXIOS_VERSION } from '../../http/adapter/added-headers.js';

/** A body in the form in which it is sent, and the headers that its kind decides. */
export interface WireBody {
  readonly content: Buffer | Readable | AsyncIterable<Uint8Array> | null;
  /** Undefined for a stream whose length is not known before its end. */
  readonly length: number | undefined;
  /** Replaces the content type of the caller. */
  readonly type?: string;
  /** Whether `length` replaces the `Content-Length` of the caller. */
  readonly ownLength?: true;
}

/** Whether a body is read while it is sent. */
export function isStreamed({ content }: Pick<WireBody, 'content'>): boolean {
  return content !== null && !Buffer.isBuffer(content);
}

const NOTHING: WireBody = { content: null, length: undefined };
const ESCAPES: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '"': '%22' };
const LINE_END = Buffer.from('\r\n');

/** Undefined for a body that axios' http adapter has to send or to refuse. */
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
      // The npm package `form-data` has this name too. It knows its length only later.
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

/** A stream of the oldest kind has a `pipe` method, but no `readableEnded`. `wrap` makes a `Readable` of it. */
function ofStream(body: object): WireBody | undefined {
  if (!('pipe' in body) || typeof body.pipe !== 'function' || 'getHeaders' in body) return undefined;
  const stream = body as Readable;
  const content = 'readableEnded' in stream ? stream : new Readable().wrap(stream);
  return { content, length: undefined };
}

/**
 * A form as `multipart/form-data`, with the same bytes that axios writes. If the content type of the caller names a
 * boundary, the form uses this boundary: a request that is sent again has the same bytes (B4).
 *
 * @see RFC 7578
 */
function formBody(form: FormData, headers: AxiosHeaders): WireBody {
  const boundary = givenBoundary(headers) ?? newBoundary();
  const parts: (Buffer | Blob)[] = [];
  for (const [name, value] of form.entries()) {
    parts.push(Buffer.from(`--${boundary}\r\n${headOf(name, value)}\r\n`), contentOf(value), LINE_END);
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const length = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.size), 0);
  const content = parts.every((part) => Buffer.isBuffer(part))
    ? Buffer.concat(parts, length)
    : bytesOf(parts);
  return { content, length, type: `multipart/form-data; boundary=${boundary}`, ownLength: true };
}

function headOf(name: string, value: string | File): string {
  const head = `Content-Disposition: form-data; name="${escaped(name)}"`;
  if (typeof value === 'string') return `${head}\r\n`;
  const file = value.name ? `; filename="${escaped(value.name)}"` : '';
  const type = (value.type || 'application/octet-stream').replaceAll(/[\r\n]/g, '');
  return `${head}${file}\r\nContent-Type: ${type}\r\n`;
}

function contentOf(value: string | File): Buffer | Blob {
  return typeof value === 'string' ? Buffer.from(value.replaceAll(/\r?\n|\r\n?/g, '\r\n')) : value;
}

async function* bytesOf(parts: readonly (Buffer | Blob)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part;
    else yield* part.stream();
  }
}

function escaped(name: string): string {
  return name.replaceAll(/[\r\n"]/g, (character) => ESCAPES[character] ?? character);
}

/** A boundary that looks like a boundary of axios, with the same length. */
function newBoundary(): string {
  return `axios-${AXIOS_VERSION}-boundary-${randomBytes(19).toString('base64url').slice(0, 25)}`;
}

function givenBoundary(headers: AxiosHeaders): string | undefined {
  const found: unknown = headers.getContentType(/boundary=([-_\w\d]{10,70})/i);
  return Array.isArray(found) && typeof found[1] === 'string' ? found[1] : undefined;
}
