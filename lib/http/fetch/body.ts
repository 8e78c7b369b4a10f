import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../time/clock.js';
import { isFormData, isNodeStream } from '../../values/objects.js';
import { CallBudget } from '../../wire/call-budget.js';
import { multipartBody } from '../../wire/multipart.js';
import { OpenableBody } from '../../wire/body.js';
import { type Chunks, chunksOf, endStream } from '../../wire/chunks.js';
import { fetchFailure } from './failure.js';

/** A body as the engine takes it, and the headers that `fetch` makes from its kind. */
export interface FetchBody {
  readonly data: unknown;
  /** Used if the caller sets no content type. */
  readonly type?: string;
  /** Whether the body can be sent only once. */
  readonly isStreamed?: true;
  /** Ends a body that can be sent only once. If its reader has locked it, no other code can end it. */
  readonly cancel?: (reason: unknown) => void;
}

/** Undefined for no body. By tag instead of `instanceof`, because test environments and packages have their own classes. */
export function readBody(body: unknown): FetchBody | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'object') return ofText(textOf(body));
  if (ArrayBuffer.isView(body))
    return { data: Buffer.from(Buffer.from(body.buffer, body.byteOffset, body.byteLength)) };
  if (isFormData(body)) return ofForm(body);
  switch (Object.prototype.toString.call(body)) {
    case '[object ArrayBuffer]':
    case '[object SharedArrayBuffer]':
      return { data: Buffer.from(new Uint8Array(body as ArrayBuffer)) };
    case '[object URLSearchParams]':
      return { data: textOf(body), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    case '[object Blob]':
    case '[object File]':
      return ofBlob(body as Blob);
    default:
      return ofStream(body);
  }
}

/** As `fetch` does with any other value, also with a symbol. */
function textOf(value: unknown): string {
  return ''.concat(value as string);
}

function ofText(data: string): FetchBody {
  return { data, type: 'text/plain;charset=UTF-8' };
}

/** The boundary is chosen here, so that a resend repeats the same bytes. */
function ofForm(form: FormData): FetchBody {
  const boundary = `----formdata-provider-auth-${randomBytes(18).toString('hex')}`;
  const { content, length, type } = multipartBody(form, boundary, 'fetch');
  if (Buffer.isBuffer(content)) return { data: content, type };
  return { data: new OpenableBody(true, content, length), type };
}

/** Read while it is sent, and again for a resend: a `Blob` may be a file on the disk. */
function ofBlob(blob: Blob): FetchBody {
  const { size: length } = blob;
  const type = blob.type === '' ? {} : { type: blob.type };
  if (length === 0) return { data: '', ...type };
  const open = (): AsyncIterable<Uint8Array> => blob.stream() as AsyncIterable<Uint8Array>;
  return { data: new OpenableBody(true, open, length), ...type };
}

function ofStream(body: object): FetchBody {
  const isOfNode = isNodeStream(body);
  if (!isOfNode && !(Symbol.asyncIterator in body)) return ofText(textOf(body));
  // As `fetch` does: the rest of a stream would be sent as if it were the whole upload.
  if (Reflect.get(body, 'locked') === true || Readable.isDisturbed(body as Readable))
    throw new TypeError('The body was read or destroyed before, or another reader has locked it.');
  if (!isOfNode) return sentOnce(chunksOf(body));
  return { data: body, isStreamed: true, cancel: () => endStream(body) };
}

function sentOnce(chunks: Chunks, early?: readonly Uint8Array[]): FetchBody {
  const data = new OpenableBody(false, () => iterableOf(chunks, early));
  return { data, isStreamed: true, cancel: (reason) => chunks.cancel(reason) };
}

/**
 * Chunks for one request. A generator could not end them while a chunk is awaited.
 *
 * @param early chunks that were read before.
 */
function iterableOf(chunks: Chunks, early: readonly Uint8Array[] = []): AsyncIterable<Uint8Array> {
  const waiting = [...early];
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    async next() {
      const value = waiting.shift() ?? (await chunks.next());
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    async return() {
      chunks.cancel();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** The body of a `Request` can be sent again if it ends within so many bytes. */
export const LARGEST_REPEATABLE = 8 * 1024 * 1024;

interface Limits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * The body of a `Request` is always a stream. Its start is read, because generated clients pass a `Request`, and their POST
 * must be sent again after a 401. A larger body goes on as a stream. A `clone()` would keep the whole body in memory
 * (sindresorhus/ky#831).
 */
export async function bodyOfRequest(body: object, limits: Limits): Promise<FetchBody> {
  const chunks = chunksOf(body);
  const { signal, timeoutMs: timeout, clock } = limits;
  // The time of the call begins before its request is sent, and its signal counts already.
  const budget = new CallBudget({ timeout, ...(signal && { signal }) }, clock);
  try {
    return await budget.wait(() => readStart(chunks), ' while reading the body of the request');
  } catch (error) {
    chunks.cancel(signal?.reason);
    throw fetchFailure(error, signal, timeout);
  } finally {
    budget.finish();
  }
}

const FIRST_SIZE = 16 * 1024;

/** The bytes are copied into one buffer: a list of a million tiny chunks would cost far more time and memory. */
async function readStart(chunks: Chunks): Promise<FetchBody> {
  let buffer = Buffer.alloc(FIRST_SIZE);
  let length = 0;
  for (;;) {
    const chunk = await chunks.next();
    const read = buffer.subarray(0, length);
    if (chunk === undefined) return { data: read };
    const nextLength = length + chunk.length;
    if (nextLength > LARGEST_REPEATABLE) return sentOnce(chunks, [read, chunk]);
    if (nextLength > buffer.length) {
      buffer = Buffer.alloc(Math.max(nextLength, 2 * buffer.length));
      buffer.set(read);
    }
    buffer.set(chunk, length);
    length = nextLength;
  }
}
