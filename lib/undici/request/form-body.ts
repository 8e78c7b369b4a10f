import { randomBytes } from 'node:crypto';
import type { AxiosHeaders } from 'axios';
import { AXIOS_VERSION } from '../axios-version.js';
import type { WireBody } from './wire-body.js';

const ESCAPES: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '"': '%22' };
const LINE_END = Buffer.from('\r\n');

/**
 * A form as `multipart/form-data`, byte for byte as axios writes it, within the caller's boundary if the content type
 * names one: a resend repeats it (B4).
 *
 * @see RFC 7578
 */
export function formBody(form: FormData, headers: AxiosHeaders): WireBody {
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

/** Of the form and the length of axios' own. */
function newBoundary(): string {
  return `axios-${AXIOS_VERSION}-boundary-${randomBytes(19).toString('base64url').slice(0, 25)}`;
}

function givenBoundary(headers: AxiosHeaders): string | undefined {
  const found: unknown = headers.getContentType(/boundary=([-_\w\d]{10,70})/i);
  return Array.isArray(found) && typeof found[1] === 'string' ? found[1] : undefined;
}
