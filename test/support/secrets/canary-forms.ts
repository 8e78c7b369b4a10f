/** One form in which a secret may appear in a text. */
export interface CanaryForm {
  readonly name: string;
  /** Pieces in lower case. A text that contains one piece contains the secret or a large part of the secret. */
  readonly needles: readonly string[];
}

/** So many characters of a secret in a row do not appear by chance. */
const PIECE = 10;
const SHORTEST_CANARY = 8;

type Encode = (text: string) => string | readonly string[];

const FORMS: Readonly<Record<string, Encode>> = {
  raw: (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded to the last character': (text) => hex(text).replaceAll(/../g, '%$&'),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'form-encoded': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'URI-encoded': encodeURI,
  'JSON-escaped': json,
  'JSON-escaped twice': (text) => json(json(text)),
  'with escaped backslashes': (text) => text.replaceAll('\\', '\\\\'),
  'ASCII-escaped': (text) =>
    json(text).replaceAll(
      /[\u0080-\uffff]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'HTML-escaped': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'UTF-8 read as Latin-1': (text) => bytesOf(text).toString('latin1'),
  'separated by NUL': (text) => bytesOf(text, 'utf16le').toString('latin1'),
  reversed: (text) => Array.from(text).toReversed().join(''),
  hexadecimal: hex,
  'hexadecimal bytes': (text) => hex(text).replaceAll(/..(?!$)/g, '$& '),
  'UTF-16 in hexadecimal': (text) => bytesOf(text, 'utf16le').toString('hex'),
  'a list of bytes': (text) => bytesOf(text).join(','),
  'a spaced list of bytes': (text) => bytesOf(text).join(', '),
  'a list of bytes in lines': (text) => bytesOf(text).join(',\n'),
  base64: (text) => base64s(bytesOf(text), 'base64'),
  base64url: (text) => base64s(bytesOf(text), 'base64url'),
};

/** All forms of a secret that a program might print. */
export function formsOf(secret: string): readonly CanaryForm[] {
  if (secret.length < SHORTEST_CANARY) throw new RangeError('A canary this short appears in ordinary texts.');
  const pieces = piecesOf(secret);
  return Object.entries(FORMS).map(([name, encode]) => {
    const needles = pieces.flatMap((piece) => encode(piece)).map((needle) => needle.toLowerCase());
    return { name, needles: [...new Set(needles)] };
  });
}

/** Splits a secret into pieces. A part of the secret that is twice as long as a piece contains at least one whole piece. */
function piecesOf(secret: string): string[] {
  const characters = Array.from(secret);
  const last = Math.max(0, characters.length - PIECE);
  const starts = Array.from({ length: Math.ceil(last / PIECE) }, (_, index) => index * PIECE);
  return [...starts, last].map((start) => characters.slice(start, start + PIECE).join(''));
}

/** Not in memory that buffers share: the search would find its own secrets there. */
function bytesOf(text: string, encoding: BufferEncoding = 'utf8'): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text, encoding));
  bytes.write(text, encoding);
  return bytes;
}

function hex(text: string): string {
  return bytesOf(text).toString('hex');
}

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The three base64 forms of a piece inside of a longer text. The form depends on the place where the piece begins. */
function base64s(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.alloc(offset + bytes.length);
    bytes.copy(shifted, offset);
    const text = shifted.toString(encoding);
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
}
