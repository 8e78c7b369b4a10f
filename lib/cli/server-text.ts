import { holdsCredential } from '../secrets/credential-forms.js';
import { REDACTED, type Secret } from '../secrets/secret.js';

const LONGEST = 200;

/** The widest form of a character of a credential, in UTF-8 and percent-encoded: `%F0%9F%94%91`. */
const WIDEST = 12;

/** How many texts of a list are shown. A server may send thousands. */
export const MOST_TEXTS = 5;

/** Makes the text of a server safe for a terminal: without control characters, and without a change of the writing direction. */
export function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}

/** The same for a text that may repeat a credential (S10): providers often put the client id into a token. */
export function harmlessFor({
  clientId,
  secret,
}: {
  clientId?: Secret | undefined;
  secret?: Secret | undefined;
}) {
  const credentials = [clientId, secret].flatMap((one) => one?.reveal() ?? []);
  // What begins in the shown text ends before this place. What comes later is not shown, and the search takes time.
  const searched = LONGEST + WIDEST * Math.max(0, ...credentials.map(({ length }) => length));
  return (whole: string): string => {
    const text = whole.slice(0, searched);
    return credentials.some((one) => holdsCredential(text, one)) ? REDACTED : harmless(text);
  };
}
