import { LONGEST_LIFETIME_MS, TOKEN_CHARACTERS, TOKEN_TYPE, VISIBLE } from '../../catalogue/wire.js';
import type { NamedPair } from '../../errors/setting-names.js';
import type { TokenFailure } from '../../errors/token-request.error.js';
import { readHttpDate } from '../../time/server-clock.js';
import { recordIn } from '../../values/objects.js';
import { safely } from '../../values/safely.js';
import { unusableFailure } from './token-failures.js';

const LONGEST_TOKEN = 16 * 1024;

/**
 * Reads the body of a token response (S3). Checks each member that is used, and ignores all other members. A definition may accept
 * other tokens, types and answers without a lifetime. The words of a failure repeat nothing of the answer.
 */
export function readTokenResponse(
  body: Buffer,
  pair: NamedPair,
): { readonly value: string; readonly lifetimeMs: number } | TokenFailure {
  const { expiresIn, tokenTypes = [TOKEN_TYPE], tokenCharacters = 'bearer' } = pair.terms ?? {};
  const answer = parseObject(body);
  if (answer === undefined) return unusableFailure('the answer is not a JSON object.', pair);
  if ('error' in answer)
    return unusableFailure('the answer holds an error in spite of its status 200.', pair);

  if (!TOKEN_MEMBERS.some((member) => member in answer))
    return unusableFailure('the answer is a JSON object without a token.', pair, undefined, 'other-address');

  const value = answer['access_token'];
  const { pattern, name } = TOKEN_CHARACTERS[tokenCharacters];
  const isShort = typeof value === 'string' && value.length <= LONGEST_TOKEN;
  if (!isShort || !pattern.test(value)) {
    const member = isShort && VISIBLE.test(value) ? 'tokenCharacters' : undefined;
    return unusableFailure(fault(answer, 'access_token', name), pair, member);
  }
  const type = answer['token_type'];
  const word = typeof type === 'string' ? type.toLowerCase() : undefined;
  if (tokenTypes !== 'any' && !tokenTypes.some((one) => one.toLowerCase() === word))
    return unusableFailure(fault(answer, 'token_type', tokenTypes.join(' or ')), pair, 'tokenTypes');
  const isTimed = 'expires_in' in answer;
  const seconds = isTimed ? readSeconds(answer['expires_in']) : expiresIn;
  if (seconds === undefined) {
    const reason = fault(answer, 'expires_in', 'a number of seconds above 0');
    return unusableFailure(reason, pair, isTimed ? undefined : 'expiresIn');
  }

  return { value, lifetimeMs: Math.min(seconds * 1000, LONGEST_LIFETIME_MS) };
}

/** The members that are used. A JSON object without any of them is no token response. */
const TOKEN_MEMBERS = ['access_token', 'token_type', 'expires_in'] as const;

function fault(answer: object, member: (typeof TOKEN_MEMBERS)[number], expected: string): string {
  return `"${member}" is ${member in answer ? `not ${expected}` : 'missing'}.`;
}

/**
 * Reads a `Retry-After` header: seconds or a date (RFC 9110 section 10.2.3). A value that is 0, past or unreadable is
 * ignored.
 *
 * @param now milliseconds since 1970, by the clock of the server.
 * @returns the milliseconds that the server asks to wait.
 */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : (readHttpDate(text) ?? Number.NaN) - now;
  return ms > 0 ? ms : undefined;
}

/** The members of the object in a body. Undefined if there is none. */
export function parseObject(body: Buffer): ReturnType<typeof recordIn> {
  // Fatal: a body in another encoding must fail as a whole. The decoder removes a byte order mark.
  return recordIn(safely(() => new TextDecoder('utf-8', { fatal: true }).decode(body), ''));
}

function readSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value > 0 ? value : undefined;
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return undefined;
  return Number(value) > 0 ? Number(value) : undefined;
}
