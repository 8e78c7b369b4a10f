import { unescaped } from './unescaped-text.js';
import { unpooledConcat, unpooledText } from './unpooled-buffer.js';

/** A shorter form could be part of any word. */
const SHORTEST_FORM = 4;

/** So many equal characters in a row are no coincidence. */
const PIECE = 10;

/** Whether a text contains a credential, in any form in which a server might repeat it (S10). */
export function holdsCredential(text: string, credential: string): boolean {
  const forms = formsOf(credential);
  return (
    text.toLowerCase().includes(credential.toLowerCase()) ||
    readingsOf(text).some((reading) => forms.some((form) => reading.includes(form)))
  );
}

/** Whether a text contains a credential or a part of it, in any form in which a server might repeat it (S10). */
export function holdsPieceOf(text: string, credential: string): boolean {
  if (holdsCredential(text, credential)) return true;
  // The text is short. A credential may be a file, so it is not the one that is cut into pieces.
  const pieces = [text.toLowerCase(), ...readingsOf(text)].flatMap((reading) => piecesOf(reading));
  const forms = [credential.toLowerCase(), ...formsOf(credential)];
  return pieces.some((piece) => forms.some((form) => form.includes(piece)));
}

function readingsOf(text: string): string[] {
  return [reduced(text), reduced(unescaped(text))];
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - PIECE + 1) }, (_, start) =>
    text.slice(start, start + PIECE),
  );
}

/**
 * The forms in which a server might repeat a credential: unchanged, encoded for an address or a form, its bytes in base64,
 * hexadecimal or decimal digits, and each of these backwards. Each form is reduced to its letters and digits.
 */
export function formsOf(credential: string): string[] {
  const encoded = [credential, encodeURIComponent(credential), formEncoded(credential)];
  const bytes = [...encoded.map((text) => unpooledText(text)), unpooledText(credential, 'utf16le')];
  const forms = [...encoded, ...bytes.flatMap((dumped) => dumpsOf(dumped))].map((form) => reduced(form));
  return [...new Set(forms)]
    .filter(({ length }) => length >= SHORTEST_FORM)
    .flatMap((form) => [form, Array.from(form).toReversed().join('')]);
}

/** RFC 6749, section 2.3.1: the header of Basic authentication contains this form. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** The letters and digits of a text in lower case. Spaces, quotes and capitals make no difference. */
export function reduced(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('0x', '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Bytes as people and programs print them. The last zero of UTF-16 is left out, because it may also come first. */
function dumpsOf(bytes: Buffer): string[] {
  const printed = bytes.at(-1) === 0 ? bytes.subarray(0, -1) : bytes;
  return [...base64Cores(printed), printed.toString('hex'), printed.join('')];
}

/**
 * The base64 of any content with these bytes contains one of these texts. A base64 character encodes six bits, so the bytes can
 * begin at three places. Characters that also depend on the neighbours are left out. Both alphabets, without duplicates.
 */
export function base64Cores(bytes: Buffer): string[] {
  const cores = [0, 1, 2].map((before) => {
    const base64 = unpooledConcat([Buffer.alloc(before), bytes]).toString('base64');
    return base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}
