import { randomBytes } from 'node:crypto';
import { OpenableBody } from '../adapter/request-body.js';
import { chunksOf, readableOf } from './chunks.js';

const ESCAPES: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '"': '%22' };
const LINE_END = Buffer.from('\r\n');

type Part = Buffer | Blob;

/** The bytes of a form, and the headers that belong to them. */
interface FormBody {
  readonly data: Buffer | OpenableBody;
  readonly type: string;
  /** Of a body that is opened for each attempt. */
  readonly length?: number;
}

/**
 * A form as `fetch` writes it. The boundary is chosen here, so a resend repeats the same bytes (B4). Files are read while
 * they are sent.
 *
 * @see RFC 7578
 */
export function formBody(form: FormData): FormBody {
  const boundary = `----formdata-provider-auth-${randomBytes(18).toString('hex')}`;
  const parts: Part[] = [];
  for (const [name, value] of form.entries())
    parts.push(Buffer.from(`--${boundary}\r\n${headOf(name, value)}\r\n`), contentOf(value), LINE_END);
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const type = `multipart/form-data; boundary=${boundary}`;
  if (parts.every((part) => Buffer.isBuffer(part))) return { data: Buffer.concat(parts), type };
  const length = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.size), 0);
  const data = new OpenableBody(true, () => readableOf(chunksOf(bytesOf(parts))));
  return { data, type, length };
}

function headOf(name: string, value: string | File): string {
  const head = `Content-Disposition: form-data; name="${escaped(withLineEnds(name))}"`;
  if (typeof value === 'string') return `${head}\r\n`;
  const type = value.type || 'application/octet-stream';
  return `${head}; filename="${escaped(value.name)}"\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, '')}\r\n`;
}

function contentOf(value: string | File): Part {
  return typeof value === 'string' ? Buffer.from(withLineEnds(value)) : value;
}

async function* bytesOf(parts: readonly Part[]): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part;
    else yield* part.stream() as AsyncIterable<Uint8Array>;
  }
}

function withLineEnds(text: string): string {
  return text.replaceAll(/\r?\n|\r/g, '\r\n');
}

function escaped(name: string): string {
  return name.replaceAll(/[\r\n"]/g, (character) => ESCAPES[character] ?? character);
}
