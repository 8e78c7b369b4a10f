import { randomBytes } from 'node:crypto';
import { isNodeStream } from '../../values/is-node-stream.js';
import { multipartBody } from '../../wire/multipart.js';
import { isFormData, OpenableBody } from '../adapter/request-body.js';
import { chunksOf, readableOf } from './chunks.js';

/** A body as the request path takes it, and the headers that `fetch` makes from its kind. */
export interface FetchBody {
  readonly data: unknown;
  /** Used if the caller sets no content type. */
  readonly type?: string;
  /** The length of a body that is opened for each attempt. */
  readonly length?: number;
  /** Whether the body can be read only once. */
  readonly isStreamed?: true;
  /** Ends a body that was read in part. Only this module can do that, because the reader has locked the body. */
  readonly cancel?: () => void;
}

/** Undefined for no body. By tag instead of `instanceof`, because test environments and packages have their own classes. */
export function readBody(body: unknown): FetchBody | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'object') return ofText(textOf(body));
  if (ArrayBuffer.isView(body))
    return { data: Buffer.from(Buffer.from(body.buffer, body.byteOffset, body.byteLength)) };
  if (isFormData(body)) return formBody(body as FormData);
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

/** The boundary is chosen here, so a resend repeats the same bytes (B4). */
function formBody(form: FormData): FetchBody {
  const boundary = `----formdata-provider-auth-${randomBytes(18).toString('hex')}`;
  const { content, length, type } = multipartBody(form, boundary, 'fetch');
  if (Buffer.isBuffer(content)) return { data: content, type };
  return { data: new OpenableBody(true, () => readableOf(chunksOf(content()))), type, length };
}

function ofText(data: string): FetchBody {
  return { data, type: 'text/plain;charset=UTF-8' };
}

function ofBlob(blob: Blob): FetchBody {
  const type = blob.type === '' ? {} : { type: blob.type };
  if (blob.size === 0) return { data: '', ...type };
  const open = new OpenableBody(true, () => readableOf(chunksOf(blob.stream())));
  return { data: open, length: blob.size, ...type };
}

function ofStream(body: object): FetchBody {
  if (isNodeStream(body)) return { data: body, isStreamed: true };
  if (!(Symbol.asyncIterator in body)) return ofText(textOf(body));
  if (Reflect.get(body, 'locked') === true) throw new TypeError('The body is locked by another reader.');
  return { data: new OpenableBody(false, () => readableOf(chunksOf(body))), isStreamed: true };
}
