import { holdsCredential, holdsPieceOf } from '../secrets/credential-forms.js';
import { REDACTED, type Secret } from '../secrets/secret.js';

const LONGEST = 200;

/** The widest form of a character of a credential: `&#x61;`, or a number and its separators in a list of bytes. */
const WIDEST = 8;

/** More than a part of a secret needs to be found. */
const ENOUGH = 50;

/** How many texts of a list are shown. A server may send thousands. */
export const MOST_TEXTS = 5;

/** Makes the text of a server safe for a terminal: without control characters, and without a change of the writing direction. */
export function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}

/**
 * The same for a text that may repeat a credential (S10): providers often put the client id into a token. A text with a part
 * of the secret is hidden. A client id may share words with harmless names, so only the whole client id counts.
 */
export function harmlessFor({
  clientId,
  secret,
}: {
  clientId?: Secret | undefined;
  secret?: Secret | undefined;
}) {
  // What begins in the shown text ends before this place. What comes later is not shown, and the search takes time.
  const searched = LONGEST + WIDEST * Math.max(ENOUGH, clientId?.reveal().length ?? 0);
  return (whole: string): string => {
    const text = whole.slice(0, searched);
    const repeatsId = clientId !== undefined && holdsCredential(text, clientId.reveal());
    const repeatsSecret = secret !== undefined && holdsPieceOf(text, secret.reveal());
    return repeatsId || repeatsSecret ? REDACTED : harmless(text);
  };
}
