import { harmlessFor } from '../server-text.js';
import type { Check, Finding, Step } from '../step.js';

/** Clocks and rounding explain that much; more means that the token and the answer contradict each other. */
const TOLERATED_MS = 5_000;

/**
 * Shows three claims of the token. For people only: the library never reads a token (S3), and nothing here decides
 * whether the pair works.
 */
export const claims: Step = {
  name: 'claims',
  run(check) {
    const told = claimsOf(check.token?.reveal() ?? '');
    if (told === undefined)
      return { status: 'ok', detail: 'the token is not a JWT: there is nothing to read in it' };
    const shown = harmlessFor({ clientId: check.profile.clientId, secret: check.secret });
    const facts = {
      ...(typeof told.iss === 'string' && { iss: shown(told.iss) }),
      ...(isAudience(told.aud) && { aud: [told.aud].flat().map(shown) }),
      ...(isMoment(told.exp) && { exp: new Date(told.exp * 1000).toISOString() }),
    };
    const texts = Object.entries(facts).map(([name, value]) => `${name} ${[value].flat().join(' ')}`);
    return {
      status: 'ok',
      detail: texts.join(', ') || 'the token has no claim iss, aud or exp',
      facts,
      ...advice(check, told.exp),
    };
  },
};

function claimsOf(token: string): Partial<Record<'iss' | 'aud' | 'exp', unknown>> | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const told: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof told === 'object' && told !== null && !Array.isArray(told) ? told : undefined;
  } catch {
    return undefined;
  }
}

function isAudience(aud: unknown): aud is string | string[] {
  return typeof aud === 'string' || (Array.isArray(aud) && aud.every((one) => typeof one === 'string'));
}

function isMoment(exp: unknown): exp is number {
  return typeof exp === 'number' && !Number.isNaN(new Date(exp * 1000).getTime());
}

/** Whether `exp` and `expires_in` mean the same moment, by the clock of the server that wrote both. */
function advice({ token, clockAheadMs = 0 }: Check, exp: unknown): Pick<Finding, 'advice'> {
  if (token === undefined || !isMoment(exp)) return {};
  const laterMs = exp * 1000 - (token.expiresAt.getTime() - clockAheadMs);
  if (Math.abs(laterMs) <= TOLERATED_MS) return {};
  return {
    advice: `exp is ${Math.round(Math.abs(laterMs) / 1000)} s ${laterMs > 0 ? 'later' : 'earlier'} than expires_in says. Tokens are renewed by expires_in; ask the provider which of the two counts.`,
  };
}
