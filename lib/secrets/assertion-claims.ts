import { isRecord } from '../values/objects.js';
import { safely } from '../values/safely.js';
import type { Secret } from './secret.js';
import { unpooledText } from './unpooled-buffer.js';

/**
 * What this module reads of an assertion that another system has signed, and what the doctor shows of a token. It verifies nothing:
 * the token endpoint and the API do that.
 */
interface Claims {
  readonly iss?: unknown;
  readonly sub?: unknown;
  readonly aud?: unknown;
  readonly exp?: unknown;
}

/** Undefined if the text is no signed JWT. */
export function claimsOf(text: Secret): Claims | undefined {
  const parts = text.reveal().split('.');
  const claims = decodedPart(parts[1] ?? '');
  // Without a prototype: a polluted `Object.prototype` gives no assertion an end.
  if (parts.length !== 3 || claims === undefined) return undefined;
  return Object.setPrototypeOf({ ...claims }, null) as Claims;
}

/** The header or the claims of a JWT, before anything was checked. Undefined if the part is no JSON object. */
export function decodedPart(part: string): Record<string, unknown> | undefined {
  const value = safely<unknown>(() => JSON.parse(unpooledText(part, 'base64url').toString()), undefined);
  return isRecord(value) ? value : undefined;
}

/** When an assertion ends: milliseconds since 1970. Undefined if the assertion does not say so. */
export function endOf(assertion: Secret): number | undefined {
  const { exp } = claimsOf(assertion) ?? {};
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}
