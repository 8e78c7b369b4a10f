import { formsOf, reduced } from './credential-forms.js';
import { UnescapedText } from './unescaped-text.js';

/** So many characters side by side are no accident. */
const PIECE = 10;

/** Whether a text holds a credential, in any form that a server might give it (S10). */
export function holdsCredential(text: string, credential: string): boolean {
  const forms = formsOf(credential);
  return (
    text.toLowerCase().includes(credential.toLowerCase()) ||
    readingsOf(text).some((reading) => forms.some((form) => reading.includes(form)))
  );
}

/** Whether a text holds a credential or a piece of one, in any form that a server might give it (S10). */
export function holdsPieceOf(text: string, credential: string): boolean {
  if (holdsCredential(text, credential)) return true;
  const plain = credential.toLowerCase();
  const known = new Set([plain, ...formsOf(credential)].flatMap((form) => piecesOf(form)));
  return [text.toLowerCase(), ...readingsOf(text)].some((reading) =>
    piecesOf(reading).some((piece) => known.has(piece)),
  );
}

/** The text, and what it stands for once all escapes are removed. */
function readingsOf(text: string): string[] {
  return [reduced(text), reduced(new UnescapedText(text).toString())];
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - PIECE + 1) }, (_, start) =>
    text.slice(start, start + PIECE),
  );
}
