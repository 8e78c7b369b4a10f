/**
 * `axios`: names keep their line ends before these are escaped, and a file without a name has no `filename`. `fetch`: names have
 * normal line ends, and each file has a `filename`.
 */
export type MultipartDialect = 'axios' | 'fetch';

const ESCAPES: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '"': '%22' };
const LINE_END = Buffer.from('\r\n');

type Part = Buffer | Blob;

/**
 * A form as `multipart/form-data` (RFC 7578). The same bytes for the same boundary, so that a resend repeats the request. The
 * content is bytes, or an opener: files are read while they are sent, and again for each attempt.
 */
export function multipartBody(form: FormData, boundary: string, dialect: MultipartDialect) {
  const parts: Part[] = [];
  for (const [name, value] of form.entries()) {
    const content = typeof value === 'string' ? Buffer.from(withLineEnds(value)) : value;
    parts.push(Buffer.from(`--${boundary}\r\n${headOf(name, value, dialect)}\r\n`), content, LINE_END);
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const length = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.size), 0);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length,
    content: parts.every((part) => Buffer.isBuffer(part))
      ? Buffer.concat(parts, length)
      : () => bytesOf(parts),
  };
}

function headOf(name: string, value: string | File, dialect: MultipartDialect): string {
  const isFetch = dialect === 'fetch';
  const head = `Content-Disposition: form-data; name="${escaped(isFetch ? withLineEnds(name) : name)}"`;
  if (typeof value === 'string') return `${head}\r\n`;
  const file = isFetch || value.name ? `; filename="${escaped(value.name)}"` : '';
  const type = (value.type || 'application/octet-stream').replaceAll(/[\r\n]/g, '');
  return `${head}${file}\r\nContent-Type: ${type}\r\n`;
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
