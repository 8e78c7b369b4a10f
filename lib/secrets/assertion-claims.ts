import { recordIn } from '../values/objects.js';
import type { Secret } from './secret.js';
import { unpooledText } from './unpooled-buffer.js';

type Claims = Readonly<Partial<Record<'iss' | 'sub' | 'aud' | 'exp', unknown>>>;

/**
 * The claims of a JWT: what this module reads of an assertion that another system has signed, and what the doctor shows of a token.
 * It verifies nothing: the token endpoint and the API do that. Undefined if the text is no signed JWT.
 */
export function claimsOf(text: Secret): Claims | undefined {
  const parts = text.reveal().split('.');
  return parts.length === 3 ? decodedPart(parts[1] ?? '') : undefined;
}

/** The header or the claims of a JWT, before anything was checked. Undefined if the part is no JSON object. */
export function decodedPart(part: string): ReturnType<typeof recordIn> {
  return recordIn(unpooledText(part, 'base64url').toString());
}

/** When an assertion ends: milliseconds since 1970. Undefined if the assertion does not say so. */
export function endOf(assertion: Secret): number | undefined {
  const exp = claimsOf(assertion)?.exp;
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}
