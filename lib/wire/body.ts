import { randomBytes } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { promisify, types } from 'node:util';
import { AxiosError } from 'axios';
import { axiosVersion } from '../values/axios-version.js';
import { isFormData, isNodeStream, isObject, isPlainObject } from '../values/objects.js';
import { multipartBody } from './multipart.js';
import type { Config, OutgoingBody } from './outgoing.js';

/** A body that is opened anew for each attempt. */
export class OpenableBody {
  /** @param isRepeatable whether a second opening gives the same bytes. */
  constructor(
    readonly isRepeatable: boolean,
    readonly open: () => AsyncIterable<Uint8Array>,
    readonly length?: number,
  ) {}
}

/** The body of one call, and the headers that its kind decides. A resend has the same bytes. */
export interface CallBody {
  readonly content: OutgoingBody | OpenableBody['open'];
  /** Headers that replace those of the caller. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a body that is not in memory, if it is known. The caller may know it, too. */
  readonly length?: number | undefined;
}

const NO_BODY: CallBody = Object.freeze({ content: null });

/** The body of a config after axios' transforms. Most bodies need no promise. */
export function bodyOf(config: Config): CallBody | Promise<CallBody> {
  const data: unknown = config.data;
  if (!data) return NO_BODY;
  if (typeof data === 'string') return { content: Buffer.from(data) };
  if (Buffer.isBuffer(data)) return { content: data };
  if (types.isAnyArrayBuffer(data)) return { content: Buffer.from(new Uint8Array(data)) };
  if (data instanceof OpenableBody) return { content: data.open, length: data.length };
  if (isFormData(data)) return formBody(data, config);
  if (isBlob(data)) return blobBody(data);
  if (isNodeStream(data)) return 'getHeaders' in data ? legacyForm(data) : { content: iterable(data) };
  if (isObject(data) && Symbol.asyncIterator in data) return { content: data as AsyncIterable<Uint8Array> };
  throw new AxiosError(
    'Data after transformation must be a string, an ArrayBuffer, a Buffer, or a Stream',
    AxiosError.ERR_BAD_REQUEST,
    config,
  );
}

/** What one attempt sends. */
export function opened({ content }: CallBody): OutgoingBody {
  return typeof content === 'function' ? content() : content;
}

/** Tags instead of `instanceof`, because test environments and npm packages have their own classes. */
const REPEATABLE_TAG = /^\[object (?:ArrayBuffer|SharedArrayBuffer|URLSearchParams|Blob|File)\]$/;

/** Whether a body can be sent a second time, byte for byte. */
export function isRepeatable(data: unknown): boolean {
  if (data === null || typeof data !== 'object') return typeof data !== 'function';
  if (ArrayBuffer.isView(data)) return true;
  if (data instanceof OpenableBody) return data.isRepeatable;
  if (isNodeStream(data) || Symbol.asyncIterator in data) return false;
  // An adapter of the caller may take objects as they are.
  if (Array.isArray(data) || isPlainObject(data)) return true;
  return isFormData(data) || REPEATABLE_TAG.test(Object.prototype.toString.call(data));
}

function isBlob(data: unknown): data is Blob {
  return /^\[object (?:Blob|File)\]$/.test(Object.prototype.toString.call(data));
}

function blobBody(blob: Blob): CallBody {
  const { size } = blob;
  if (size === 0) return { content: Buffer.alloc(0) };
  return {
    content: () => blob.stream() as AsyncIterable<Uint8Array>,
    length: size,
    headers: { 'Content-Type': blob.type || 'application/octet-stream' },
  };
}

/** If the content type of the caller names a boundary, the form uses it. */
function formBody(form: FormData, { headers }: Config): CallBody {
  const boundary = headers.getContentType(/boundary=([-\w]{10,70})/i)?.[1] ?? newBoundary();
  const { content, length, type } = multipartBody(form, boundary, 'axios');
  return { content, length, headers: { 'Content-Type': type } };
}

/** A boundary that looks like a boundary of axios, with the same length. */
function newBoundary(): string {
  return `axios-${axiosVersion()}-boundary-${randomBytes(19).toString('base64url').slice(0, 25)}`;
}

/** A form of the package `form-data`, which is a stream with its own headers. */
interface LegacyForm {
  getHeaders(): Record<string, string>;
  getLength?(callback: (error: Error | null, length: number) => void): void;
}

async function legacyForm(form: Readable): Promise<CallBody> {
  const { getHeaders, getLength } = form as unknown as Partial<LegacyForm>;
  const known =
    getLength &&
    (await promisify(getLength)
      .call(form)
      .catch(() => undefined));
  const length = Number.isFinite(known) ? Number(known) : undefined;
  return { content: iterable(form), headers: getHeaders?.call(form) ?? {}, length };
}

/** A stream of the oldest kind has a `pipe` method, but no iterator, and begins when it is piped. */
function iterable(stream: Readable): AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in stream ? stream : chunksOfOldStream(stream);
}

async function* chunksOfOldStream(
  stream: Readable & Partial<Pick<Readable, 'destroy'>>,
): AsyncGenerator<Uint8Array> {
  const chunks = new PassThrough();
  stream.on('error', (error) => chunks.destroy(error));
  stream.pipe(chunks);
  try {
    yield* chunks;
  } finally {
    stream.destroy?.();
  }
}
