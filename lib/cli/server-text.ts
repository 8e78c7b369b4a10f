import { holdsCredential } from '../secrets/credential-forms.js';
import { REDACTED, type Secret } from '../secrets/secret.js';

const LONGEST = 200;

/** How many texts of a list are shown. A server may send thousands. */
export const MOST_TEXTS = 5;

/** Makes the text of a server safe for a terminal: without control characters, and without a change of the writing direction. */
export function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}

/** The same for a text that may repeat a credential (S10): providers often put the client id into a token. */
export function harmlessFor(credentials: { clientId?: Secret | undefined; secret?: Secret | undefined }) {
  const { clientId, secret } = credentials;
  const texts = [clientId, secret].flatMap((one) => one?.reveal() ?? []);
  return (text: string): string =>
    texts.some((one) => holdsCredential(text, one)) ? REDACTED : harmless(text);
}
