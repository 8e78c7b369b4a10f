import { holdsCredential, holdsPieceOf } from '../secrets/credential-echo.js';
import { REDACTED, type Secret } from '../secrets/secret.js';

const LONGEST = 200;

/** Text of a server, made fit for a terminal: no control characters, nothing that turns the direction of writing. */
export function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}

/**
 * The same for text that may repeat a credential (S10): providers like to put the client id into a token. Of a secret not
 * even a piece is repeated; a client id shares words with innocent names, so only the whole of it counts.
 */
export function harmlessFor({ clientId, secret }: { clientId: Secret; secret?: Secret | undefined }) {
  return (text: string): string => {
    const repeatsId = holdsCredential(text, clientId.reveal());
    const repeatsSecret = secret !== undefined && holdsPieceOf(text, secret.reveal());
    return repeatsId || repeatsSecret ? REDACTED : harmless(text);
  };
}
