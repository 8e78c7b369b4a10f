import { base64Cores } from './base64-cores.js';
import { unpooledText } from './unpooled-buffer.js';

/** A shorter form could be part of any word. */
const SHORTEST_FORM = 4;

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
