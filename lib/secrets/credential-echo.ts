import { formsOf, reduced } from './credential-forms.js';
import { unescaped } from './unescaped-text.js';

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
  const plain = credential.toLowerCase();
  const known = new Set([plain, ...formsOf(credential)].flatMap((form) => piecesOf(form)));
  return [text.toLowerCase(), ...readingsOf(text)].some((reading) =>
    piecesOf(reading).some((piece) => known.has(piece)),
  );
}

function readingsOf(text: string): string[] {
  return [reduced(text), reduced(unescaped(text))];
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - PIECE + 1) }, (_, start) =>
    text.slice(start, start + PIECE),
  );
}
