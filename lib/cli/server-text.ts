import { REDACTED, type Secret } from '../secrets/secret.js';
import { echoes } from '../token/token-failures.js';

const LONGEST = 200;

/** Text of a server, made fit for a terminal: no control characters, nothing that turns the direction of writing. */
export function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}

/** The same for text that may repeat a credential: providers like to put the client id into a token (S10). */
export function harmlessFor(credentials: readonly Secret[]): (text: string) => string {
  return (text) =>
    credentials.some((credential) => echoes(text, credential.reveal())) ? REDACTED : harmless(text);
}
